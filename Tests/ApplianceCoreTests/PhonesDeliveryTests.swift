import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// From the panel's line to the phone (docs/ARCHITECTURE.md 1.1, 2 and 8; docs/push.md A.9 to A.16).
@Suite("Events on their way to phones")
struct PhonesDeliveryTests {
    static func alarms(_ bench: Bench, _ phone: TestPhone) -> [PushServer.Push] {
        bench.push.server.pushes.filter { push in
            guard let bytes = push.bytes, let message = try? phone.channel.open(bytes, TestPhone.crypto) else {
                return false
            }
            return message.kind == .event && message.content["type"]?.stringValue == "alarm"
        }
    }

    @Test("a person with two phones gets each alarm on both; what one has confirmed is repeated to the other alone")
    func aPersonWithTwoPhonesGetsEachAlarmOnBoth() throws {
        var (bench, pixel) = try Bench.paired()
        let tablet = try bench.pair("Tablet", token: "token-of-tablet")
        bench.advance(.minutes(2))
        for zone in 1...3 {
            bench.panel("601100\(zone)")
            bench.advance(.seconds(1))
        }
        let numbers = bench.stored.filter { $0.event.code == "601" }.map { "\($0.seq.number)" }
        #expect(numbers.count == 3)
        for phone in [pixel, tablet] {
            let told = bench.eventsHeard(phone).filter { $0["type"]?.stringValue == "alarm" }
            #expect(told.compactMap { $0["seq"]?.stringValue } == numbers)
            #expect(Self.alarms(bench, phone).allSatisfy { $0.to == phone.token && $0.wasStored })
        }
        let rows = bench.push.messages.filter { $0.event.code == "601" }
        #expect(rows.count == 6 && Set(rows.map(\.address)).count == 2)
        bench.request(pixel, "got", ["log": "00000000", "seq": numbers.joined(separator: ",")])
        bench.advance(.seconds(32))
        #expect(Self.alarms(bench, pixel).count == 3 && Self.alarms(bench, tablet).count == 6)
    }

    @Test("nothing goes out before it is on the disk; then it carries its number")
    func nothingGoesOutBeforeItIsOnTheDisk() throws {
        var (bench, phone) = try Bench.paired()
        bench.disk = .silent
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(Self.alarms(bench, phone).isEmpty)
        bench.disk = .answers
        bench.answerDisk()
        bench.feed(.timer(.clock))
        #expect(Self.alarms(bench, phone).map(\.wasStored) == [true])
        let event = try #require(bench.eventsHeard(phone).last)
        #expect(event["seq"]?.stringValue == "\(bench.lastSequence.number)")
        #expect(event["st"]?.stringValue?.contains("al=1") == true)
    }

    @Test("messages that cannot be read in the store are told once, and what is new reaches the phone all the same")
    func messagesThatCannotBeReadInTheStoreAreToldOnce() throws {
        var (bench, phone) = try Bench.paired()
        bench.failsMessages = true
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(30))
        #expect(bench.events(.storeFailed).count == 1)
        let codes = bench.eventsHeard(phone).compactMap { $0["code"]?.stringValue }
        #expect(codes.contains("STORE_FAILED"))
        bench.failsMessages = false
        bench.advance(.seconds(10))
        #expect(bench.events(.storeRestored).count == 1)
    }

    @Test("when the store fails the alarm leaves with its mark and no number, and nothing else leaves")
    func whenTheStoreFailsTheAlarmLeavesWithItsMarkAndNoNumber() throws {
        var (bench, phone) = try Bench.paired()
        bench.disk = .fails(Bench.broken)
        let mark = bench.push.server.pushes.count
        bench.panel("609003", "6011003")
        bench.advance(.seconds(1))
        let told = bench.eventsHeard(phone, since: mark)
        #expect(told.map { $0["type"]?.stringValue } == ["alarm"])
        let unstored = try #require(told.first)
        #expect(unstored["seq"] == nil)
        let u = try #require(unstored["u"]?.stringValue)
        bench.disk = .answers
        bench.advance(.minutes(1))
        #expect(bench.stored.last { $0.event.code == "601" }?.event.unstored?.text == u)
        bench.request(phone, "got", ["u": u])
        bench.advance(.seconds(5))
        #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .received)
    }

    @Test("a disk that is silent for two seconds does not hold an alarm back")
    func aDiskThatIsSilentForTwoSecondsDoesNotHoldAnAlarmBack() throws {
        var (bench, phone) = try Bench.paired()
        bench.disk = .silent
        bench.panel("6011003")
        bench.advance(.milliseconds(2100))
        #expect(Self.alarms(bench, phone).count == 1)
    }

    @Test("an alarm without receipt is repeated after 30 s with the same id, marked and told; a receipt ends that")
    func anAlarmWithoutReceiptIsRepeatedAfter30SWithTheSameId() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6011003")
        #expect(Self.alarms(bench, phone).count == 1)
        bench.advance(.seconds(29))
        #expect(Self.alarms(bench, phone).count == 1)
        bench.advance(.seconds(2))
        let sent = Self.alarms(bench, phone)
        #expect(sent.count == 2 && Set(sent.map(\.id)).count == 1)
        #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .overdue)
        #expect(try bench.status()?.phones?.overdue == 1)
        #expect(bench.events(.pushRefused).count == 1)
        bench.advance(.minutes(3))
        #expect(Self.alarms(bench, phone).count == 3)
        for input in bench.push.server.receipt(of: sent[0].id, token: phone.token) { bench.feed(input) }
        bench.advance(.hours(1))
        #expect(Self.alarms(bench, phone).count == 3)
        #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .received)
        #expect(bench.events(.pushRefused).count == 1)
    }

    @Test("the phone's own word ends the repeats as well")
    func thePhonesOwnWordEndsTheRepeatsAsWell() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6011003")
        let seq = try #require(bench.eventsHeard(phone).last?["seq"]?.stringValue)
        bench.request(phone, "got", ["log": "00000001", "seq": seq])
        bench.advance(.seconds(31))
        #expect(Self.alarms(bench, phone).count == 2, "a receipt for another journal is none for this one")
        bench.request(phone, "got", ["log": "00000000", "seq": seq])
        bench.advance(.hours(1))
        #expect(Self.alarms(bench, phone).count == 2)
    }

    @Test("one receipt may name many alarms, and a ping confirms all up to its position")
    func oneReceiptMayNameManyAlarms() throws {
        var (bench, phone) = try Bench.paired()
        for zone in 1...6 { bench.panel("601100\(zone)") }
        let alarms = bench.stored.filter { $0.event.code == "601" }.map(\.seq.number)
        #expect(alarms.count == 6)
        func open() -> Int { bench.push.messages.count { $0.event.code == "601" && !$0.state.isFinal } }
        bench.request(phone, "got", ["log": "00000000", "seq": "\(alarms[4]),x,,\(alarms[1]),99999999999999999999"])
        bench.advance(.seconds(2))
        #expect(open() == 4)
        bench.request(phone, "ping", ["log": "00000000", "seq": "\(alarms[3])"])
        bench.advance(.seconds(2))
        #expect(open() == 1)
        bench.request(phone, "ping", ["log": "00000000", "seq": "\(alarms[5])"])
        bench.advance(.hours(1))
        #expect(open() == 0)
    }

    @Test(
        "seen at the box ends everybody's repeats, seen by a phone those of its person, and the others are told",
        arguments: [false, true])
    func seenByAPhoneOrAtTheBox(_ atBox: Bool) throws {
        var (bench, anna) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        let tablet = try bench.pair("Tablet", person: "Anna", token: "token-of-tablet")
        bench.advance(.minutes(2))
        bench.panel("6011003")
        bench.advance(.seconds(31))
        #expect(Self.alarms(bench, ben).count == 2)
        let mark = bench.push.server.pushes.count
        if atBox {
            bench.ask(.phones(.seen), as: 77)
        } else {
            let seq = "\(bench.lastSequence.number)"
            try bench.command(&anna, "seen", ["log": "00000000", "seq": seq])
            #expect(bench.lastWord(anna) == "ok")
        }
        bench.advance(.hours(1))
        #expect(Self.alarms(bench, anna).count == 2 && Self.alarms(bench, tablet).count == 2)
        #expect((Self.alarms(bench, ben).count == 2) == atBox)
        let told = bench.eventsHeard(ben, since: mark).compactMap { $0["message"]?.stringValue }
        #expect(told.count { $0.contains("has seen the alarm") } == 1)
    }

    @Test("what was seen silences no alarm that came after it; that of another log silences none")
    func whatWasSeenSilencesNoAlarmThatCameAfterIt() throws {
        var (bench, anna) = try Bench.paired()
        bench.advance(.minutes(2))
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let first = "\(bench.lastSequence.number)"
        bench.panel("6011004")
        bench.advance(.seconds(1))
        #expect(Self.alarms(bench, anna).count == 2)
        try bench.command(&anna, "seen", ["log": "00000001", "seq": first])
        #expect(bench.lastWord(anna) == "denied request")
        try bench.command(&anna, "seen", ["log": "00000000", "seq": first])
        #expect(bench.lastWord(anna) == "ok")
        let mark = bench.push.server.pushes.count
        bench.advance(.seconds(40))
        let repeats = bench.eventsHeard(anna, since: mark).filter { $0["code"]?.stringValue == "601" }
        #expect(!repeats.isEmpty && repeats.allSatisfy { $0["raw"]?.stringValue == "6011004" })
        #expect(bench.push.messages.filter { $0.event.code == "601" && $0.state == .seen }.count == 1)
    }

    @Test("an alarm that only the disk held when it was seen is not repeated after a restart")
    func anAlarmThatOnlyTheDiskHeldWhenItWasSeenIsNotRepeated() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6011003")
        bench.advance(.seconds(31))
        bench.ask(.phones(.seen), as: 77)
        bench.advance(.seconds(5))
        let alarm = try #require(bench.stored.last { $0.event.code == "601" })
        let seen = try #require(bench.snapshot?.seenUpTo)
        #expect(seen >= alarm.seq)
        bench.push.leave(.overdue, of: "601")
        bench = bench.restarted()
        bench.logIn()
        let before = Self.alarms(bench, phone).count
        bench.advance(.minutes(1))
        #expect(Self.alarms(bench, phone).count == before)
        #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .seen)
        bench.panel("6011004")
        #expect(Self.alarms(bench, phone).count == before + 1)
    }

    @Test("an end of the stream in the middle loses nothing: the same id leaves on the next connection")
    func anEndOfTheStreamInTheMiddleLosesNothing() throws {
        for gracefully in [true, false] {
            var (bench, phone) = try Bench.paired()
            bench.push.server.answer = .silence
            bench.panel("6011003")
            #expect(Self.alarms(bench, phone).count == 1)
            bench.push.server.answer = .ack
            for input in bench.push.server.end(gracefully: gracefully) { bench.feed(input) }
            bench.advance(.seconds(10))
            let sent = Self.alarms(bench, phone)
            #expect(sent.count == 2 && sent[0].id == sent[1].id && sent[0].connection != sent[1].connection)
        }
    }

    @Test("after an hour without the service an alarm is on the wire within 10 s of its return")
    func afterAnHourWithoutTheServiceAnAlarmIsOnTheWireWithin10S() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.isUp = false
        for input in bench.push.server.end(gracefully: false) { bench.feed(input) }
        bench.advance(.minutes(59))
        #expect(bench.events(.pushOffline).count == 1)
        bench.panel("6011003")
        bench.advance(.minutes(1))
        bench.push.server.isUp = true
        let back = bench.now.boot
        bench.advance(.seconds(30))
        let sent = try #require(Self.alarms(bench, phone).first)
        #expect(sent.at.boot - back <= .seconds(10))
        #expect(bench.events(.pushOnline).count == 1)
    }

    @Test("two thousand alarms at once are all accepted, in their order")
    func twoThousandAlarmsAtOnceAreAllAccepted() throws {
        var (bench, phone) = try Bench.paired()
        for number in 0..<2000 {
            bench.panel("601100\(1 + number % 8)", "602100\(1 + number % 8)")
            if number % 10 == 0 { bench.advance(.milliseconds(10)) }
        }
        bench.advance(.seconds(20))
        let rows = bench.stored.filter { $0.event.type == .alarm && $0.event.code == "601" }.map(\.seq.number)
        #expect(rows.count == 2000)
        let numbers = bench.eventsHeard(phone).filter { $0["code"]?.stringValue == "601" && $0["rp"] == nil }
            .compactMap { $0["seq"]?.stringValue.flatMap { Int64($0) } }
        var first: [Int64] = []
        for number in numbers where first.last.map({ $0 < number }) ?? true { first.append(number) }
        #expect(first == rows)
    }

    @Test("on the wire there are three sizes, one fixed text, and nothing that a paired phone reads in clear")
    func onTheWireThereAreThreeSizes() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6011003", "6561", "65210", "609003", "8411", "6551", "7501" + "0040")
        bench.advance(.minutes(5))
        let pushes = bench.push.server.pushes.filter { $0.to == phone.token }
        let sizes = Set(pushes.compactMap { $0.bytes }.filter { $0.starts(with: [2, 0x20]) }.map(\.count))
        #expect(sizes.isSubset(of: [256, 512, 1024]))
        for push in pushes {
            guard case .object(let members) = push.data else {
                Issue.record("no data: \(push.json.text)")
                continue
            }
            #expect(members.map(\.key) == ["v", "e"])
            let notice = push.json["notification"]
            #expect(notice == nil || notice?["body"]?.stringValue == "new message")
            #expect(!push.json.text.contains("Kitchen"))
        }
        #expect(pushes.count > 5)
    }

    @Test("a test notice goes to the one that was named, or to all")
    func aTestNoticeGoesToTheOneThatWasNamed() throws {
        var (bench, anna) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.minutes(1))
        var mark = bench.push.server.pushes.count
        bench.ask(.phones(.test(phone: "iPhone")), as: 70)
        bench.advance(.seconds(5))
        #expect(bench.eventsHeard(ben, since: mark).map { $0["code"]?.stringValue } == ["TEST"])
        #expect(bench.eventsHeard(anna, since: mark).isEmpty)
        mark = bench.push.server.pushes.count
        bench.ask(.phones(.test(phone: nil)), as: 71)
        bench.advance(.seconds(5))
        #expect(bench.eventsHeard(anna, since: mark).count == 1 && bench.eventsHeard(ben, since: mark).count == 1)
    }
}
