import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Testing

@Suite("Signs of life to paired phones")
struct HeartbeatTests {
    /// The heartbeats that a phone got: statuses that answer nothing.
    private func beats(_ bench: Bench, _ phone: TestPhone, since: Int = 0) -> [JSON] {
        bench.heard(phone, since: since).filter { $0.kind == .status && $0.rid == nil }.map(\.content)
    }

    @Test("each phone gets one within each interval: small, silent, now or never, and in no journal")
    func eachPhoneGetsOneWithinEachInterval() throws {
        var (bench, phone) = try Bench.paired()
        let (mark, rows, messages) = (bench.push.server.pushes.count, bench.stored.count, bench.push.messages.count)
        bench.advance(.hours(2))
        let beats = beats(bench, phone, since: mark)
        #expect((8...9).contains(beats.count), "\(beats.count)")
        #expect(bench.stored.count == rows)
        #expect(bench.push.messages.count == messages)
        let pushes = bench.push.server.pushes.dropFirst(mark)
        #expect(pushes.count == beats.count)
        #expect(pushes.allSatisfy { $0.json["time_to_live"]?.integerValue == 0 && $0.bytes?.count == 256 })
        #expect(pushes.allSatisfy { $0.json["notification"]?["sound"] == nil })
        let gaps = zip(pushes, pushes.dropFirst()).map { $1.at.boot - $0.at.boot }
        #expect(gaps.allSatisfy { $0 <= .minutes(15) && $0 > .minutes(13) })
        #expect(beats.allSatisfy { $0["hb"]?.stringValue == "900" && $0["ch"] == nil })
        let ups = beats.compactMap { $0["up"]?.stringValue.flatMap { Int($0) } }
        #expect(ups == ups.sorted() && Set(ups).count == beats.count)
    }

    @Test("the count of starts grows over restarts, and a heartbeat tells it soon after the start")
    func theCountOfStartsGrowsOverRestarts() throws {
        var (bench, phone) = try Bench.paired()
        bench.advance(.minutes(15))
        let before = try #require(beats(bench, phone).last?["boot"]?.stringValue.flatMap { Int($0) })
        var next = bench.restarted()
        next.logIn()
        next.advance(.seconds(20))
        let beat = try #require(beats(next, phone).last)
        #expect(beat["boot"]?.stringValue == "\(before + 1)")
        #expect(next.push.book?.starts == UInt64(before + 1))
    }

    @Test("while the card has not taken the count of this start, each status says so")
    func whileTheCardHasNotTakenTheCountEachStatusSaysSo() throws {
        let (bench, phone) = try Bench.paired()
        var next = bench.restarted(on: .fails(Bench.broken))
        next.logIn()
        next.advance(.seconds(20))
        #expect(beats(next, phone).last?["unstored"]?.stringValue == "1")
        next.disk = .answers
        next.advance(.minutes(16))
        let beat = try #require(beats(next, phone).last)
        #expect(beat["unstored"] == nil)
        #expect(next.push.book?.starts == beat["boot"]?.stringValue.flatMap { UInt64($0) })
    }

    @Test("one that falls due while the daemon stops keeps it from nothing")
    func oneThatFallsDueWhileTheDaemonStopsKeepsItFromNothing() throws {
        let (bench, _) = try Bench.paired()
        let mark = bench.push.server.pushes.count
        var stopping = bench
        var running = bench
        running.advance(.seconds(1))
        while running.push.server.pushes.count == mark {
            stopping = running
            running.advance(.seconds(1))
        }
        stopping.disk = .silent
        stopping.panel("609003")
        stopping.feed(.signal(.terminate))
        let before = stopping.inputs.count
        stopping.advance(.seconds(4))
        let heard = stopping.inputs.count - before
        #expect(heard < 100, "\(heard) inputs in four seconds")
    }

    @Test("a way that is down carries none, and makes up for it once when it is up again")
    func aWayThatIsDownCarriesNone() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.isUp = false
        for end in bench.push.server.end(gracefully: false) { bench.feed(end) }
        let mark = bench.push.server.pushes.count
        bench.advance(.hours(1))
        #expect(bench.push.server.pushes.count == mark)
        bench.push.server.isUp = true
        bench.advance(.minutes(2))
        #expect(beats(bench, phone, since: mark).count == 1)
    }

    @Test("0 is none; the change is told at once, and phones are told no interval then")
    func with0IsNoneTheChangeIsToldAtOnceAndPhonesAreToldNoIntervalThen() throws {
        var (bench, phone) = try Bench.paired()
        let mark = bench.push.server.pushes.count
        var configuration = bench.configuration
        configuration.phones.heartbeat = nil
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.hours(3))
        let beats = beats(bench, phone, since: mark)
        #expect(beats.count == 1)
        #expect(beats.first?["hb"] == nil)
    }

    @Test("what waits for a channel goes before the heartbeat that it missed")
    func whatWaitsForAChannelGoesBeforeTheHeartbeatThatItMissed() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.isUp = false
        for end in bench.push.server.end(gracefully: false) { bench.feed(end) }
        bench.advance(.minutes(20))
        bench.panel("6011003")
        let mark = bench.push.server.pushes.count
        bench.push.server.isUp = true
        bench.advance(.minutes(2))
        let kinds = bench.heard(phone, since: mark).map { $0.content["type"]?.stringValue ?? "\($0.kind)" }
        #expect(kinds.first == "alarm")
        #expect(kinds.count { $0 == "status" } == 1)
    }

    @Test("a phone that hears nothing more raises the alert, and its end is told")
    func aPhoneThatHearsNothingMoreRaisesTheAlert() throws {
        var bench = Bench.withPush { $0.heartbeat = .minutes(15) }
        var app = try AppPhone(&bench)
        func pass(_ minutes: Int) {
            for _ in 0..<minutes * 6 {
                bench.advance(.seconds(10))
                app.talk(&bench)
            }
        }
        app.wake(&bench)
        pass(120)
        #expect(app.phone.memory.view.overdueSince == nil)
        let contact = try #require(app.phone.memory.view.lastContact)
        #expect(bench.now.wall.seconds - contact <= 900)
        app.isReachable = false
        pass(15)
        #expect(app.phone.memory.view.overdueSince == nil)
        pass(18)
        #expect(app.phone.memory.view.overdueSince != nil)
        app.isReachable = true
        app.wake(&bench)
        #expect(app.phone.memory.view.overdueSince == nil)
    }
}
