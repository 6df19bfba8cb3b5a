import AlarmModel
import PhoneProtocol
import Testing

@Suite("the daemon with a panel", .serialized, .timeLimit(.minutes(15)))
struct ApplianceTests {
    @Test("a module that falls silent is noticed, shown as stale, and what changed meanwhile is told")
    func aModuleThatFallsSilentIsNoticed() throws {
        let house = try Appliance()
        try house.start()
        try house.waitUntilUp()
        try house.panel.house("open 3")
        _ = try house.waitForEvent { $0.code == "609" && $0.zone == 3 }
        try house.panel.house("close 3")
        _ = try house.waitForEvent { $0.code == "610" && $0.zone == 3 }
        try house.panel.house("fault silent on")
        try house.panel.house("open 3")
        _ = try house.waitForEvent { $0.code == EventCode.panelOffline.rawValue }
        #expect(try house.status()["panel"]?["link"] == .string("down"))
        try house.panel.house("fault silent off")
        let difference = try house.waitForEvent { $0.flags.contains(.whileAway) && $0.zone == 3 }
        #expect(difference.event.code == "609" && difference.event.message.hasPrefix("while away"))
        try house.waitUntilUp()
        #expect(try house.stop() == 0)
        let journal = try house.journal()
        #expect(journal.map(\.seq.number) == Array(1...Int64(journal.count)))
        #expect(journal.filter { $0.event.code == "609" }.count == 2)
    }

    @Test("a daemon that is killed and started again goes on with its journal")
    func aDaemonThatIsKilledAndStartedAgainGoesOnWithItsJournal() throws {
        let house = try Appliance()
        try house.start()
        try house.waitUntilUp()
        let follower = try house.follow()
        try house.panel.house("raw 6090014")
        try house.panel.house("open 1")
        _ = try house.waitForEvent { $0.code == "609" && $0.zone == 1 }
        _ = try follower.waitForLine(containing: "Front door open")
        house.kill9()
        try house.start()
        try house.waitUntilUp()
        let journal = try house.journal()
        #expect(journal.filter { $0.event.code == EventCode.started.rawValue }.count == 2)
        #expect(journal.map(\.seq.number) == Array(1...Int64(journal.count)))
        #expect(try house.stop() == 0)
    }
}
