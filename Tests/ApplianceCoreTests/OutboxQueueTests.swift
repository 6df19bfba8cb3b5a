import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite("Outbox: what leaves, and when") struct OutboxQueueTests {
    private func bench(phones: Int = 1, policy: OutboxPolicy = OutboxPolicy()) -> OutboxBench {
        var bench = OutboxBench(policy: policy)
        bench.open(OutboxBench.house(phones: phones))
        return bench
    }

    @Test("nothing leaves before its row is durable")
    func nothingLeavesBeforeItsRowIsDurable() {
        var bench = bench()
        bench.post([OutboxBench.event(.alarm)])
        #expect(bench.next() == nil)
        bench.commit()
        let entry = bench.next()
        #expect(entry?.seq == SequenceNumber(1))
        #expect(entry?.message == MessageID("00000001-1"))
    }

    @Test("the classes leave in their order, each by number")
    func theClassesLeaveInTheirOrder() {
        var bench = bench(phones: 2)
        for type in [EventType.info, .armed, .alarm, .recovery, .alarm, .info] { bench.postAndCommit(type) }
        let left = bench.sendAll().map { [$0.seq?.number ?? 0, $0.address.number] }
        let numbers: [Int64] = [3, 5, 4, 2, 1, 6]
        #expect(left == numbers.flatMap { [[$0, 1], [$0, 2]] })
    }

    @Test("an alarm overtakes 500 infos that wait")
    func anAlarmOvertakes500InfosThatWait() {
        var bench = bench()
        for _ in 0..<500 { bench.postAndCommit(.info) }
        bench.postAndCommit(.alarm)
        #expect(bench.next()?.priority == .alarm)
    }

    @Test("the places kept for alarms are left to alarms, and what is being sealed takes up room")
    func thePlacesKeptForAlarmsAreLeftToAlarms() {
        var bench = bench()
        for _ in 0..<5 { bench.postAndCommit(.fault) }
        #expect(bench.next(alarm: 3, other: 1) != nil)
        #expect(bench.next(alarm: 3, other: 1) == nil)
        for _ in 0..<5 { bench.postAndCommit(.alarm) }
        #expect(bench.next(alarm: 3, other: 1)?.priority == .alarm)
        let last = bench.next(alarm: 3, other: 1)
        #expect(last?.priority == .alarm)
        #expect(bench.next(alarm: 3, other: 1) == nil)
        if let last { bench.outbox.notSent(last.message) }
        #expect(bench.next(alarm: 3, other: 1)?.message == last?.message)
    }

    @Test("in a flood of faults none waits longer than 2 s for each that was before it, and alarms do not wait at all")
    func inAFloodOfFaultsNoneWaitsLongerThan2S() {
        var bench = bench()
        for _ in 0..<70 { bench.postAndCommit(.fault) }
        var left = bench.sendAll().map { $0.seq?.number ?? 0 }
        #expect(left == Array(1...30))
        for second in 1...80 {
            bench.pass(1)
            if second == 40 {
                bench.postAndCommit(.alarm)
                #expect(bench.next()?.priority == .alarm)
            }
            left += bench.sendAll().map { $0.seq?.number ?? 0 }
            #expect(left.count == 30 + second / 2)
        }
        #expect(left == Array(1...70))
        // The pause has made room again.
        bench.pass(60)
        for _ in 0..<31 { bench.postAndCommit(.fault) }
        #expect(bench.sendAll().count == 30)
    }

    @Test("20 infos leave at once, then one every 3 s; alarms are not counted and not held back")
    func with20InfosLeaveAtOnce() {
        var bench = bench()
        for _ in 0..<50 { bench.postAndCommit(.info) }
        #expect(bench.sendAll().count == 20)
        for _ in 0..<60 { bench.postAndCommit(.alarm) }
        #expect(bench.sendAll().count == 60)
        #expect(bench.outbox.nextDeadline(after: bench.now) == bench.now.boot + .seconds(3))
        for _ in 0..<30 {
            bench.pass(.milliseconds(2999))
            #expect(bench.sendAll().filter { $0.priority == .info }.isEmpty)
            bench.pass(.milliseconds(1))
            #expect(bench.sendAll().filter { $0.priority == .info }.count == 1)
        }
        bench.pass(1000)
        #expect(bench.sendAll().filter { $0.priority == .info }.isEmpty)
    }

    @Test("what a lost connection gives back leaves first, with the same ids and in the same order")
    func whatALostConnectionGivesBackLeavesFirst() {
        var bench = bench()
        for type in [EventType.alarm, .alarm, .fault, .info] { bench.postAndCommit(type) }
        let first = bench.sendAll().map(\.message)
        bench.postAndCommit(.info)
        bench.outbox.returned(first.reversed())
        #expect(bench.sendAll().map(\.message).prefix(4) == first.prefix(4))
    }

    @Test("while the store fails alarms leave unstored; once accepted they are not sent again as their rows appear")
    func whileTheStoreFailsAlarmsLeaveUnstored() {
        var bench = bench()
        var event = OutboxBench.event(.alarm)
        event.unstored = UnstoredMark(boot: "00000001", counter: 7)
        bench.post([event, OutboxBench.event(.fault)])
        bench.outbox.storeFailed()
        #expect(bench.outbox.releasesUnstoredAlarms)
        let entries = bench.sendAll()
        #expect(entries.map(\.priority) == [.alarm])
        #expect(entries.first?.event.unstored?.counter == 7)
        #expect(entries.first?.seq == nil)
        bench.accept(entries)
        bench.outbox.received(MessageID("00000001-1"), at: bench.now)
        bench.outbox.storeRecovered()
        bench.commit()
        #expect(bench.sendAll().map(\.priority) == [.fault])
        bench.pass(2)
        #expect(bench.state(entries.first?.message) == .received)
        bench.pass(600)
        #expect(bench.sendAll().isEmpty)
    }

    @Test("an unstored alarm that waits for its receipt gets its number when it is stored, and repeats carry it")
    func anUnstoredAlarmThatWaitsForItsReceiptGetsItsNumber() {
        var bench = bench()
        bench.post([OutboxBench.event(.alarm)])
        bench.outbox.storeFailed()
        bench.accept(bench.sendAll())
        bench.outbox.storeRecovered()
        bench.commit()
        bench.pass(30)
        let again = bench.sendAll()
        #expect(again.map(\.seq) == [SequenceNumber(1)])
        #expect(again.map(\.message) == [MessageID("00000001-1")])
    }

    @Test("of a batch that the store refuses the alarms leave all the same")
    func ofABatchThatTheStoreRefusesTheAlarmsLeaveAllTheSame() {
        var bench = bench()
        let rows = bench.post([OutboxBench.event(.fault), OutboxBench.event(.alarm)])
        bench.pending = []
        bench.outbox.setAside(BatchID(1), isWhole: true)
        let entries = bench.sendAll()
        #expect(entries.map(\.message) == [rows[1].message])
        bench.outbox.received(rows[1].message, at: bench.now)
        bench.pass(2)
        #expect(bench.outbox.count == 0)
    }

    @Test("an urgent message in memory or in the store asks for a quick reconnection")
    func anUrgentMessageInMemoryOrInTheStoreAsksForAQuick() {
        var bench = bench()
        #expect(!bench.outbox.hasUrgentWaiting)
        bench.postAndCommit(.info)
        #expect(!bench.outbox.hasUrgentWaiting)
        bench.postAndCommit(.fault)
        #expect(bench.outbox.hasUrgentWaiting)
        bench.accept(bench.sendAll())
        #expect(!bench.outbox.hasUrgentWaiting)
    }

    @Test("what a channel did not take is offered again after the pause, and not before")
    func whatAChannelDidNotTakeIsOfferedAgainAfterThePause() {
        var bench = bench()
        bench.postAndCommit(.alarm)
        let first = bench.next()
        if let first { bench.outbox.notSent(first.message, until: bench.now.boot + .milliseconds(200)) }
        let early = bench.next()
        #expect(early == nil)
        #expect(bench.outbox.nextDeadline(after: bench.now) == bench.now.boot + .milliseconds(200))
        bench.pass(.milliseconds(200))
        let again = bench.next()
        #expect(again != nil && again?.message == first?.message)
    }

    // MARK: Expiry

    @Test("an info expires after an hour, an alarm after a week")
    func anInfoExpiresAfterAnHour() {
        var bench = bench()
        let info = bench.postAndCommit(.info)
        let alarm = bench.postAndCommit(.alarm)
        bench.pass(3599)
        #expect(bench.outbox.count == 2)
        bench.pass(1)
        bench.pass(1)
        #expect(bench.state(info.first?.message) == .expired)
        bench.pass(.hours(7 * 24) - .seconds(3602))
        #expect(bench.next()?.timeToLive == 1)
        bench.outbox.notSent(MessageID("00000001-2"))
        bench.pass(1)
        bench.pass(1)
        #expect(bench.state(alarm.first?.message) == .expired)
        #expect(bench.sendAll().isEmpty)
    }

    @Test("in the run that made it, a message ages by the boot clock, whatever the wall clock says")
    func inTheRunThatMadeIt() {
        var bench = bench()
        bench.postAndCommit(.info)
        bench.now.wall = WallTime(milliseconds: bench.now.wall.milliseconds + 86_400_000_000)
        bench.pass(10)
        #expect(bench.sendAll().count == 1)
    }

    @Test("after a restart a row expires by the wall clock, but only once that is trusted")
    func afterARestartARowExpiresByTheWallClock() {
        var bench = bench()
        let rows = bench.postAndCommit(.fault)
        bench.now.wall = WallTime(milliseconds: bench.now.wall.milliseconds + 8 * 86_400_000)
        bench.restart(boot: "00000002", trusted: false)
        bench.pass(10, trusted: false)
        #expect(bench.outbox.count == 1)
        #expect(bench.outbox.nextDeadline(after: bench.now) == nil)
        bench.pass(10)
        bench.pass(1)
        #expect(bench.state(rows.first?.message) == .expired)
    }

    @Test("a row written by a wrong clock does not expire when the clock is set right")
    func aRowWrittenByAWrongClockDoesNotExpireWhenTheClockIsSet() {
        var bench = bench()
        var event = OutboxBench.event(.alarm)
        event.isTimeTrusted = false
        bench.post([event])
        bench.commit()
        bench.now.wall = WallTime(milliseconds: bench.now.wall.milliseconds + 1000 * 86_400_000)
        bench.restart(boot: "00000002")
        #expect(bench.sendAll().count == 1)
    }

    @Test("absurd times in a damaged row are taken without harm")
    func absurdTimesInADamagedRowAreTakenWithoutHarm() {
        for time in [Int64.min, .max] {
            var bench = bench()
            bench.postAndCommit(.fault)
            bench.rows[0].message.expiresAt = WallTime(milliseconds: time)
            bench.restart(boot: "00000002")
            _ = bench.outbox.nextDeadline(after: bench.now)
            bench.pass(1)
            bench.sendAll()
        }
    }

    // MARK: Restart and memory

    @Test("after a restart the same messages leave with the same ids, and new ids are new")
    func afterARestartTheSameMessagesLeaveWithTheSameIds() {
        var bench = bench()
        for type in [EventType.info, .alarm, .fault] { bench.postAndCommit(type) }
        let before = bench.sendAll().map(\.message)
        bench.restart(boot: "00000002")
        #expect(bench.sendAll().map(\.message) == before)
        bench.postAndCommit(.alarm)
        #expect(bench.next()?.message == MessageID("00000002-1"))
    }

    @Test("what is finished but not yet written comes back from the store and is not sent again")
    func whatIsFinishedButNotYetWrittenComesBackFromTheStore() {
        var bench = bench()
        bench.postAndCommit(.fault)
        let entries = bench.sendAll()
        bench.pass(2)
        bench.outbox.update(OutboxBench.house(phones: 2), channels: [.ccs], at: bench.now)
        bench.ask()
        bench.accept(entries)
        bench.answer()
        #expect(bench.sendAll().isEmpty)
    }

    @Test("a message whose event is gone is given up")
    func aMessageWhoseEventIsGoneIsGivenUp() {
        var bench = OutboxBench()
        bench.outbox.update(OutboxBench.house(phones: 1), channels: [.ccs], at: bench.now)
        bench.ask()
        bench.outbox.arrived([], orphans: [MessageID("00000000-5")], hasMore: false, at: bench.now)
        let changes = bench.outbox.flush(into: BatchID(1), at: bench.now).map(\.change)
        #expect(changes.map(\.message) == [MessageID("00000000-5")])
        #expect(changes.first?.state == .dead)
        let notices = bench.outbox.takeNotices()
        #expect(notices == [.eventsLost(1)])
    }

    @Test("a message that memory holds does not need its event in the store")
    func aMessageThatMemoryHoldsDoesNotNeedItsEventInTheStore() {
        var bench = OutboxBench()
        bench.outbox.update(OutboxBench.house(phones: 1), channels: [.ccs], at: bench.now)
        let rows = bench.post([OutboxBench.event(.alarm)])
        bench.outbox.committed(upTo: BatchID(1)) { _, _ in SequenceNumber(1) }
        bench.ask()
        bench.outbox.arrived([], orphans: rows.map(\.message), hasMore: false, at: bench.now)
        let notices = bench.outbox.takeNotices()
        #expect(notices.isEmpty)
        let entry = bench.next()
        #expect(rows.count == 1 && entry?.message == rows.first?.message)
    }

    @Test("while reads fail for long, people are told once, and what is new does not wait for what the store holds")
    func whileReadsFailForLong() {
        var bench = OutboxBench()
        bench.outbox.update(OutboxBench.house(phones: 1), channels: [.ccs], at: bench.now)
        for second in 1...bench.outbox.policy.readTries {
            let before = bench.outbox.takeNotices()
            #expect(before.isEmpty)
            bench.post([OutboxBench.event(.fault)])
            bench.outbox.committed(upTo: BatchID(UInt64(second))) { _, _ in SequenceNumber(Int64(second)) }
            let entry = bench.next()
            #expect(entry == nil)
            bench.ask()
            #expect(bench.query != nil)
            bench.query = nil
            bench.outbox.readFailed(at: bench.now)
            bench.now = OutboxBench.moment(second)
        }
        var notices = bench.outbox.takeNotices()
        #expect(notices == [.storeUnreadable])
        bench.post([OutboxBench.event(.fault)])
        bench.outbox.committed(upTo: BatchID(6)) { _, _ in SequenceNumber(6) }
        let entry = bench.next()
        #expect(entry?.seq == SequenceNumber(6))
        bench.read()
        notices = bench.outbox.takeNotices()
        #expect(notices == [.storeReadable])
    }

    @Test("a failed read is ordered again a second later, and holds up no alarm")
    func aFailedReadIsOrderedAgainASecondLater() {
        var bench = OutboxBench()
        bench.outbox.update(OutboxBench.house(phones: 1), channels: [.ccs], at: bench.now)
        bench.ask()
        #expect(bench.query != nil)
        bench.post([OutboxBench.event(.alarm)])
        bench.outbox.committed(upTo: BatchID(1)) { _, _ in SequenceNumber(1) }
        #expect(bench.next() == nil)
        bench.outbox.readFailed(at: bench.now)
        #expect(bench.next()?.priority == .alarm)
        #expect(bench.outbox.takeQuery(at: bench.now) == nil)
        bench.now = OutboxBench.moment(1)
        #expect(bench.outbox.takeQuery(at: bench.now) != nil)
    }

    @Test("a read that does not answer holds up an alarm for 2 s at most")
    func aReadThatDoesNotAnswerHoldsUpAnAlarmFor2SAtMost() {
        var bench = OutboxBench()
        bench.outbox.update(OutboxBench.house(phones: 1), channels: [.ccs], at: bench.now)
        bench.ask()
        bench.post([OutboxBench.event(.alarm)])
        bench.outbox.committed(upTo: BatchID(1)) { _, _ in SequenceNumber(1) }
        #expect(bench.next() == nil)
        #expect(bench.outbox.nextDeadline(after: bench.now) == BootTime.zero + .seconds(2))
        bench.now = OutboxBench.moment(2)
        #expect(bench.next()?.priority == .alarm)
    }

    @Test(
        "2000 alarms in a burst to a silent phone and to a good one: memory is bounded, the good one gets all in order")
    func with2000AlarmsInABurstToASilentPhoneAndToAGoodOne() {
        var bench = bench(phones: 2)
        for _ in 0..<200 {
            bench.post((0..<10).map { _ in OutboxBench.event(.alarm) })
            bench.commit()
            bench.largest = max(bench.largest, bench.outbox.count)
        }
        var good: [Int64] = []
        var silent: [Int64] = []
        for _ in 0..<500 {
            for entry in bench.sendAll(100) {
                bench.outbox.accepted(entry.message, at: bench.now)
                if entry.address == AddressID(1) {
                    silent.append(entry.seq?.number ?? 0)
                } else {
                    good.append(entry.seq?.number ?? 0)
                    bench.outbox.received(entry.message, at: bench.now)
                }
            }
            bench.pass(.milliseconds(20))
        }
        let wanted = Array(Int64(1)...2000)
        #expect(good.count == 2000)
        #expect(silent.count == 2000)
        #expect(zip(good, wanted).first { $0 != $1 }.map { [$0, $1] } == nil)
        #expect(zip(silent, wanted).first { $0 != $1 }.map { [$0, $1] } == nil)
        #expect(bench.largest <= 1000)
    }
}
