import AlarmModel
import PhoneLink
import Testing

@Suite("Reading an answer of HTTP/1.1")
struct HTTPResponseReaderTests {
    /// What a reader made of bytes: neighbouring pieces of the body are one.
    struct Reading: Equatable {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        var isComplete = false
        var error: HTTPError?
        var hasSurplus = false
    }

    static func read(
        _ pieces: [[UInt8]], limits: HTTPResponseReader.Limits = .init(), isHead: Bool = false, closes: Bool = true
    ) -> Reading {
        var reader = HTTPResponseReader(limits: limits, isHead: isHead)
        var reading = Reading()
        func take(_ event: HTTPResponseReader.Event) {
            switch event {
            case .head(let head): reading.head = head
            case .body(let piece): reading.body += piece
            case .end: reading.isComplete = true
            case .failed(let error): reading.error = error
            }
        }
        for piece in pieces {
            reader.append(piece)
            while let event = reader.next() { take(event) }
        }
        if closes, let event = reader.finish() { take(event) }
        reading.hasSurplus = reader.hasSurplus
        return reading
    }
    static func read(_ text: String, isHead: Bool = false, closes: Bool = true) -> Reading {
        read([Array(text.utf8)], isHead: isHead, closes: closes)
    }
    static func body(_ text: String) -> String? {
        let reading = read(text, closes: false)
        return reading.isComplete ? String(decoding: reading.body, as: UTF8.self) : nil
    }

    /// As servers answered: a topic server, Google's token service, a small one without lengths.
    static let recorded = [
        "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Type: application/json\r\n"
            + "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n0c;note=\"a;b\"\r\n{\"id\":\"abc\",\r\n"
            + "8 \r\n\"time\":1\r\n1\r\n}\r\n00\r\nX-Checksum: 12\r\nX-More: 13\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 401 Unauthorized\r\n"
            + "WWW-Authenticate: Basic realm=\"x\",\r\n  Bearer\r\nContent-Length: 11\r\n\r\nno entrance",
        "HTTP/1.0 503 Service Unavailable\nRetry-After: 120\n\ngone for a while",
        "HTTP/1.1 204\r\nContent-Length: 12\r\n\r\nHTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\ntoo short",
    ]

    @Test("an answer cut anywhere is read the same", arguments: recorded)
    func anAnswerCutAnywhereIsReadTheSame(text: String) {
        let bytes = Array(text.utf8)
        let whole = Self.read([bytes])
        for cut in 0...bytes.count {
            #expect(Self.read([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        #expect(Self.read(bytes.map { [$0] }) == whole)
    }

    @Test("recorded answers mean what they say")
    func recordedAnswersMeanWhatTheySay() {
        let chunked = Self.read(Self.recorded[0], closes: false)
        #expect(chunked.isComplete && chunked.error == nil)
        #expect(String(decoding: chunked.body, as: UTF8.self) == "{\"id\":\"abc\",\"time\":1}")
        let refused = Self.read(Self.recorded[1], closes: false)
        #expect(refused.head?.status == 401)
        #expect(refused.head?.list("www-authenticate") == ["Basic realm=\"x\"", "Bearer"])
        #expect(String(decoding: refused.body, as: UTF8.self) == "no entrance")
        let old = Self.read(Self.recorded[2])
        #expect(old.isComplete && old.head?.minorVersion == 0 && old.body.count == 16)
        let empty = Self.read(Self.recorded[3], closes: false)
        #expect(empty.isComplete && empty.body.isEmpty && empty.hasSurplus)
        #expect(Self.read(Self.recorded[4]).error == .malformedChunk)
        #expect(Self.read(Self.recorded[5]).error == .cutOff)
    }

    @Test("an answer to HEAD and one that nothing changed have no body whatever they say")
    func anAnswerToHEADAndOneThatNothingChangedHaveNoBodyWhatever() {
        #expect(Self.read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", isHead: true, closes: false).isComplete)
        #expect(Self.body("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n") == "")
        #expect(Self.body("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") == "")
        #expect(Self.body("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nhi") == "hi")
    }

    @Test(
        "what contradicts itself or HTTP is refused",
        arguments: [
            ("SSH-2.0-OpenSSH\r\n", HTTPError.notHTTP),
            ("HTTP/2 200 OK\r\n", .notHTTP),
            ("HTTP/1.1 20 OK\r\n", .notHTTP),
            ("HTTP/1.1 2000 OK\r\n", .notHTTP),
            ("HTTP/1.1 999 OK\r\n", .notHTTP),
            ("HTTP/1.1 099 OK\r\n", .notHTTP),
            ("\r\nHTTP/1.1 200 OK\r\n", .notHTTP),
            ("HTTP/1.1 200 O\rK\r\n", .notHTTP),
            ("HTTP/1.1 101 Switching\r\n\r\n", .switched),
            ("HTTP/1.1 200 OK\r\nno colon\r\n", .malformedField),
            ("HTTP/1.1 200 OK\r\nLength : 1\r\n", .malformedField),
            ("HTTP/1.1 200 OK\r\n: 1\r\n", .malformedField),
            ("HTTP/1.1 200 OK\r\n folded\r\n", .malformedField),
            ("HTTP/1.1 200 OK\r\nA: b\0c\r\n", .malformedField),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .contradictoryLength),
            ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .contradictoryLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", .contradictoryLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", .contradictoryLength),
            ("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", .malformedLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", .malformedLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", .malformedLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", .malformedLength),
            ("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n", .bodyTooLong(65_536)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .encoded("gzip, chunked")),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                .encoded("chunked, chunked")
            ),
            ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", .encoded("gzip")),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", .malformedChunk),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", .malformedChunk),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\n", .malformedChunk),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", .malformedChunk),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", .malformedChunk),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffe\r\n", .bodyTooLong(65_536)),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc", .cutOff),
            ("HTTP/1.1 200", .cutOff), ("", .cutOff),
        ])
    func whatContradictsItselfOrHTTPIsRefused(text: String, error: HTTPError) {
        #expect(Self.read(text).error == error)
        #expect(!error.description.isEmpty)
    }

    @Test("heads, fields, trailers, chunk lines and bodies are bounded, to the byte")
    func headsFieldsTrailersChunkLinesAndBodiesAreBoundedToTheByte() {
        let first = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
        for extra in [0, 1] {
            let padding = String(repeating: "x", count: 16_384 - first.utf8.count - 7 + extra)
            let reading = Self.read(first + "A: " + padding + "\r\n\r\n", closes: false)
            #expect(reading.error == (extra == 0 ? nil : .headTooLong(16_384)))
            #expect(reading.isComplete == (extra == 0))
        }
        let endless = Self.read("HTTP/1.1 200 " + String(repeating: "x", count: 20_000), closes: false)
        #expect(endless.error == .headTooLong(16_384))
        let interim = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000)
        #expect(Self.read(interim, closes: false).error == .headTooLong(16_384))
        let many = String(repeating: "A: b\r\n", count: 101)
        #expect(Self.read("HTTP/1.1 200 OK\r\n" + many, closes: false).error == .tooManyFields(100))
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(Self.read(chunked + "0\r\n" + many, closes: false).error == .tooManyFields(100))
        let long = "1;" + String(repeating: "x", count: 20_000)
        #expect(Self.read(chunked + long, closes: false).error == .headTooLong(16_384))
        for extra in [0, 1] {
            let body = String(repeating: "x", count: 65_536 + extra)
            let reading = Self.read("HTTP/1.1 200 OK\r\n\r\n" + body)
            #expect(reading.error == (extra == 0 ? nil : .bodyTooLong(65_536)))
            #expect(reading.body.count == 65_536)
        }
        let stream = Self.read(
            [Array(("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 300_000)).utf8)], limits: .stream)
        #expect(stream.body.count == 300_000)
    }

    @Test(
        "the three forms of a date, and what is none",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777 as Int64?),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Sat, 29 Feb 2020 23:59:60 GMT", 1_583_020_800),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("Sun, 29 Feb 2026 00:00:00 GMT", nil), ("Sun, 00 Nov 1994 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 24:00:00 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 CET", nil),
            ("Sun, 06 Nov 1994 08:49 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("soon", nil), ("", nil),
        ])
    func theThreeFormsOfADate(text: String, seconds: Int64?) {
        #expect(HTTPDate(text)?.time.seconds == seconds)
    }

    @Test("how long to wait is a number, or a date by the server's own clock")
    func howLongToWaitIsANumber() {
        let wall = WallTime(milliseconds: 784_111_000_000)
        let now = Moment(boot: .zero, wall: wall, isWallTrusted: true)
        let unsure = Moment(boot: .zero, wall: wall, isWallTrusted: false)
        func wait(_ value: String, date: String? = nil, at now: Moment) -> Duration? {
            var head = HTTPResponseHead(status: 503, fields: [HTTPField("retry-after", value)])
            if let date { head.fields.append(HTTPField("Date", date)) }
            return head.retryAfter(at: now)
        }
        #expect(wait("120", at: now) == .seconds(120))
        #expect(wait("99999999999999999999999", at: now) == .hours(24))
        #expect(wait("Sun, 06 Nov 1994 08:49:37 GMT", at: now) == .seconds(777))
        #expect(wait("Sun, 06 Nov 1994 08:49:37 GMT", at: unsure) == nil)
        let date = "Sun, 06 Nov 1994 08:49:07 GMT"
        #expect(wait("Sun, 06 Nov 1994 08:49:37 GMT", date: date, at: unsure) == .seconds(30))
        #expect(wait("Sun, 06 Nov 1994 08:48:00 GMT", date: date, at: now) == .zero)
        #expect(wait("-5", at: now) == nil)
        #expect(wait("1.5", at: now) == nil)
        #expect(wait("", at: now) == nil)
    }
}
