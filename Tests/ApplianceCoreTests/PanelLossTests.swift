import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// How long nobody knows that the panel is gone (docs/ARCHITECTURE.md 8).
@Suite("A panel that falls silent")
struct PanelLossTests {
    private static func hasHeard(_ bench: Bench, _ phone: TestPhone, _ code: EventCode, since mark: Int) -> Bool {
        bench.eventsHeard(phone, since: mark).contains { $0["code"]?.stringValue == code.rawValue }
    }

    @Test("the phone knows within 30 s and a moment that the panel is silent, and that it is back")
    func told() throws {
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
}
