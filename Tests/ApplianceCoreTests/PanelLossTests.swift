import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing
import Uplinks

/// How long nobody knows that the panel is gone (docs/ARCHITECTURE.md 8).
@Suite("A panel that falls silent")
struct PanelLossTests {
    private static func hasHeard(_ bench: Bench, _ phone: TestPhone, _ code: EventCode, since mark: Int) -> Bool {
        bench.eventsHeard(phone, since: mark).contains { $0["code"]?.stringValue == code.rawValue }
    }

    @Test("the phone knows within 30 s and a moment that the panel is silent, and that it is back")
    func thePhoneKnowsWithin30SAndAMomentThatThePanelIsSilent() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("609003")
        bench.advance(.seconds(20))
        let mark = bench.push.server.pushes.count
        bench.isPanelSilent = true
        let silentSince = bench.now.boot
        while !Self.hasHeard(bench, phone, .panelOffline, since: mark), bench.now.boot - silentSince < .minutes(3) {
            bench.advance(.milliseconds(100))
        }
        #expect(bench.now.boot - silentSince <= .seconds(31))

        bench.isPanelSilent = false
        let wellSince = bench.now.boot
        while bench.connection == nil, bench.now.boot - wellSince < .minutes(3) { bench.advance(.milliseconds(100)) }
        #expect(bench.now.boot - wellSince <= .seconds(2))
        bench.logIn()
        bench.panel("609003", "6501")
        while !Self.hasHeard(bench, phone, .panelOnline, since: mark), bench.now.boot - wellSince < .minutes(3) {
            bench.advance(.milliseconds(100))
        }
        #expect(bench.now.boot - wellSince <= .seconds(7))
        #expect(bench.core.panel.zone(3)?.open == .known(true))
    }

    @Test("torn out while armed: an alarm on the phone within 95 s, told once, also when the daemon starts anew")
    func tornOutWhileArmed() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("65210")
        bench.advance(.seconds(20))
        let mark = bench.push.server.pushes.count
        let torn = bench.now.boot
        (bench.isPanelSilent, bench.listens) = (true, false)
        var alarm: JSON?
        while alarm == nil, bench.now.boot - torn < .minutes(3) {
            bench.advance(.milliseconds(100))
            alarm = bench.eventsHeard(phone, since: mark).first { $0["type"]?.stringValue == "alarm" }
        }
        #expect(bench.now.boot - torn <= .seconds(95))
        #expect(alarm?["code"]?.stringValue == EventCode.panelOffline.rawValue)
        bench.advance(.minutes(30))
        func alarms(_ bench: Bench) -> Int {
            bench.stored.count { $0.event.type == .alarm && $0.event.code == EventCode.panelOffline.rawValue }
        }
        #expect(alarms(bench) == 1)

        var next = bench.restarted { _ in }
        next.listens = false
        next.advance(.minutes(30))
        #expect(alarms(next) == 1)
        #expect(next.core.panel.system.toldLosses == [.module])
    }

    @Test("torn out while armed: a text where no channel takes it")
    func tornOutWhileArmedAText() {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            configuration.texts = TextAlarmSettings(numbers: ["+431234567"])
        }
        LastResortTests.plugIn(&bench)
        bench.advance(.seconds(30))
        let paired = bench.pairStoreApp()
        #expect(paired != nil)
        bench.panel("65210")
        bench.advance(.seconds(20))
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.isPanelSilent = true
        bench.advance(.seconds(95) + .minutes(5))
        #expect(bench.net.texts.map(\.number) == ["+431234567"])
        #expect(bench.net.texts.first?.text.contains("ALARM SYSTEM CUT OFF (") == true)
    }
}
