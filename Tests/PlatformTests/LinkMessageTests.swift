import AlarmModel
import Platform
import Testing

@Suite struct LinkMessageTests {
    @Test("a recorded dump is read as the interfaces and addresses that were there")
    func aRecordedDumpIsReadAsTheInterfacesAndAddresses() throws {
        var table = LinkTable()
        for datagram in LinkRecording.datagrams {
            let messages = try #require(LinkMessage.parse(datagram))
            for message in messages {
                #expect(message.sequence == 7)
                #expect(!message.isInterrupted)
                table.take(message)
            }
        }
        let facts = table.facts(of: "eth0", nameServers: [])
        #expect(facts.isPresent && facts.hasCarrier)
        #expect(facts.addresses.map(\.description) == ["10.1.2.3", "2001:db8::7", "192.0.2.7"])
        #expect(facts.traffic > 0 && facts.traffic < 10_000)
        #expect(table.index(of: "eth0") == 3)
        #expect(table.facts(of: "far0", nameServers: []).addresses == [])
        #expect(table.facts(of: "lo", nameServers: []).addresses == [])
        #expect(table.facts(of: "wlan0", nameServers: []).isPresent == false)
        let ends = LinkRecording.datagrams.compactMap { LinkMessage.parse($0) }.joined().filter { $0.content == .end }
        #expect(ends.count == 2)
    }

    @Test("a datagram cut off anywhere gives nothing, or the messages before the cut")
    func aDatagramCutOffAnywhereGivesNothing() {
        for datagram in LinkRecording.datagrams {
            let whole = LinkMessage.parse(datagram) ?? []
            for length in 0..<datagram.count {
                guard let part = LinkMessage.parse(Array(datagram.prefix(length))) else { continue }
                #expect(Array(whole.prefix(part.count)) == part)
                #expect(part.count < whole.count)
            }
        }
    }

    @Test("whatever bytes are changed, reading ends and finds no more messages than there can be")
    func whateverBytesAreChanged() {
        var generator = SplitMix(state: 11)
        for _ in 0..<4_000 {
            let pick = Int.random(in: 0..<LinkRecording.datagrams.count, using: &generator)
            var datagram = LinkRecording.datagrams[pick]
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<datagram.count, using: &generator)
                let odd: [UInt8] = [0, 1, 3, 4, 0x7F, 0x80, 0xFF]
                datagram[place] =
                    Bool.random(using: &generator)
                    ? odd[Int.random(in: 0..<odd.count, using: &generator)]
                    : UInt8.random(in: 0...255, using: &generator)
            }
            var table = LinkTable()
            let messages = LinkMessage.parse(datagram) ?? []
            for message in messages { table.take(message) }
            #expect(messages.count <= datagram.count / 16)
            #expect(table.facts(of: "eth0", nameServers: []).addresses.allSatisfy { $0.bytes.count % 4 == 0 })
        }
    }

    @Test("errors of the kernel are told apart from the end of a dump")
    func errorsOfTheKernelAreToldApartFromTheEndOfADump() {
        let busy: [UInt8] = [0xF0, 0xFF, 0xFF, 0xFF]
        #expect(contents(kind: 2, busy) == [.failure(16)])
        #expect(contents(kind: 3, busy) == [.failure(16)])
        #expect(contents(kind: 3, [0, 0, 0, 0]) == [.end])
        #expect(contents(kind: 2, [0, 0, 0, 0]) == [.other])
        #expect(contents(kind: 2, [0x00, 0x00, 0x00, 0x80]) == [.failure(Int32.min)])
        #expect(contents(kind: 99, []) == [.other])
        #expect(contents(kind: 20, [2, 24]) == nil)
        #expect(LinkMessage.parse(message(kind: 3, flags: 0x12, [0, 0, 0, 0]))?.first?.isInterrupted == true)
    }

    @Test("what a bridge says of its ports does not pass for the ports themselves")
    func whatABridgeSaysOfItsPortsDoesNotPassForThePortsThemselves() throws {
        var datagram = LinkRecording.datagrams[0]
        #expect(datagram[16] == 0)
        datagram[16] = 7
        let messages = try #require(LinkMessage.parse(datagram))
        #expect(messages.first?.content == .other)
    }

    @Test("addresses that cannot carry a connection are left out")
    func addressesThatCannotCarryAConnectionAreLeftOut() throws {
        let shown = try ["169.254.3.4", "10.0.0.1"].map { text in
            var table = LinkTable()
            table.take(interface)
            table.take(address(try #require(IPAddress(text))))
            return table.facts(of: "eth0", nameServers: []).addresses.count
        }
        #expect(shown == [0, 1])
        let global = try #require(IPAddress("2001:db8::1"))
        for (flags, scope) in [(0x20, 0), (0x40, 0), (0x08, 0), (0x80, 253), (0x80, 254)] as [(UInt32, UInt8)] {
            var table = LinkTable()
            table.take(interface)
            table.take(address(global, scope: scope, flags: flags))
            #expect(table.facts(of: "eth0", nameServers: []).addresses == [])
        }
    }

    private let interface = LinkMessage(
        sequence: 0, isInterrupted: false,
        content: .interface(index: 3, name: "eth0", flags: 0x10001, traffic: 0))

    private func address(_ address: IPAddress, scope: UInt8 = 0, flags: UInt32 = 0x80) -> LinkMessage {
        let content = LinkMessage.Content.address(index: 3, address: address, scope: scope, flags: flags)
        return LinkMessage(sequence: 0, isInterrupted: false, content: content)
    }

    private func contents(kind: UInt8, _ body: [UInt8]) -> [LinkMessage.Content]? {
        LinkMessage.parse(message(kind: kind, flags: 2, body))?.map(\.content)
    }

    private func message(kind: UInt8, flags: UInt8, _ body: [UInt8]) -> [UInt8] {
        [UInt8(16 + body.count), 0, 0, 0, kind, 0, flags, 0, 7, 0, 0, 0, 0, 0, 0, 0] + body
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
