import PhoneLink
import PhoneProtocol
import Testing

@Suite("Reading JSON lines and event streams")
struct StreamReaderTests {
    static func lines(_ pieces: [[UInt8]], limit: Int = 65_536) -> [JSONLineReader.Item] {
        var reader = JSONLineReader(lineLimit: limit)
        var items: [JSONLineReader.Item] = []
        for piece in pieces {
            reader.append(piece)
            while let item = reader.next() { items.append(item) }
        }
        return items
    }

    static func events(_ pieces: [[UInt8]], limits: ServerSentEventReader.Limits = .init()) -> [ServerSentEventReader
        .Item]
    {
        var reader = ServerSentEventReader(limits: limits)
        var items: [ServerSentEventReader.Item] = []
        for piece in pieces {
            reader.append(piece)
            while let item = reader.next() { items.append(item) }
        }
        return items
    }
    static func events(_ text: String) -> [ServerSentEventReader.Item] { events([Array(text.utf8)]) }

    @Test("lines cut anywhere are read the same; one that is too long is left out alone")
    func linesCutAnywhereAreReadTheSame() {
        let text =
            "{\"a\":1}\n\r\n\n \n[2]\r\n\"12345678\"\n\"123456789\"\n\"12345678\"\r\nnope\n\"0123456789abc\"\n3\n4"
        let bytes = Array(text.utf8)
        let whole = Self.lines([bytes], limit: 10)
        let kinds = whole.map { item in
            switch item {
            case .value(let value): value.text
            case .skipped(.tooLong): "too long"
            case .skipped(.notJSON): "no JSON"
            }
        }
        #expect(
            kinds == [
                "{\"a\":1}", "[2]", "\"12345678\"", "too long", "\"12345678\"", "no JSON", "too long", "3",
            ])
        for cut in 0...bytes.count {
            #expect(Self.lines([Array(bytes[..<cut]), Array(bytes[cut...])], limit: 10) == whole)
        }
        #expect(Self.lines(bytes.map { [$0] }, limit: 10) == whole)
    }

    @Test("an endless line costs no memory and is told once")
    func anEndlessLineCostsNoMemoryAndIsToldOnce() {
        var reader = JSONLineReader(lineLimit: 100)
        var told = 0
        for _ in 0..<1000 {
            reader.append([UInt8](repeating: 0x61, count: 50))
            while reader.next() != nil { told += 1 }
        }
        #expect(told == 1)
        reader.append(Array("\n7\n".utf8))
        #expect(reader.next() == .value(.integer(7)))
    }

    /// The examples of WHATWG HTML 9.2.6, and Firebase's words.
    static let streams = [
        "data: YHOO\ndata: +2\ndata: 10\n\n",
        ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        "data\n\ndata\ndata\n\ndata:",
        "data:test\n\ndata: test\n\n",
        "\u{FEFF}event: put\r\ndata: {\"path\":\"/\"}\r\n\r\nevent: keep-alive\rdata: null\r\rretry: 1000\nretry: x\nfoo: bar\n\n",
        "id: a\0b\nid: 5\n\nid: 6\ndata: x\n\n",
    ]

    @Test("event streams cut anywhere are read the same", arguments: streams)
    func eventStreamsCutAnywhereAreReadTheSame(text: String) {
        let bytes = Array(text.utf8)
        let whole = Self.events([bytes])
        for cut in 0...bytes.count {
            #expect(Self.events([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        #expect(Self.events(bytes.map { [$0] }) == whole)
    }

    @Test("event streams mean what the standard says")
    func eventStreamsMeanWhatTheStandardSays() {
        func event(_ data: String, _ type: String = "message", id: String = "") -> ServerSentEventReader.Item {
            .event(ServerSentEvent(type: type, data: data, id: id))
        }
        #expect(Self.events(Self.streams[0]) == [event("YHOO\n+2\n10")])
        #expect(
            Self.events(Self.streams[1])
                == [event("first event", id: "1"), event("second event"), event(" third event")])
        #expect(Self.events(Self.streams[2]) == [event(""), event("\n")])
        #expect(Self.events(Self.streams[3]) == [event("test"), event("test")])
        #expect(
            Self.events(Self.streams[4])
                == [event("{\"path\":\"/\"}", "put"), event("null", "keep-alive"), .retry(.seconds(1))])
        #expect(Self.events(Self.streams[5]) == [event("x", id: "6")])
        #expect(Self.events("retry: 99999999999999999999999\n") == [.retry(.seconds(3600))])
    }

    @Test("events that are too long are left out, and the next one is whole")
    func eventsThatAreTooLongAreLeftOut() {
        var limits = ServerSentEventReader.Limits()
        limits.lineBytes = 20
        limits.eventBytes = 30
        let next = "event: b\ndata: ok\n\n"
        let long = String(repeating: "x", count: 30)
        func skipped(_ beginning: String) -> ServerSentEventReader.Item {
            .skipped(.tooLong(30, beginning: beginning))
        }
        let ok = ServerSentEventReader.Item.event(ServerSentEvent(type: "b", data: "ok"))
        for (text, items) in [
            ("event: a\ndata: \(long)\n\n", [skipped(String(long.prefix(17))), ok]),
            (
                "data: 12345678901234\ndata: 12345678901234\ndata: 1\n\n",
                [skipped("12345678901234\n12345678901234\n1"), ok]
            ),
            (":\(long)\n\n", [ok]),
        ] {
            let bytes = Array((text + next).utf8)
            #expect(Self.events([bytes], limits: limits) == items)
            #expect(Self.events(bytes.map { [$0] }, limits: limits) == items)
        }
    }
}
