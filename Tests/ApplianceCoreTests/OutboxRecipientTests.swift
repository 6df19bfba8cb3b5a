import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite("Outbox: who is told") struct OutboxRecipientTests {
    private func addresses(_ rows: [OutboxRow]) -> [Int64] { rows.map(\.address.number) }

    @Test("an alarm goes to every address, whatever its person receives")
    func anAlarmGoesToEveryAddress() {
        var bench = OutboxBench()
        var book = OutboxBench.house(phones: 2, legacy: 1)
        book.people[0].receives = []
        bench.open(book)
        #expect(addresses(bench.postAndCommit(.alarm)) == [1, 2, 100])
    }

    @Test("the other classes go to those who receive them")
    func theOtherClassesGoToThoseWhoReceiveThem() {
        var bench = OutboxBench()
        var book = OutboxBench.house(phones: 2)
        book.people[0].receives = [.fault]
        bench.open(book)
        #expect(addresses(bench.postAndCommit(.fault)) == [1, 2])
        #expect(addresses(bench.postAndCommit(.armed)) == [2])
    }

    @Test("an original app gets what HowAlarming pushes, by HowAlarming's type")
    func anOriginalAppGetsWhatHowAlarmingPushes() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 0, legacy: 1))
        let event = OutboxBench.event(.info, code: "605")
        #expect(addresses(bench.post([event], legacy: .alarm)) == [100])
        #expect(bench.post([event], legacy: .info).isEmpty)
        #expect(bench.post([event], legacy: .response).isEmpty)
    }

    @Test("a trouble that repeats another lives as long as one for the original apps, which alone are told of it")
    func aTroubleThatRepeatsAnotherLivesAsLongAsOne() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 0, legacy: 1))
        let repeated = OutboxBench.event(.fault, code: "840", flags: .repeats)
        #expect(bench.post([repeated], legacy: .fault).count == 1)
        let policy = OutboxPolicy()
        #expect(policy.lifetime(repeated) == policy.lifetime(OutboxBench.event(.fault, code: "800")))
    }

    @Test("mail without a list of its owner's goes by the event's own type; a written list keeps HowAlarming's")
    func mailWithoutAListOfItsOwnersGoesByTheEventsOwnType() {
        for (byOwnType, wanted) in [(true, [Int64]()), (false, [50])] {
            var bench = OutboxBench()
            var book = PhoneBook()
            book.house = [
                HouseAddress(
                    address: AddressID(50), kind: .mail, value: "a@b.test", triggers: [.fault],
                    goesByOwnType: byOwnType)
            ]
            bench.open(book, channels: [.mail])
            #expect(addresses(bench.post([OutboxBench.event(.info, code: "810")], legacy: .fault)) == wanted)
        }
    }

    @Test("an announced fault reaches all who take faults but the phone that is left out; a notice only phones")
    func anAnnouncedFaultReachesAllWhoTakeFaultsButThePhone() {
        var bench = OutboxBench()
        var book = OutboxBench.house(phones: 2, legacy: 1)
        book.people[1].receives = []
        book.contacts = [
            Contact(
                address: AddressID(40), person: PersonID(1), kind: .topic, name: "app", value: "h/t",
                commandsFrom: "h/c", allowed: [], pairedAt: OutboxBench.moment(0).wall, state: .inUse)
        ]
        book.house = [HouseAddress(address: AddressID(50), kind: .program, value: "p", triggers: [.fault, .info])]
        let channels: [ChannelKind] = [.ccs, .ntfy, .program]
        bench.open(book, channels: channels)
        func told(_ type: EventType, _ audience: OutboxAudience) -> [Int64] {
            addresses(bench.post([OutboxBench.event(type, code: "X")], healthy: channels, audience: audience))
        }
        #expect(told(.fault, .everybody(except: PhoneID(1))) == [2, 40, 50, 100])
        #expect(told(.fault, .only(PhoneID(1))) == [1])
        #expect(told(.info, .everybody(except: nil)) == [1, 2])
    }

    @Test("what a channel has it keeps when another takes its addresses over; given back, it leaves by the other")
    func whatAChannelHasItKeepsWhenAnotherTakesItsAddressesOver() throws {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1))
        func next(by channel: ChannelKind) -> OutboxEntry? {
            bench.outbox.next(at: bench.now, by: channel, room: TransportRoom(alarm: 10, other: 10))
        }
        for _ in 0..<3 { bench.postAndCommit(.alarm) }
        let first = bench.sendAll().map(\.message)
        try #require(first.count == 3)
        bench.outbox.update(bench.book, channels: [.fcm, .ccs], at: bench.now)
        let early = next(by: .fcm)
        #expect(early == nil)
        bench.outbox.returned([first[0]])
        bench.outbox.retry(first[1], why: "not now", at: bench.now)
        let given = next(by: .fcm)
        #expect(given?.message == first[0])
        if let given { bench.outbox.sent(given.message) }
        // The third is with its channel all the time, and the first now with the other one.
        bench.outbox.update(bench.book, channels: [.ccs], at: bench.now)
        let twice = next(by: .ccs)
        #expect(twice == nil)
        bench.outbox.returned([first[0], first[2]])
        bench.pass(5)
        let last = bench.sendAll().map(\.message)
        #expect(last == first)
    }

    @Test("what waits for an address whose channel is taken out of the configuration leaves when the channel is back")
    func whatWaitsForAnAddressWhoseChannelIsTakenOut() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1))
        let waiting = bench.postAndCommit(.alarm) + bench.postAndCommit(.alarm)
        let sent = bench.next()
        bench.outbox.update(bench.book, channels: [.ntfy], at: bench.now)
        bench.pass(10)
        bench.pass(.hours(2))
        #expect(bench.outbox.count == 0)
        #expect(waiting.allSatisfy { bench.state($0.message) == .waiting })
        #expect(addresses(bench.postAndCommit(.alarm)).isEmpty, "no way to it is known")
        bench.open(bench.book)
        #expect(bench.sendAll().map(\.message) == waiting.map(\.message))
        #expect(sent?.message == waiting.first?.message)
    }

    @Test("so does an alarm that the store refused, which no row stands for")
    func soDoesAnAlarmThatTheStoreRefused() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1))
        let rows = bench.post([OutboxBench.event(.alarm)])
        bench.outbox.setAside(BatchID(1), isWhole: true)
        bench.outbox.update(bench.book, channels: [.ntfy], at: bench.now)
        bench.pass(.hours(1))
        #expect(bench.outbox.count == 0)
        bench.open(bench.book)
        #expect(bench.sendAll().map(\.message) == rows.map(\.message))
    }

    @Test("what waits for a phone without a channel is given up when the phone is revoked")
    func whatWaitsForAPhoneWithoutAChannelIsGivenUpWhenThePhone() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 2))
        let rows = bench.postAndCommit(.alarm)
        bench.outbox.update(bench.book, channels: [.ntfy], at: bench.now)
        bench.pass(10)
        bench.outbox.update(OutboxBench.house(phones: 1), channels: [.ntfy], at: bench.now)
        bench.pass(10)
        bench.pass(10)
        #expect(rows.map { bench.state($0.message) } == [.waiting, .dead])
        #expect(bench.detail(rows.last?.message) == "the phone's address was removed")
    }

    @Test("so does what was not stored yet when the channel went, also if it is stored after the channel is back")
    func soDoesWhatWasNotStoredYetWhenTheChannelWent() {
        for isBackFirst in [true, false] {
            var bench = OutboxBench()
            bench.open(OutboxBench.house(phones: 1))
            let rows = bench.post([OutboxBench.event(.alarm)])
            bench.outbox.update(bench.book, channels: [.ntfy], at: bench.now)
            if isBackFirst { bench.open(bench.book) }
            bench.commit()
            if !isBackFirst { bench.open(bench.book) }
            #expect(bench.sendAll().map(\.message) == rows.map(\.message), "back first: \(isBackFirst)")
        }
    }

    @Test("duress goes to its contacts only, and never to an original app")
    func duressGoesToItsContactsOnly() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 3, legacy: 1, duressContacts: [2]))
        #expect(addresses(bench.postAndCommit(.alarm, flags: .duress)) == [2])
        let entry = bench.next()
        #expect(entry?.address == AddressID(2))
        #expect(entry?.seq == nil)
        #expect(bench.outbox.reports.allSatisfy { $0.waiting == 0 })
    }

    @Test("duress is silenced by its mark alone, not by 'all alarms seen'")
    func duressIsSilencedByItsMarkAlone() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1, duressContacts: [1]))
        var event = OutboxBench.event(.alarm, flags: .duress)
        event.unstored = UnstoredMark(boot: "00000001", counter: 1)
        bench.post([event])
        bench.commit()
        bench.accept(bench.sendAll())
        bench.outbox.seen(.alarms(upTo: SequenceNumber(1000)), at: bench.now)
        bench.pass(31)
        #expect(bench.sendAll().count == 1)
        bench.outbox.seen(.mark(UnstoredMark(boot: "00000001", counter: 1)), at: bench.now)
        bench.pass(300)
        #expect(bench.sendAll().isEmpty)
    }

    @Test("an overdue duress alarm is told to nobody in the house")
    func anOverdueDuressAlarmIsToldToNobodyInTheHouse() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1, duressContacts: [1]))
        bench.postAndCommit(.alarm, flags: .duress)
        bench.accept(bench.sendAll())
        bench.pass(31)
        #expect(bench.outbox.takeNotices().isEmpty)
        #expect(bench.outbox.reports.first?.overdue == 0)
        #expect(bench.outbox.reports.first?.lastAccepted == nil)
    }

    @Test("maintenance notifies nobody, not even of alarms")
    func maintenanceNotifiesNobody() {
        var bench = OutboxBench()
        bench.open(OutboxBench.house(phones: 1, legacy: 1, duressContacts: [1]))
        #expect(bench.postAndCommit(.alarm, flags: .maintenance).isEmpty)
        #expect(bench.postAndCommit(.fault, flags: .maintenance).isEmpty)
    }

    @Test("an address about to retire gets alarms only; a candidate, a lost one and an unknown kind get nothing")
    func anAddressAboutToRetireGetsAlarmsOnly() {
        var bench = OutboxBench()
        var book = OutboxBench.house(phones: 1)
        let until = OutboxBench.moment(86_400).wall
        book.phones[0].addresses = [
            PhoneAddress(id: AddressID(1), kind: .fcmToken, value: "a"),
            PhoneAddress(id: AddressID(2), kind: .fcmToken, value: "b", state: .retiring(until: until)),
            PhoneAddress(id: AddressID(3), kind: .fcmToken, value: "c", state: .candidate),
            PhoneAddress(id: AddressID(4), kind: .fcmToken, value: "d", state: .gone(why: "x")),
            PhoneAddress(id: AddressID(5), kind: .mqtt, value: "e"),
        ]
        bench.open(book)
        #expect(addresses(bench.postAndCommit(.alarm)) == [1, 2])
        #expect(addresses(bench.postAndCommit(.fault)) == [1])
        bench.pass(86_401)
        #expect(addresses(bench.postAndCommit(.alarm)) == [1])
    }
}
