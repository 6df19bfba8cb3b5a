import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@testable import ApplianceCore

@Suite("The schedule that arms: warned, declined, armed, and told where it did not")
struct ScheduleTests {
    private static let schedule = ReminderSettings(
        autoArm: .init(at: ReminderSettings.daily(23, 30), mode: .stay, warning: .minutes(10)))

    /// At the warning.
    private static func warned(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var bench = Bench.reminding(schedule, change)
        bench.advance(to: 23, 20)
        bench.forget()
        return bench
    }

    private static let arming = "0311"

    @Test("people are warned ten minutes before; then it arms, by a command that is stored, and says who it was")
    func itArms() throws {
        var bench = Self.warned()
        #expect(
            bench.messages(.scheduleSoon) == [
                "Partition 1 Ground floor is not armed; unless somebody declines, the schedule arms it (stay) at 23:30"
            ])
        bench.advance(.minutes(10) - .seconds(2))
        #expect(!bench.sent.contains(Self.arming))
        bench.advance(.seconds(2))
        #expect(bench.sent.filter { $0 == Self.arming }.count == 1)
        bench.panel("65211")
        bench.advance(.seconds(1))
        #expect(bench.hasEvent(", by the schedule"))
        #expect(bench.ledger.last?.origin == "schedule" && bench.ledger.last?.outcome == .done)
        #expect(bench.told(.scheduleFailed) == 0)
        bench.advance(.hours(23))
        #expect(bench.told(.scheduleSoon) == 1)
    }

    @Test(
        "the status shows what is about to be armed and when, until it is armed or declined", arguments: [true, false])
    func theStatusShowsWhatIsAboutToBeArmed(isDeclined: Bool) throws {
        var bench = Bench.reminding(Self.schedule)
        #expect(try bench.status()?.schedule == nil)
        bench.advance(to: 23, 20)
        let armings = try #require(try bench.status()?.schedule)
        #expect(armings.map(\.partition) == [1])
        let time = armings.first.map { bench.configuration.panel.timeZone.civilTime(at: $0.at).time }
        #expect(time?.prefix(5) == "23:30")
        if isDeclined { bench.ask(.command(.disarm(partition: 1), code: nil), as: 3) } else { bench.panel("65211") }
        bench.advance(.seconds(1))
        #expect(try bench.status()?.schedule == nil)
    }

    @Test("a house that is armed before is left alone, also when it was disarmed again")
    func aHouseThatIsArmedBeforeIsLeftAlone() {
        var bench = Self.warned()
        bench.panel("65210")
        bench.advance(.minutes(2))
        bench.panel("6551")
        bench.advance(.minutes(30))
        #expect(!bench.sent.contains(Self.arming))
        #expect(bench.told(.scheduleFailed) == 0)
        bench = Bench.reminding(Self.schedule)
        bench.panel("65210")
        bench.advance(.hours(24))
        #expect(bench.told(.scheduleSoon) == 0)
    }

    @Test(
        "a house that is armed at the warning and disarmed before the time is warned then, and armed ten minutes later")
    func aHouseThatIsDisarmedBetweenWarningAndTimeIsWarnedThen() {
        var bench = Bench.reminding(Self.schedule)
        bench.panel("65210")
        bench.advance(to: 23, 20)
        #expect(bench.told(.scheduleSoon) == 0)
        bench.advance(.minutes(5))
        bench.panel("6551")
        bench.advance(.seconds(1))
        #expect(
            bench.messages(.scheduleSoon) == [
                "Partition 1 Ground floor is not armed; unless somebody declines, the schedule arms it (stay) at 23:35"
            ])
        bench.advance(.minutes(9))
        #expect(!bench.sent.contains(Self.arming))
        bench.advance(.minutes(1))
        #expect(bench.sent.filter { $0 == Self.arming }.count == 1)
        bench.panel("65211")
        bench.advance(.hours(12))
        #expect(bench.told(.scheduleSoon) == 1 && bench.told(.scheduleFailed) == 0)
    }

    @Test("that a house was armed at the warning outlasts a restart; disarmed after the time it is left alone")
    func thatAHouseWasArmedAtTheWarningOutlastsARestart() {
        var bench = Bench.reminding(Self.schedule)
        bench.panel("65210")
        bench.advance(to: 23, 20)
        bench.advance(.minutes(1))
        var next = bench.off(for: .seconds(30))
        next.panel("65210")
        next.advance(.minutes(1))
        next.panel("6551")
        next.advance(.seconds(5))
        #expect(next.told(.scheduleSoon) == 1)
        bench.advance(.minutes(15))
        bench.panel("6551")
        bench.advance(.hours(2))
        #expect(bench.told(.scheduleSoon) == 0 && !bench.sent.contains(Self.arming))
    }

    @Test("somebody at the box declines by disarming: nothing goes to the panel, and the next day it arms again")
    func somebodyAtTheBoxDeclines() {
        var bench = Self.warned()
        bench.ask(.command(.disarm(partition: 1), code: nil), as: 3)
        bench.advance(.minutes(30))
        #expect(bench.answers(3) == [.outcome(.done, stored: true)])
        #expect(!bench.sent.contains { $0.hasPrefix("040") || $0 == Self.arming })
        #expect(bench.messages(.scheduleDeclined).map { $0.hasSuffix("declined by somebody at the box") } == [true])
        bench.advance(to: 23, 30)
        #expect(bench.sent.filter { $0 == Self.arming }.count == 1)
    }

    @Test("a paired phone declines by a signed disarming if it may disarm, and else not", arguments: [true, false])
    func aPairedPhoneDeclines(mayDisarm: Bool) throws {
        var bench = Bench.reminding(Self.schedule)
        var phone = try bench.pair(roles: mayDisarm ? [.view, .arm, .disarm] : [.view, .arm])
        bench.advance(to: 23, 20)
        bench.forget()
        try bench.command(&phone, "disarm", ["p": "1"])
        bench.advance(.minutes(11))
        #expect(bench.told(.scheduleDeclined) == (mayDisarm ? 1 : 0))
        #expect(bench.sent.contains(Self.arming) == !mayDisarm)
        if mayDisarm { #expect(bench.messages(.scheduleDeclined).first?.hasSuffix("by Anna (Pixel)") == true) }
    }

    @Test("a topic's button declines only where the topic may disarm at a server of the owner's own")
    func aTopicsButtonDeclinesOnlyWhereItMayDisarm() throws {
        for (allowed, isTrusted) in [([ContactVerb.arm, .disarm], true), ([.arm, .disarm], false), ([.arm], true)] {
            var bench = Bench.reminding(Self.schedule) { $0.phones.isTopicServerTrusted = true }
            let paired = bench.pairStoreApp(allow: allowed, tellsArming: true)
            let contact = try #require(paired)
            var configuration = bench.configuration
            configuration.phones.isTopicServerTrusted = isTrusted
            bench.feed(.reload(.configuration(configuration)))
            bench.advance(to: 23, 20)
            let notice = try #require(bench.topics.published.last)
            #expect(notice.title == "Mill: About to arm, Ground floor")
            let button = notice.buttons.first { $0.label == "Not tonight" }
            #expect((button != nil) == (allowed.contains(.disarm) && isTrusted))
            if let button { bench.post(button.body, to: contact) }
            bench.forget()
            bench.advance(.minutes(11))
            #expect(bench.told(.scheduleDeclined) == (button == nil ? 0 : 1))
            #expect(bench.sent.contains(Self.arming) == (button == nil))
        }
    }

    @Test("what keeps it from arming is told as a fault: an open zone, and a panel that is away")
    func whatKeepsItFromArmingIsTold() throws {
        var bench = Self.warned()
        bench.panel("609003", "6511")
        bench.advance(.minutes(11))
        let event = try #require(bench.events(.scheduleFailed).first)
        #expect(event.type == .fault && event.partition == 1)
        #expect(event.message.hasPrefix("Partition 1 Ground floor was NOT armed by the schedule: refused: not ready"))
        #expect(event.message.contains("Kitchen window"))
        bench = Self.warned()
        bench.listens = false
        bench.feed(.closed(try #require(bench.connection), .reset))
        bench.advance(.minutes(12))
        #expect(bench.told(.scheduleFailed) == 1)
    }

    @Test("a restart between warning and arming arms once; a long one warns anew, and a night off is told")
    func aRestartBetweenWarningAndArming() {
        let bench = Self.warned()
        var next = bench.off(for: .minutes(1))
        next.advance(.minutes(12))
        #expect(next.told(.scheduleSoon) == 1)
        #expect(next.sent.filter { $0 == Self.arming }.count == 1)
        next = bench.off(for: .minutes(40))
        next.advance(.minutes(9))
        #expect(next.told(.scheduleSoon) == 2)
        #expect(!next.sent.contains(Self.arming))
        next.advance(.minutes(2))
        #expect(next.sent.filter { $0 == Self.arming }.count == 1)
        next = bench.off(for: .hours(8))
        next.advance(.minutes(20))
        #expect(next.told(.scheduleFailed) == 1)
        #expect(!next.sent.contains(Self.arming))
    }

    @Test("declined stays declined after a restart")
    func declinedStaysDeclined() {
        var bench = Self.warned()
        bench.ask(.command(.disarm(partition: 1), code: nil), as: 3)
        var next = bench.off(for: .minutes(1))
        next.advance(.minutes(30))
        #expect(!next.sent.contains(Self.arming))
        #expect(next.told(.scheduleFailed) == 0)
    }

    @Test("nothing is warned of or armed on a day of vacation; a schedule that is taken out in its warning is told")
    func nothingIsArmedOnADayOfVacation() {
        var settings = Self.schedule
        let today = CalendarDay(TimeZoneRules.utc.civilTime(at: Bench.start.wall))
        settings.vacation = [.init(first: today, last: today)]
        var bench = Bench.reminding(settings)
        bench.advance(to: 23, 31)
        #expect(bench.told(.scheduleSoon) == 0 && !bench.sent.contains(Self.arming))
        #expect(bench.told(.scheduleWaits) == 1)
        bench.advance(to: 23, 20)
        #expect(bench.told(.scheduleSoon) == 1)
        var configuration = bench.configuration
        configuration.reminders = nil
        bench.feed(.reload(.configuration(configuration)))
        bench.advance(.minutes(20))
        #expect(bench.told(.scheduleFailed) == 1)
        #expect(!bench.sent.contains(Self.arming))
    }

    @Test("without a clock that is trusted nothing is armed, and that is told once")
    func withoutAClockNothingIsArmed() {
        var bench = Self.warned()
        bench.now.isWallTrusted = false
        bench.advance(.hours(3))
        #expect(!bench.sent.contains(Self.arming))
        #expect(bench.told(.scheduleWaits) == 1)
        bench.now.isWallTrusted = true
        bench.advance(.minutes(3))
        #expect(bench.told(.scheduleFailed) == 1)
    }
}
