import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Testing

@Suite("A receiver hears of the house")
struct ReceiverTests {
    private static func configuration(duress: Bool) -> Configuration {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [
            .receiver(ReceiverSettings(host: "192.0.2.12", port: ReceiverServer.port, account: "1234"))
        ]
        configuration.phones.house = [
            .init(
                kind: .receiver, value: "1234", triggers: [.armed, .disarmed, .alarm, .recovery, .fault],
                goesByOwnType: true, isDuressContact: duress ? true : nil)
        ]
        return configuration
    }

    private static func bench(duress: Bool = false) -> Bench {
        var bench = Bench.up(configuration(duress: duress))
        bench.advance(.seconds(10))
        return bench
    }

    @Test("alarm, its end, arming and troubles in their codes; what is no news for a station is not told")
    func alarmArmingAndTroublesInTheirCodes() {
        var bench = Self.bench()
        bench.panel("6561", "65210", "6571", "6011003")
        bench.advance(.seconds(1))
        bench.panel("6551", "6021003")
        bench.advance(.seconds(1))
        bench.panel("802", "800", "803", "801")
        bench.advance(.seconds(5))
        #expect(
            bench.receiver.reports.map { String($0.dropFirst(5)) }.sorted() == [
                "1130 01 003", "1301 00 000", "1302 00 000", "1401 01 000", "3130 01 003", "3301 00 000",
                "3302 00 000", "3401 01 000",
            ])
        let numbers = bench.receiver.reports.compactMap { Int($0.prefix(4)) }
        #expect(numbers == Array(1...8))
    }

    @Test("it is polled every half minute, and a test alarm is a test and no alarm there")
    func itIsPolledEveryHalfMinute() {
        var bench = Self.bench()
        let before = bench.receiver.polls
        bench.advance(.minutes(10))
        #expect((19...20).contains(bench.receiver.polls - before))
        #expect(bench.receiver.reports.isEmpty)
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.seconds(5))
        #expect(bench.receiver.reports == ["0001 1602 00 000"])
    }

    @Test("nothing is lost while it is away, it comes in order and once, and the loss is told")
    func nothingIsLostWhileItIsAway() throws {
        var bench = Self.bench()
        let end = bench.receiver.leave()
        bench.feed(try #require(end))
        bench.advance(.seconds(1))
        bench.panel("65210")
        bench.advance(.minutes(2))
        #expect(bench.events(.pushOffline).count == 1)
        bench.panel("6551")
        bench.advance(.minutes(1))
        bench.receiver.isAway = false
        bench.advance(.minutes(2))
        #expect(bench.receiver.reports == ["0001 3401 01 000", "0002 1401 01 000"])
        #expect(bench.events(.pushOnline).count == 1)
    }

    @Test("after a restart the numbers go on, and what was not confirmed comes again under its own")
    func afterARestartTheNumbersGoOn() {
        var bench = Self.bench()
        bench.panel("65210")
        bench.advance(.seconds(1))
        bench.panel("6551")
        bench.advance(.seconds(1))
        bench.receiver.isSilent = true
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.receiver.reports == ["0001 3401 01 000", "0002 1401 01 000", "0003 1130 01 003"])
        var next = bench.restarted()
        next.receiver.isSilent = false
        next.logIn()
        next.advance(.seconds(20))
        #expect(next.receiver.reports.dropFirst(3).first == "0003 1130 01 003")
        next.panel("65210")
        next.advance(.seconds(5))
        #expect(next.receiver.reports.last?.dropFirst(5) == "3401 01 000", "\(next.receiver.reports)")
        let numbers = next.receiver.reports.dropFirst(3).compactMap { Int($0.prefix(4)) }
        #expect(numbers == Array(3..<(3 + numbers.count)))
    }

    @Test(
        "duress is told where the receiver is marked for it, and nothing that tells of it anywhere else",
        arguments: [true, false])
    func duressIsToldWhereTheReceiverIsMarked(_ isMarked: Bool) {
        var bench = Self.bench(duress: isMarked)
        bench.panel("65210")
        bench.advance(.seconds(1))
        bench.panel("6200000", "6551")
        bench.advance(.seconds(5))
        let told = bench.receiver.reports.map { String($0.dropFirst(5)) }
        #expect(told.contains("1121 00 000") == isMarked)
        #expect(told.filter { $0 != "1121 00 000" } == ["3401 01 000", "1401 01 000"])
        #expect(isMarked || bench.receiver.reports.map { String($0.prefix(4)) } == ["0001", "0002"])
    }

    @Test("every event that a receiver is told has a code whatever the names, and zones have that of what they watch")
    func everyEventHasACode() {
        let names = SiteNames(zones: [
            SiteNames.Zone(number: 1, name: "Hall", partition: 1, isFire: true),
            SiteNames.Zone(number: 2, name: "Cellar", partition: 1, deviceClass: "moisture"),
        ])
        func text(_ code: String, _ type: EventType, zone: Int? = nil, user: Int? = nil, flags: EventFlags = [])
            -> String?
        {
            var event = Event(
                type: type, code: code, raw: code, message: "", time: WallTime(milliseconds: 0), isTimeTrusted: true,
                partition: 2, zone: zone, user: user, flags: flags)
            event.partitionName = nil
            return event.contactID(names, partitions: [])?.text
        }
        #expect(text("601", .alarm, zone: 1) == "1110 02 001" && text("602", .recovery, zone: 1) == "3110 02 001")
        #expect(text("601", .alarm, zone: 2) == "1154 02 002" && text("602", .recovery, zone: 7) == "3130 02 007")
        #expect(text("603", .alarm, zone: 7) == "1144 02 007" && text("604", .recovery, zone: 7) == "3144 02 007")
        #expect(text("829", .alarm) == "1137 02 000" && text("830", .recovery) == "3137 02 000")
        #expect(text("621", .alarm) == "1110 02 000" && text("622", .recovery) == "3110 02 000")
        #expect(text("623", .alarm) == "1100 02 000" && text("624", .recovery) == "3100 02 000")
        #expect(text("625", .alarm) == "1120 02 000" && text("626", .recovery) == "3120 02 000")
        #expect(text("655", .disarmed, user: 40) == "1401 02 040" && text("652", .armed, user: 40) == "3401 02 040")
        #expect(text("655", .disarmed, flags: [.endsAlarm]) == "1401 02 000" && text("656", .armed) == nil)
        #expect(text("620", .alarm, flags: [.duress]) == "1121 02 000")
        #expect(text(EventCode.linkLost.rawValue, .fault) == "1350 02 000")
        #expect(text(EventCode.linkRestored.rawValue, .recovery) == "3350 02 000")
        #expect(text(EventCode.pushOffline.rawValue, .fault) == nil && text("609", .info, zone: 1) == nil)
    }
}
