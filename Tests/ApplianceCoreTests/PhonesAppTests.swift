import AlarmModel
import ApplianceCore
import Companion
import PanelLink
import PhoneProtocol
import Testing

/// The core and the phone's half as apps import it, with nothing between them but the push service.
@Suite("The app's library and the core")
struct PhonesAppTests {
    @Test("the phone's log equals the journal, with what happened while it was out of reach")
    func thePhonesLogEqualsTheJournal() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        bench.panel("6561", "65210", "6011003")
        app.advance(&bench, .seconds(30))
        #expect(app.holdsAll(of: bench))
        app.isReachable = false
        for number in 0..<60 { bench.panel(number % 2 == 0 ? "609003" : "610003") }
        app.advance(&bench, .minutes(2))
        app.isReachable = true
        app.wake(&bench)
        app.advance(&bench, .minutes(2))
        #expect(app.holdsAll(of: bench), "missing \(app.phone.memory.log.missing)")
        #expect(app.phone.memory.view.state?.partitions.first != nil && app.phone.refused == 0)
    }

    @Test(
        "every partition is as it is, also when both change at once, and when the phone was away",
        arguments: [[1, 2], [2]])
    func everyPartitionIsAsItIs(_ partitions: [Int]) throws {
        var configuration = Bench.phoneConfiguration()
        configuration.panel.partitions = partitions
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        var app = try AppPhone(&bench)
        app.wake(&bench)
        app.advance(&bench, .seconds(30))
        bench.panel("65220", "65210")
        app.advance(&bench, .seconds(5))
        func shown(_ number: Int) -> HouseState.Arming? { app.phone.memory.view.state?.partition(number)?.arming }
        #expect(shown(2) == .away)
        #expect(shown(1) == (partitions == [2] ? nil : .away))
        app.isReachable = false
        bench.panel("6552")
        app.advance(&bench, .minutes(1))
        app.isReachable = true
        app.wake(&bench)
        app.advance(&bench, .minutes(1))
        #expect(shown(2) == .disarmed)
    }

    @Test("a command is signed, carried out, and its outcome is in the app's hands")
    func aCommandIsSigned() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        app.wake(&bench)
        app.advance(&bench, .seconds(3))
        bench.forget()
        let arm = app.give(.arm(partition: 1, mode: .away, force: false), &bench)
        app.advance(&bench, .milliseconds(250))
        #expect(bench.panelOrders == ["0301"])
        bench.panel("6561")
        app.advance(&bench, .seconds(1))
        #expect(app.outcome(arm) == .ok)
        bench.panel("65210")
        app.advance(&bench, .minutes(5))
        let disarm = app.give(.disarm(partition: 1), &bench)
        app.advance(&bench, .milliseconds(500))
        #expect(bench.panelOrders.count == 2)
        bench.panel("6551")
        app.advance(&bench, .seconds(1))
        #expect(app.outcome(disarm) == .ok)
        #expect(app.phone.memory.log.events.contains { $0.command?.hasSuffix(".2") == true && $0.type == "disarmed" })
    }

    @Test("a phone that looked at last night's state disarms nothing")
    func aPhoneThatLookedAtLastNightsStateDisarmsNothing() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        app.wake(&bench)
        app.advance(&bench, .seconds(3))
        app.isReachable = false
        bench.panel("6561", "65210")
        app.advance(&bench, .seconds(5))
        app.isReachable = true
        bench.forget()
        let id = app.give(.disarm(partition: 1), &bench)
        app.advance(&bench, .seconds(5))
        #expect(app.outcome(id) == .denied("cond") && bench.panelOrders.isEmpty)
    }

    @Test("over a restart of the box the phone goes on; over a lost journal it keeps the old list and fills the new")
    func overARestartOfTheBoxThePhoneGoesOn() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        bench.panel("6011003")
        app.advance(&bench, .seconds(20))
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(10))
        app.wake(&bench)
        app.advance(&bench, .minutes(1))
        #expect(app.holdsAll(of: bench))
        let old = bench.stored.count
        bench.stored = []
        bench.ledger = []
        bench.push.loseJournal()
        bench = bench.restarted { $0.snapshot = nil }
        bench.logIn()
        bench.advance(.seconds(10))
        app.wake(&bench)
        app.advance(&bench, .minutes(1))
        #expect(app.holdsAll(of: bench))
        #expect(app.phone.memory.log.archive.map(\.events.count) == [old])
        let id = app.give(.arm(partition: 1, mode: .stay, force: false), &bench)
        app.advance(&bench, .milliseconds(500))
        bench.panel("6561")
        app.advance(&bench, .seconds(1))
        #expect(app.outcome(id) == .ok)
    }

    @Test("an alarm of a failing store is shown at once and becomes the numbered row, without a second sound")
    func anAlarmOfAFailingStoreIsShownAtOnceAndBecomesTheNumbered() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        bench.disk = .fails(Bench.broken)
        bench.panel("6011003")
        app.advance(&bench, .seconds(1))
        #expect(app.phone.memory.log.unnumbered.map(\.event.code) == ["601"])
        bench.disk = .answers
        app.advance(&bench, .minutes(2))
        #expect(app.holdsAll(of: bench) && app.phone.memory.log.unnumbered.isEmpty)
        #expect(bench.push.messages.filter { $0.event.code == "601" }.map(\.state) == [.received])
    }

    @Test("an app that answers lets no alarm become overdue")
    func anAppThatAnswersLetsNoAlarmBecomeOverdue() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        for _ in 0..<10 {
            bench.panel("6011003", "6021003")
            app.advance(&bench, .seconds(20))
        }
        app.advance(&bench, .minutes(2))
        #expect(bench.events(.pushRefused).isEmpty)
        #expect(bench.push.messages.filter { $0.event.type == .alarm }.allSatisfy { $0.state == .received })
        #expect(bench.push.book?.phones.first?.isHeard == true)
    }

    @Test("in a flood of 60 alarms within half a minute the app's pings confirm them: none is sent a second time")
    func inAFloodOf60AlarmsWithinHalfAMinuteTheAppsPingsConfirmThem() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        app.advance(&bench, .seconds(70))
        let before = bench.push.server.pushes.count
        for _ in 0..<60 {
            bench.panel("6011003", "6021003")
            app.advance(&bench, .milliseconds(500))
        }
        app.advance(&bench, .minutes(3))
        let alarms = bench.push.messages.filter { $0.event.code == "601" }
        #expect(alarms.count == 60)
        #expect(alarms.allSatisfy { $0.state == .received })
        #expect(bench.events(.pushRefused).isEmpty)
        var ids = bench.push.server.pushes.dropFirst(before).map(\.id)
        ids.removeAll { id in !alarms.contains { $0.message.text == id } }
        #expect(ids.count == 60, "\(ids.count - 60) repeats")
    }

    @Test("an app that leaves hears that it has, and keeps its log")
    func anAppThatLeavesHearsThatItHas() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        app.wake(&bench)
        app.advance(&bench, .seconds(5))
        let id = app.give(.leave, &bench)
        app.advance(&bench, .seconds(5))
        #expect(app.outcome(id) == .ok)
        #expect(app.phone.memory.hasLeft && app.phone.secrets == nil && !app.phone.memory.log.events.isEmpty)
        #expect(bench.push.book?.phones == [])
    }

    @Test("a new address that the service tells is proved and used without a person")
    func aNewAddressThatTheServiceTellsIsProvedAndUsed() throws {
        var bench = Bench.withPush()
        var app = try AppPhone(&bench)
        let id = app.give(.address(ContactAddress(kind: .fcmToken, value: "token-of-anna")), &bench)
        app.advance(&bench, .seconds(5))
        #expect(app.outcome(id) == .ok)
        #expect(bench.push.book?.phones.first?.addresses.count == 1)
    }
}
