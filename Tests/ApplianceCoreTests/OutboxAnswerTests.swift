import AlarmModel
import ApplianceCore
import Testing

@Suite("Outbox: what the service answers") struct OutboxAnswerTests {
    private func bench(_ type: EventType, phones: Int = 1, legacy: Int = 0) -> (OutboxBench, OutboxEntry?) {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: phones, legacy: legacy))
        bench.postAndCommit(type)
        let first = bench.sendAll().first
        return (bench, first)
    }

    @Test("what the service has accepted is finished, unless it is an alarm for a paired phone")
    func whatTheServiceHasAcceptedIsFinished() throws {
        var (bench, entry) = bench(.fault)
        let id = try #require(entry?.message)
        bench.outbox.accepted(id, at: bench.now)
        bench.pass(1)
        #expect(bench.state(id) == .accepted)
        #expect(bench.outbox.count == 0)
    }

    @Test("an alarm without receipt is overdue after 30 s and repeated after 30 s, 2 min and then every 5 min")
    func anAlarmWithoutReceiptIsOverdueAfter30SAndRepeatedAfter30S() throws {
        var (bench, entry) = bench(.alarm)
        let id = try #require(entry?.message)
        #expect(entry?.wantsReceipt == true)
        #expect(entry?.timeToLive == 3600)
        bench.outbox.accepted(id, at: bench.now)
        for pause in [30, 120, 300, 300] {
            bench.pass(pause - 1)
            #expect(bench.sendAll().isEmpty)
            bench.pass(1)
            let again = bench.sendAll()
            #expect(again.map(\.message) == [id])
            #expect(again.first?.isRepeat == true)
            bench.accept(again)
        }
        bench.pass(2)
        #expect(bench.state(id) == .overdue)
        #expect(bench.outbox.reports.first?.overdue == 1)
        #expect(bench.outbox.takeNotices() == [.alarmOverdue(AddressID(1), SequenceNumber(1))])
        bench.outbox.received(id, at: bench.now)
        bench.pass(600)
        #expect(bench.state(id) == .received)
        #expect(bench.sendAll().isEmpty)
    }

    @Test("people are told once in five minutes that a phone is silent, however many alarms wait for it")
    func peopleAreToldOnceInFiveMinutesThatAPhoneIsSilent() throws {
        var (bench, entry) = bench(.alarm)
        bench.accept([try #require(entry)])
        for zone in 1...20 {
            bench.postAndCommit(.alarm, zone: zone)
            bench.accept(bench.sendAll())
            bench.pass(1)
        }
        for _ in 0..<60 { bench.pass(1) }
        #expect(bench.outbox.reports.first?.overdue == 21)
        #expect(bench.outbox.takeNotices() == [.alarmOverdue(AddressID(1), SequenceNumber(2), others: 1)])
    }

    @Test(
        "an alarm that is overdue within five minutes of another is told when they are over, unless the phone has it by then",
        arguments: [true, false])
    func anAlarmThatIsOverdueWithinFiveMinutesOfAnotherIsToldWhenTheyAreOver(hasIt: Bool) throws {
        var (bench, entry) = bench(.alarm)
        bench.accept([try #require(entry)])
        bench.pass(30)
        #expect(bench.outbox.takeNotices() == [.alarmOverdue(AddressID(1), SequenceNumber(1))])
        bench.postAndCommit(.alarm, zone: 5)
        bench.accept(bench.sendAll())
        for _ in 0..<60 { bench.pass(1) }
        bench.postAndCommit(.alarm, zone: 6)
        bench.accept(bench.sendAll())
        for _ in 0..<120 { bench.pass(1) }
        #expect(bench.outbox.takeNotices().isEmpty)
        if hasIt { bench.outbox.confirmed(PhoneID(1), SequenceNumber(3), at: bench.now) }
        let due = bench.outbox.nextDeadline(after: bench.now)
        #expect(due.map { $0 <= bench.now.boot + .minutes(5) } == true)
        for _ in 0..<120 { bench.pass(1) }
        let told = OutboxNotice.alarmOverdue(AddressID(1), SequenceNumber(hasIt ? 2 : 3), others: hasIt ? 0 : 1)
        #expect(bench.outbox.takeNotices() == [told])
        for _ in 0..<600 { bench.pass(1) }
        #expect(bench.outbox.takeNotices().isEmpty, "each alarm is told once")
    }

    @Test("an original app confirms nothing, so its alarms are not repeated")
    func anOriginalAppConfirmsNothing() throws {
        var (bench, entry) = bench(.alarm, phones: 0, legacy: 1)
        #expect(entry?.wantsReceipt == false)
        bench.accept([try #require(entry)])
        bench.pass(600)
        #expect(bench.sendAll().isEmpty)
        #expect(bench.state(entry?.message) == .accepted)
    }

    @Test("the phone's own word ends an alarm on all its addresses, and what waits behind it")
    func thePhonesOwnWordEndsAnAlarmOnAllItsAddresses() throws {
        var (bench, entry) = bench(.alarm, phones: 2)
        bench.accept([try #require(entry)])
        bench.postAndCommit(.info)
        bench.outbox.confirmed(PhoneID(1), upTo: SequenceNumber(9), last: SequenceNumber(2), at: bench.now)
        #expect(bench.outbox.count == 4)
        bench.outbox.confirmed(PhoneID(1), upTo: SequenceNumber(2), last: SequenceNumber(2), at: bench.now)
        #expect(bench.outbox.count == 2)
        bench.outbox.confirmed(PhoneID(2), SequenceNumber(1), at: bench.now)
        #expect(bench.outbox.count == 1)
    }

    @Test("a refusal that passes is tried again after one second, doubling, for alarms at most 5 s apart")
    func aRefusalThatPassesIsTriedAgainAfterOneSecond() throws {
        var (bench, entry) = bench(.alarm)
        let id = try #require(entry?.message)
        var longest = Duration.zero
        for _ in 0..<40 {
            bench.outbox.retry(id, why: "SERVICE_UNAVAILABLE", at: bench.now)
            let due = try #require(bench.outbox.nextDeadline(after: bench.now))
            let pause = due - bench.now.boot
            #expect(pause >= .seconds(1) && pause <= .seconds(5))
            longest = max(longest, pause)
            #expect(bench.sendAll().isEmpty)
            bench.pass(pause)
            #expect(bench.sendAll().map(\.message) == [id])
        }
        #expect(longest > .seconds(4))
        #expect(bench.outbox.reports.first?.lastError == "SERVICE_UNAVAILABLE")
    }

    @Test("the first try again of an info comes within 2 s; later ones lie up to a minute apart")
    func theFirstTryAgainOfAnInfoComesWithin2S() throws {
        var (bench, entry) = bench(.info)
        let id = try #require(entry?.message)
        bench.outbox.retry(id, why: "x", at: bench.now)
        let first = try #require(bench.outbox.nextDeadline(after: bench.now).map { $0 - bench.now.boot })
        #expect(first >= .seconds(1) && first <= .seconds(2))
        bench.pass(2)
        bench.sendAll()
        bench.outbox.retry(id, why: "x", after: .seconds(50), at: bench.now)
        bench.pass(49)
        #expect(bench.sendAll().isEmpty)
        bench.pass(1)
        #expect(bench.sendAll().count == 1)
    }

    @Test("an unknown refusal is tried five times; an alarm goes on")
    func anUnknownRefusalIsTriedFiveTimes() throws {
        for type in [EventType.fault, .alarm] {
            var (bench, entry) = bench(type)
            let id = try #require(entry?.message)
            for _ in 0..<4 {
                bench.outbox.unknownRefusal(id, why: "WHAT", attempts: 5, at: bench.now)
                bench.pass(61)
                #expect(bench.sendAll().count == 1)
            }
            bench.outbox.unknownRefusal(id, why: "WHAT", attempts: 5, at: bench.now)
            bench.pass(61)
            #expect(bench.sendAll().count == (type == .alarm ? 1 : 0))
            #expect(bench.state(id) == (type == .alarm ? .waiting : .dead))
            if type == .fault { #expect(bench.detail(id) == "WHAT") }
        }
    }

    @Test("a device that gets too much is left alone for a minute, then for two; a fresh alarm still goes")
    func aDeviceThatGetsTooMuchIsLeftAloneForAMinute() throws {
        var (bench, entry) = bench(.fault)
        let id = try #require(entry?.message)
        bench.outbox.tooFast(id, why: "DEVICE_MESSAGE_RATE_EXCEEDED", for: .seconds(60), at: bench.now)
        bench.postAndCommit(.fault)
        bench.pass(59)
        #expect(bench.sendAll().isEmpty)
        bench.postAndCommit(.alarm)
        #expect(bench.sendAll().map(\.priority) == [.alarm])
        bench.pass(1)
        let again = bench.sendAll()
        #expect(again.count == 2)
        for entry in again { bench.outbox.tooFast(entry.message, why: "again", for: .seconds(60), at: bench.now) }
        bench.pass(119)
        #expect(bench.sendAll().filter { $0.priority == .fault }.isEmpty)
        bench.pass(1)
        #expect(bench.sendAll().filter { $0.priority == .fault }.count == 2)
    }

    @Test("alarms that were refused together come back one after the other within the next minute, the oldest first")
    func alarmsThatWereRefusedTogetherComeBackOneAfterTheOther() throws {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1))
        for zone in 1...300 { bench.postAndCommit(.alarm, zone: zone % 64 + 1) }
        let first = bench.sendAll(300)
        #expect(first.count == 300)
        for entry in first { bench.outbox.tooFast(entry.message, why: "too much", for: .seconds(60), at: bench.now) }
        bench.pass(.milliseconds(59_999))
        #expect(bench.sendAll().isEmpty)
        var perSecond: [Int] = []
        var order: [Int64] = []
        for _ in 0..<61 {
            bench.pass(1)
            let sent = bench.sendAll(300)
            perSecond.append(sent.count)
            order += sent.compactMap(\.seq?.number)
            for entry in sent { bench.outbox.received(entry.message, at: bench.now) }
        }
        #expect(order.count == 300)
        #expect(perSecond.max() ?? 0 <= 10)
        #expect(perSecond.prefix(60).filter { $0 == 0 }.isEmpty)
        #expect(order.first ?? 0 <= 4)
    }

    @Test("a single refused alarm waits for the service's minute and hardly longer; a fresh one waits for nothing")
    func aSingleRefusedAlarmWaitsForTheServicesMinuteAndHardly() throws {
        var (bench, entry) = bench(.alarm)
        let id = try #require(entry?.message)
        bench.outbox.tooFast(id, why: "DEVICE_MESSAGE_RATE_EXCEEDED", for: .seconds(60), at: bench.now)
        bench.postAndCommit(.alarm)
        #expect(bench.sendAll().count == 1)
        bench.pass(.milliseconds(59_999))
        #expect(bench.sendAll().isEmpty)
        bench.pass(.milliseconds(251))
        #expect(bench.sendAll().map(\.message) == [id])
    }

    @Test("what a draining connection refuses leaves at once, with the same id")
    func whatADrainingConnectionRefusesLeavesAtOnce() throws {
        var (bench, entry) = bench(.info)
        let id = try #require(entry?.message)
        bench.outbox.again(id)
        #expect(bench.sendAll().map(\.message) == [id])
    }

    @Test("a late acceptance on a connection that is gone still counts")
    func aLateAcceptanceOnAConnectionThatIsGoneStillCounts() throws {
        var (bench, entry) = bench(.fault)
        let id = try #require(entry?.message)
        bench.outbox.returned([id])
        bench.outbox.accepted(id, at: bench.now)
        #expect(bench.sendAll().isEmpty)
    }

    @Test("a message that will never be taken is a dead letter; an alarm's is written at once and told")
    func aMessageThatWillNeverBeTakenIsADeadLetter() throws {
        var (bench, entry) = bench(.alarm)
        bench.pass(1)
        let id = try #require(entry?.message)
        bench.outbox.died(id, why: "INVALID_JSON", at: bench.now)
        bench.flush()
        #expect(bench.state(id) == .dead)
        #expect(bench.detail(id) == "INVALID_JSON")
        #expect(bench.outbox.takeNotices() == [.alarmDied(AddressID(1), SequenceNumber(1), why: "INVALID_JSON")])
    }

    @Test("the loss of an address ends all its open messages, also those in the store")
    func theLossOfAnAddressEndsAllItsOpenMessages() throws {
        var policy = OutboxPolicy()
        policy.memoryLimit = 20
        policy.readAhead = 20
        var bench = OutboxBench(policy: policy)
        bench.open(OutboxBench.house(phones: 2))
        for _ in 0..<100 { bench.postAndCommit(.fault) }
        bench.outbox.dropped(AddressID(1), why: "phone unregistered", at: bench.now)
        for _ in 0..<10 { bench.pass(1) }
        let rows = bench.rows.map(\.message)
        #expect(rows.filter { $0.address == AddressID(1) }.allSatisfy { $0.state == .dead })
        #expect(rows.filter { $0.address == AddressID(1) }.allSatisfy { $0.detail == "phone unregistered" })
        #expect(rows.filter { $0.address == AddressID(2) }.allSatisfy { $0.state == .waiting })
    }

    @Test("changes are written at most once a second")
    func changesAreWrittenAtMostOnceASecond() {
        var (bench, _) = bench(.info)
        for index in 0..<20 {
            bench.postAndCommit(.info)
            bench.accept(bench.sendAll())
            bench.now = Moment(
                boot: bench.now.boot + .milliseconds(100), wall: bench.now.wall, isWallTrusted: true)
            let changes = bench.outbox.flush(into: bench.nextBatch, at: bench.now).map(\.change)
            #expect(changes.isEmpty != (index % 10 == 0))
        }
        #expect(bench.outbox.nextDeadline(after: bench.now) != nil)
    }

    @Test("seen alarms are repeated to nobody, but who has not got one yet still gets it once")
    func seenAlarmsAreRepeatedToNobody() throws {
        var (bench, entry) = bench(.alarm, phones: 2)
        bench.accept([try #require(entry)])
        bench.outbox.returned([MessageID("00000001-2")])
        bench.outbox.seen(.event(SequenceNumber(1)), at: bench.now)
        let other = bench.sendAll()
        #expect(other.map(\.address) == [AddressID(2)])
        bench.accept(other)
        bench.pass(1000)
        #expect(bench.sendAll().isEmpty)
        #expect(bench.rows.map(\.message.state) == [.seen, .seen])
    }

    @Test("what one person has seen by a way that proves nothing is repeated to the others")
    func whatOnePersonHasSeenByAWayThatProvesNothingIsRepeatedToTheOthers() throws {
        var (bench, entry) = bench(.alarm, phones: 2)
        bench.accept([try #require(entry)])
        bench.outbox.returned([MessageID("00000001-2")])
        bench.accept(bench.sendAll())
        bench.outbox.seen(.alarms(upTo: SequenceNumber(1), of: PersonID(1)), at: bench.now)
        bench.pass(60)
        #expect(bench.sendAll().map(\.address) == [AddressID(2)])
    }

    @Test("what was seen before a restart is not repeated after it; a later alarm is")
    func whatWasSeenBeforeARestartIsNotRepeatedAfterIt() throws {
        var (bench, entry) = bench(.alarm)
        bench.accept([try #require(entry)])
        bench.pass(31)
        #expect(bench.state(entry?.message) == .overdue)
        bench.postAndCommit(.alarm)
        bench.restart(boot: "00000002", seenUpTo: SequenceNumber(1))
        #expect(bench.sendAll().map(\.seq) == [SequenceNumber(2)])
        bench.pass(2)
        #expect(bench.state(entry?.message) == .seen)
    }

    @Test("answers about unknown messages change nothing")
    func answersAboutUnknownMessagesChangeNothing() {
        var (bench, _) = bench(.alarm)
        let before = bench.outbox
        let id = MessageID("m1")
        bench.outbox.accepted(id, at: bench.now)
        bench.outbox.received(id, at: bench.now)
        bench.outbox.retry(id, why: "", at: bench.now)
        bench.outbox.tooFast(id, why: "", for: .seconds(60), at: bench.now)
        bench.outbox.unknownRefusal(id, why: "", attempts: 5, at: bench.now)
        bench.outbox.died(id, why: "", at: bench.now)
        bench.outbox.returned([id])
        bench.outbox.sent(id)
        bench.outbox.notSent(id)
        bench.outbox.dropped(AddressID(77), why: "", at: bench.now)
        #expect(bench.outbox == before)
    }
}
