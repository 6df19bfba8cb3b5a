import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@testable import ApplianceCore

@Suite("Reminders: not armed, left open, still bypassed, maintenance forgotten")
struct ReminderTests {
    private static let atEleven = ReminderSettings(notArmed: .init(at: ReminderSettings.daily(23)))

    @Test("not armed at 23:00 is told once a day, to those who may arm, with a button that arms")
    func notArmedAtElevenIsTold() throws {
        var bench = Bench.reminding(Self.atEleven)
        let paired = bench.pairStoreApp(allow: [.arm], tellsArming: true)
        let contact = try #require(paired)
        let ben = bench.pairStoreApp("Bens", person: "Ben", tellsArming: true)
        try #require(ben != nil)
        let before = bench.topics.published.count
        bench.advance(to: 23, 0)
        let told = bench.topics.published.dropFirst(before)
        // Ben may not arm.
        #expect(told.count == 1)
        let notice = try #require(told.first)
        #expect(notice.title == "Mill: Not armed, Ground floor")
        #expect(notice.buttons.map(\.label) == ["Status", "Arm"])
        let button = try #require(notice.buttons.last)
        bench.forget()
        bench.post(button.body, to: contact)
        bench.settle()
        #expect(bench.sent == ["0311"])
        bench.panel("65211")
        bench.advance(.hours(20))
        bench.panel("6551")
        bench.advance(to: 23, 0)
        #expect(bench.told(.reminderNotArmed) == 2)
    }

    @Test("where nobody may arm from afar everybody is told whom arming is told; others are not")
    func whereNobodyMayArmEverybodyIsTold() throws {
        var bench = Bench.reminding(Self.atEleven)
        let anna = bench.pairStoreApp(tellsArming: true)
        try #require(anna != nil)
        let ben = bench.pairStoreApp("Bens", person: "Ben")
        try #require(ben != nil)
        let before = bench.topics.published.count
        bench.advance(to: 23, 0)
        #expect(bench.topics.published.count == before + 1)
        #expect(bench.topics.published.last?.buttons.map(\.label) == ["Status"])
    }

    @Test("nothing is told of a house that is armed, on a day of vacation, and without the line")
    func nothingIsToldOfAHouseThatIsArmed() throws {
        var bench = Bench.reminding(Self.atEleven)
        bench.panel("6521")
        bench.advance(.hours(30))
        #expect(bench.told(.reminderNotArmed) == 0)
        let today = CalendarDay(TimeZoneRules.utc.civilTime(at: Bench.start.wall))
        var settings = Self.atEleven
        settings.vacation = [.init(first: today, last: today)]
        bench = Bench.reminding(settings)
        bench.advance(to: 23, 0)
        #expect(bench.told(.reminderNotArmed) == 0)
        bench.advance(to: 23, 0)
        #expect(bench.told(.reminderNotArmed) == 1)
        bench = Bench.reminding(ReminderSettings())
        bench.advance(.hours(30))
        #expect(bench.told(.reminderNotArmed) == 0)
    }

    @Test("a restart tells nothing twice, and what was due while the box was off is told when it is back")
    func aRestartTellsNothingTwice() {
        var bench = Bench.reminding(Self.atEleven)
        bench.advance(to: 23, 0)
        #expect(bench.told(.reminderNotArmed) == 1)
        var next = bench.off(for: .seconds(1))
        next.advance(.minutes(5))
        #expect(next.told(.reminderNotArmed) == 1)
        bench = Bench.reminding(Self.atEleven)
        bench.advance(to: 22, 59)
        next = bench.off(for: .minutes(20))
        next.advance(.minutes(5))
        #expect(next.told(.reminderNotArmed) == 1)
        // In the morning it is none any more.
        next = bench.off(for: .hours(9))
        next.advance(.minutes(5))
        #expect(next.told(.reminderNotArmed) == 0)
    }

    @Test("while the time is not known nothing is told, which is said once after ten minutes; then it goes on")
    func whileTheTimeIsNotKnownNothingIsTold() {
        var bench = Bench.reminding(Self.atEleven)
        bench.now.isWallTrusted = false
        bench.advance(.minutes(9))
        #expect(bench.told(.scheduleWaits) == 0)
        bench.advance(.hours(26))
        #expect(bench.told(.reminderNotArmed) == 0)
        #expect(bench.events(.scheduleWaits).map(\.type) == [.fault])
        bench.now.isWallTrusted = true
        bench.advance(.minutes(2))
        #expect(bench.events(.scheduleWaits).map(\.type) == [.fault, .recovery])
        bench.advance(to: 23, 0)
        #expect(bench.told(.reminderNotArmed) == 1)
    }

    @Test("while the panel is away the reminder waits for it, and is told once it is back")
    func whileThePanelIsAwayTheReminderWaits() throws {
        var bench = Bench.reminding(Self.atEleven)
        let soon = DailyTime(hour: 23, minute: 0).next(after: bench.now.wall, in: bench.configuration.panel.timeZone)
        bench.advance(soon - bench.now.wall - .minutes(1))
        bench.listens = false
        bench.feed(.closed(try #require(bench.connection), .reset))
        bench.advance(.minutes(10))
        #expect(bench.told(.reminderNotArmed) == 0)
        bench.listens = true
        bench.advance(.minutes(2))
        bench.logIn()
        bench.advance(.minutes(3))
        #expect(bench.core.panel.link == .up && bench.told(.reminderNotArmed) == 1)
    }

    @Test("a door that stands open for 15 minutes is told once; one that is closed before, and a window, are not")
    func aDoorThatStandsOpenIsTold() throws {
        var bench = Bench.reminding(ReminderSettings(leftOpen: .init(after: .minutes(15))))
        bench.panel("609001", "609003")
        bench.advance(.minutes(14))
        bench.panel("610001")
        bench.advance(.minutes(30))
        #expect(bench.told(.reminderOpen) == 0)
        bench.panel("609001")
        bench.advance(.minutes(15) - .seconds(1))
        #expect(bench.told(.reminderOpen) == 0)
        bench.advance(.seconds(1))
        let event = try #require(bench.events(.reminderOpen).first)
        #expect(event.message == "Zone 1 Front door has been open for 15 minutes")
        #expect(event.zone == 1 && event.partition == 1 && event.priority == .state)
        bench.advance(.hours(3))
        #expect(bench.told(.reminderOpen) == 1)
        var next = bench.off(for: .minutes(1))
        next.panel("609001")
        next.advance(.hours(1))
        #expect(next.told(.reminderOpen) == 1)
        next.panel("610001")
        next.advance(.seconds(1))
        next.panel("609001")
        next.advance(.minutes(16))
        #expect(next.told(.reminderOpen) == 2)
    }

    @Test("zones that are named are watched whatever they are")
    func zonesThatAreNamedAreWatched() {
        var bench = Bench.reminding(ReminderSettings(leftOpen: .init(after: .minutes(5), zones: [3])))
        bench.panel("609001", "609003")
        bench.advance(.minutes(6))
        #expect(bench.events(.reminderOpen).map(\.zone) == [3])
    }

    @Test("zones that are still bypassed at 22:00 are told with their names")
    func zonesThatAreStillBypassedAreTold() {
        var bench = Bench.reminding(ReminderSettings(bypassed: ReminderSettings.daily(22)))
        bench.advance(to: 22, 0)
        #expect(bench.told(.reminderBypassed) == 0)
        bench.panel("6160400000000000000")
        bench.advance(to: 22, 0)
        #expect(bench.messages(.reminderBypassed) == ["Still bypassed: Kitchen window"])
    }

    @Test("the maintenance mode ends by itself after its span; that is told before and after, over a restart, too")
    func theMaintenanceModeEndsByItself() throws {
        let settings = ReminderSettings(maintenance: .hours(4))
        var bench = Bench.reminding(settings)
        bench.ask(.maintenance(on: true), as: 5)
        bench.advance(.hours(3))
        #expect(bench.told(.reminderMaintenance) == 0)
        bench.advance(.minutes(46))
        #expect(bench.told(.reminderMaintenance) == 1)
        #expect(try bench.status()?.isMaintenance == true)
        var next = bench.off(for: .seconds(30))
        next.advance(.minutes(10))
        #expect(next.told(.reminderMaintenance) == 1)
        next.advance(.minutes(5))
        #expect(next.told(.reminderMaintenance) == 2)
        #expect(next.events(.reminderMaintenance).allSatisfy { !$0.flags.contains(.maintenance) })
        #expect(try next.status()?.isMaintenance == false)
        bench = Bench.reminding(ReminderSettings())
        bench.ask(.maintenance(on: true), as: 5)
        bench.advance(.hours(30))
        #expect(try bench.status()?.isMaintenance == true)
    }
}
