import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite("Outbox: how long a refused message waits") struct OutboxPauseTests {
    /// A house with one address, and a message for it under way.
    private func bench(_ type: EventType, program: Bool = false) throws -> (OutboxBench, MessageID) {
        var bench = OutboxBench()
        bench.book = OutboxBench.house(phones: program ? 0 : 1)
        if program {
            bench.book.house = [
                HouseAddress(address: AddressID(50), kind: .program, value: "siren", triggers: [.alarm, .fault])
            ]
        }
        bench.outbox.update(bench.book, channels: [.ccs, .program], at: bench.now)
        bench.read()
        bench.postAndCommit(type)
        let sent = take(&bench)
        let message = try #require(sent)
        return (bench, message)
    }

    private func take(_ bench: inout OutboxBench) -> MessageID? {
        for channel in [ChannelKind.ccs, .program] {
            let room = TransportRoom(alarm: 100, other: 90)
            guard let entry = bench.outbox.next(at: bench.now, by: channel, room: room) else { continue }
            bench.outbox.sent(entry.message)
            return entry.message
        }
        return nil
    }

    /// Waits until the refused message leaves again; how long that was.
    private func wait(_ bench: inout OutboxBench) -> Duration? {
        guard let due = bench.outbox.nextDeadline(after: bench.now) else { return nil }
        let pause = due - bench.now.boot
        bench.pass(pause)
        return take(&bench) == nil ? nil : pause
    }

    @Test("a way that wants longer pauses gets them, for alarms, too; the service's own wish may be longer by a bit")
    func aWayThatWantsLongerPausesGetsThem() throws {
        var (alarm, id) = try bench(.alarm)
        for _ in 0..<5 {
            alarm.outbox.retry(id, why: "greylisted", first: .seconds(30), at: alarm.now)
            let pause = wait(&alarm)
            #expect(pause == .seconds(30))
        }
        alarm.outbox.retry(id, why: "busy", first: .seconds(30), after: .seconds(45), at: alarm.now)
        let asked = wait(&alarm)
        #expect(asked == .seconds(45))
        var (state, other) = try bench(.armed)
        state.outbox.retry(other, why: "greylisted", first: .seconds(30), at: state.now)
        let waited = wait(&state)
        let pause = try #require(waited)
        #expect(pause >= .seconds(30) && pause <= .seconds(60))
    }

    @Test("a service that asks for a day holds back an alarm for a minute, then for twice as long, up to five")
    func aServiceThatAsksForADayHoldsBackAnAlarmForAMinute() throws {
        let wanted: [Duration] = [60, 120, 240, 300, 300].map { .seconds($0) }
        var (alarm, id) = try bench(.alarm)
        var pauses: [Duration?] = []
        for _ in 0..<5 {
            alarm.outbox.retry(id, why: "503", first: .hours(1), after: .hours(24), at: alarm.now)
            pauses.append(wait(&alarm))
        }
        #expect(pauses == wanted)
        var (held, other) = try bench(.alarm)
        for pause in wanted {
            held.outbox.tooFast(other, why: "429", for: .hours(1), after: .hours(24), at: held.now)
            let waited = wait(&held)
            let span = try #require(waited)
            #expect(span >= pause && span <= pause + .milliseconds(250))
        }
        var (fault, third) = try bench(.fault)
        fault.outbox.retry(third, why: "503", after: .hours(2), at: fault.now)
        let waited = wait(&fault)
        #expect(waited == .hours(2), "other messages wait as they are asked to")
    }

    @Test("an address is left alone for as long as its service says, then for twice as long")
    func anAddressIsLeftAloneForAsLongAsItsServiceSays() throws {
        var (alarm, id) = try bench(.alarm)
        alarm.outbox.tooFast(id, why: "429", for: .seconds(10), at: alarm.now)
        let waited = wait(&alarm)
        let pause = try #require(waited)
        #expect(pause >= .seconds(10) && pause <= .milliseconds(10_250))
        var (fault, first) = try bench(.fault)
        for seconds in [10, 20, 40] {
            fault.outbox.tooFast(first, why: "429", for: .seconds(10), at: fault.now)
            fault.pass(seconds - 1)
            let early = take(&fault)
            fault.pass(1)
            let due = take(&fault)
            #expect(early == nil && due == first)
        }
        fault.outbox.tooFast(first, why: "429", for: .hours(1), at: fault.now)
        fault.pass(3599)
        let early = take(&fault)
        fault.pass(1)
        let due = take(&fault)
        #expect(early == nil && due == first)
    }

    @Test("a program that fails is run as often as its channel says; for an alarm it is run on, ever more rarely")
    func aProgramThatFailsIsRunAsOftenAsItsChannelSays() throws {
        var (alarm, id) = try bench(.alarm, program: true)
        var pauses: [Duration?] = []
        for _ in 0..<8 {
            alarm.outbox.unknownRefusal(id, why: "status 1", first: .seconds(30), attempts: 3, at: alarm.now)
            pauses.append(wait(&alarm))
        }
        let wanted: [Duration?] = [30, 30, 60, 120, 240, 300, 300, 300].map { Duration.seconds($0) }
        #expect(pauses == wanted)
        var (fault, other) = try bench(.fault, program: true)
        for _ in 0..<3 {
            fault.outbox.unknownRefusal(other, why: "status 1", first: .seconds(30), attempts: 3, at: fault.now)
            fault.pass(60)
            _ = take(&fault)
        }
        #expect(fault.state(other) == .dead)
        #expect(fault.detail(other) == "status 1")
    }

    @Test("an alarm to a person is not given up for a count, and not made rarer either")
    func anAlarmToAPersonIsNotGivenUpForACount() throws {
        var (alarm, id) = try bench(.alarm)
        for _ in 0..<20 {
            alarm.outbox.unknownRefusal(id, why: "WHAT", attempts: 5, at: alarm.now)
            let waited = wait(&alarm)
            let pause = try #require(waited)
            #expect(pause <= .seconds(5))
        }
    }

    @Test("what a person must see to first ends all but alarms, which are tried again every five minutes")
    func whatAPersonMustSeeToFirstEndsAllButAlarms() throws {
        var (alarm, id) = try bench(.alarm)
        for _ in 0..<3 {
            alarm.outbox.blocked(id, why: "the account is closed", at: alarm.now)
            let pause = wait(&alarm)
            #expect(pause == .minutes(5))
        }
        #expect(alarm.outbox.reports.first?.lastError == "the account is closed")
        let notices = alarm.outbox.takeNotices()
        #expect(notices.isEmpty)
        var (fault, other) = try bench(.fault)
        fault.outbox.blocked(other, why: "the account is closed", at: fault.now)
        fault.pass(1)
        #expect(fault.state(other) == .dead)
    }
}
