import AlarmModel
import PhoneLink
import Testing

@Suite("A draining connection")
struct DrainingTests {
    static let old = ConnectionID(1)

    @Test("the six steps: no new message, a second connection, old acks, resent nacks, the rest returned, at most two")
    func theSixStepsNoNewMessageASecondConnectionOldAcksResentNacks() {
        var bench = Bench.ready()
        for number in 1...4 { bench.push("m\(number)") }
        _ = bench.take()

        // 1 and 2
        bench.say(Server.draining)
        #expect(bench.take().withoutLogs == [.notReady, .connecting])
        #expect(bench.push("m5", isAlarm: true) == false)
        // 3
        bench.say(Server.ack("m1") + Server.inbound("u1") + Server.receipt)
        let during = bench.take()
        #expect(during.first == .accepted(MessageID("m1"), canonical: nil))
        #expect(during.sent(on: Self.old).count == 1)
        guard case .inbound(let message)? = during.dropFirst().first else {
            Issue.record("no upstream")
            return
        }
        // 4, before and after the second connection is there
        bench.say(Server.nack("m2", "CONNECTION_DRAINING"))
        #expect(bench.take() == [.returned([MessageID("m2")])])
        let new = bench.logIn()
        #expect(bench.take().withoutLogs.last == .ready)
        bench.push("m2")
        #expect(bench.take().sent(on: new).count == 1)
        bench.link.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take().sent(on: Self.old).count == 1)
        // 5
        bench.say(Server.end)
        let ended = bench.take()
        #expect(
            ended == [
                .send(Self.old, Array(Server.end.utf8)), .close(Self.old),
                .returned([MessageID("m3"), MessageID("m4")]),
            ])
        #expect(bench.link.health.phase == .ready && bench.link.health.problem == nil)
    }

    @Test("a nack alone says it too")
    func aNackAloneSaysItToo() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.push("m2")
        _ = bench.take()
        bench.say(Server.nack("m2", "CONNECTION_DRAINING"))
        #expect(bench.take().withoutLogs == [.notReady, .connecting, .returned([MessageID("m2")])])
        bench.say(Server.nack("m1", "CONNECTION_DRAINING") + Server.draining)
        #expect(bench.take().withoutLogs == [.returned([MessageID("m1")])])
    }

    @Test("a connection that the server does not close is closed after 5 minutes, and its messages come back")
    func aConnectionThatTheServerDoesNotCloseIsClosedAfter5Minutes() {
        var bench = Bench.ready { settings in settings.ackPatience = .hours(1) }
        bench.push("m1")
        bench.say(Server.draining)
        bench.logIn()
        _ = bench.take()
        for _ in 0..<299 {
            bench.wait(.seconds(1))
            bench.say(" ")
            bench.say(" ", on: ConnectionID(2))
        }
        #expect(bench.take().isEmpty)
        bench.wait(.seconds(1))
        #expect(
            bench.take().withoutLogs == [
                .send(Self.old, Array(Server.end.utf8)), .close(Self.old), .returned([MessageID("m1")]),
            ])
    }

    @Test("a message without an answer on a draining connection comes back after 20 s")
    func aMessageWithoutAnAnswerOnADrainingConnectionComesBack() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.say(Server.draining)
        bench.logIn()
        _ = bench.take()
        bench.wait(.seconds(20))
        let actions = bench.take()
        #expect(actions.returned == ["m1"] && actions.contains(.close(Self.old)))
        #expect(bench.link.health.phase == .ready)
    }

    @Test("at most two connections drain, and a server that drains each new one is not stormed")
    func atMostTwoConnectionsDrain() {
        var bench = Bench.ready()
        var open: [ConnectionID] = [ConnectionID(1)]
        var attempts = 0
        for _ in 0..<20 {
            guard let current = open.last else { return }
            bench.say(Server.draining, on: current)
            let before = bench.now.boot
            while !bench.actions.contains(.connecting) { _ = bench.waitForTimer() }
            attempts += 1
            for case .close(let id) in bench.take() { open.removeAll { $0 == id } }
            #expect(open.count <= 2)
            #expect(attempts == 1 || bench.now.boot > before)
            open.append(bench.logIn())
            _ = bench.take()
        }
        #expect(bench.now.boot > .zero + .seconds(1020))
    }

    @Test("the second connection may fail: then it is tried like any other, and the old one is still read")
    func theSecondConnectionMayFail() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.say(Server.draining)
        _ = bench.take()
        bench.refuse()
        let actions = bench.take()
        #expect(actions.problems == [.unreachable])
        bench.say(Server.ack("m1"))
        #expect(bench.take() == [.accepted(MessageID("m1"), canonical: nil)])
        bench.wait(.seconds(1))
        #expect(bench.take().connects == 1)
    }
}
