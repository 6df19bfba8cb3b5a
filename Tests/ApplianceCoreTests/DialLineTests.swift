import AlarmModel
import PhoneLink
import Testing

@testable import ApplianceCore

@Suite("When a connection is tried by another link")
struct DialLineTests {
    private static let target = DialTarget(host: "push.example", port: 443, security: .tls(authorityFile: nil))

    private static func pauses(isAlarmWaiting: Bool) -> [Duration] {
        var line = DialLine(.deadManPing, DialSlot(0), number: 0, target: target)
        var pauses: [Duration] = []
        var now = BootTime.zero
        for _ in 1...7 {
            line.beginDetour(at: now)
            let due = line.detourDue(isAlarmWaiting: isAlarmWaiting) ?? now
            pauses.append(due - now)
            now = due
        }
        return pauses
    }

    @Test("at once, then after pauses that double to ten minutes")
    func atOnceThenAfterPausesThatDouble() {
        let line = DialLine(.deadManPing, DialSlot(0), number: 0, target: Self.target)
        #expect(line.detourDue(isAlarmWaiting: false) == nil)
        let pauses = Self.pauses(isAlarmWaiting: false)
        #expect(pauses == [30, 60, 120, 240, 480, 600, 600].map { Duration.seconds($0) })
    }

    @Test("while an alarm waits every 10 s, until five tries were in vain: then every five minutes")
    func whileAnAlarmWaitsEvery10S() {
        let pauses = Self.pauses(isAlarmWaiting: true)
        #expect(pauses == [10, 10, 10, 10, 10, 300, 300].map { Duration.seconds($0) })
    }
}
