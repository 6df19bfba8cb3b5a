import AlarmModel
import Platform
import Testing

@Suite("The system bus", .enabled(if: PrivateBus.isPossible, "\(PrivateBus.advice)"), .serialized)
struct BusTests {
    @Test("without a bus a call fails and is not waited for; the bus that comes later is found")
    func withoutABusACallFailsAndIsNotWaitedFor() throws {
        let bus = try PrivateBus()
        let client = SystemBus(on: bus.loop, address: bus.address)
        defer { client.close() }
        var failure: BusError?
        let hello = BusCall(
            "GetId", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", from: "org.freedesktop.DBus")
        client.call(hello) { if case .failure(let error) = $0 { failure = error } }
        try bus.wait(for: "the failure") { failure != nil }
        #expect(failure == .disconnected)
        try bus.start()
        try bus.wait(for: "the connection") { client.isReady }
        #expect(try bus.ask(hello).first?.text?.utf8.count == 32)
    }

    @Test("a peer that takes the connection and says nothing holds nobody up")
    func aPeerThatTakesTheConnectionAndSaysNothingHoldsNobodyUp() throws {
        let loop = try EventLoop()
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/bus"
        var streams: [Stream] = []
        let listener = try Listener(directory: directory.path, name: "bus", on: loop) { streams.append($0) }
        defer { listener.close() }
        let client = SystemBus(on: loop, address: "unix:path=\(path)")
        defer { client.close() }
        var rounds = 0
        loop.setTimer(after: .milliseconds(300)) {
            rounds = Int(loop.wakeUps)
            loop.stop()
        }
        #expect(loop.runBounded())
        #expect(!client.isReady)
        #expect(rounds < 50, "nothing spins")
    }

    @Test("logind is asked to restart the machine; a refusal and silence are told")
    func logindIsAskedToRestartTheMachine() throws {
        let bus = try PrivateBus()
        let early = LogindBus(on: bus.loop, address: bus.address)
        var answer: Result<Void, BusError>?
        early.reboot(within: .milliseconds(300)) { answer = $0 }
        try bus.wait(for: "the failure") { answer != nil }
        guard case .failure(.disconnected)? = answer else {
            Issue.record("there is no bus")
            return
        }
        try bus.start()
        let logind = LogindBus(on: bus.loop, address: bus.address)
        answer = nil
        logind.reboot { answer = $0 }
        try bus.wait(for: "the refusal") { answer != nil }
        guard case .failure(let error)? = answer else {
            Issue.record("nobody is there")
            return
        }
        #expect(error.name == "org.freedesktop.DBus.Error.ServiceUnknown")
        try bus.play("logind", name: "org.freedesktop.login1")
        answer = nil
        logind.reboot { answer = $0 }
        try bus.wait(for: "the answer") { answer != nil }
        guard case .success? = answer else {
            Issue.record("refused: \(String(describing: answer))")
            return
        }
        let calls = try bus.ask(
            BusCall(
                "GetMethodCalls", of: "org.freedesktop.DBus.Mock", at: "/org/freedesktop/login1",
                from: "org.freedesktop.login1", [.string("Reboot")]))
        #expect(calls.first?.elements?.count == 1, "the restart that was given up is not ordered later")
    }

    @Test("values of all kinds go over the bus and come back as they were")
    func valuesOfAllKindsGoOverTheBusAndComeBackAsTheyWere() throws {
        let bus = try PrivateBus()
        try bus.start()
        try bus.play("modem_manager.py", name: "org.freedesktop.ModemManager1")
        let place = "/org/freedesktop/ModemManager1"
        let name = "org.freedesktop.ModemManager1"
        let type = "ynqiuxtdbsog(ia{sv})aas"
        try bus.ask(
            BusCall(
                "AddMethod", of: "org.freedesktop.DBus.Mock", at: place, from: name,
                [.string(name), .string("Echo"), .string(type), .string(type), .string("ret = args")]))
        let sent: [BusValue] = [
            .byte(255), .int16(-2), .uint16(65_535), .int32(.min), .uint32(.max), .int64(.min), .uint64(.max),
            .double(0.1), .bool(true), .string("Küche"), .objectPath("/a/b"), .signature("a{sv}"),
            .tuple([.int32(3), .properties(["a": .string("b"), "empty": .array(of: "u", [])])]),
            .array(of: "as", [.array(of: "s", [.string("x"), .string("")]), .array(of: "s", [])]),
        ]
        let back = try bus.ask(BusCall("Echo", of: name, at: place, from: name, sent))
        #expect(back == sent)
        #expect(throws: BusError.self) {
            try bus.ask(BusCall("Echo", of: name, at: place, from: name, [.objectPath("no path")]))
        }
    }
}
