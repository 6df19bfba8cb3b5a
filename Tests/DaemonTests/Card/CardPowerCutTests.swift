import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import Testing

@testable import Card
@testable import YAMLConfiguration

@Suite("power cuts while the card is taken") struct CardPowerCutTests {
    private static let before = """
        site: {time_zone: UTC}
        panel: {host: 192.0.2.1, password: firstpass, code_master: 1111}
        mqtt: {host: b, user: u, password: firstmqtt}

        """
    private static let after = """
        site: {time_zone: UTC}
        panel: {host: 192.0.2.1, password: secondpass, code_master: ''}
        ntfy: {server: 'https://ntfy.example', token: tk_secondntfy}
        network: {wifi: {country: AT, ssid: a, password: secondwifi}}

        """

    /// A house that was configured before, whose owner has changed the card.
    private static func bench() throws -> CardBench {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", before)
        try bench.run()
        try bench.put("card/howalarming.yaml", after)
        try bench.put("card/howalarming-errors.txt", "old\r\n")
        try bench.put("card/reset-pin", "")
        return bench
    }

    private static let secrets = ["secondpass", "1111", "tk_secondntfy", "secondwifi"]

    @Test("cut before or after any step, no secret is lost, what holds is whole, and the next start ends as any other")
    func cutBeforeOrAfterAnyStep() throws {
        let whole = try Self.bench()
        let counted = FailingStorage(whole.directories)
        try whole.run(through: counted)
        try FileManager.default.removeItem(atPath: whole.path("state/card/reset-pin"))
        let wanted = try whole.everything()
        #expect(counted.steps.count > 10)
        #expect(Self.secrets.allSatisfy { wanted["state/card/howalarming.secrets.yaml"]?.contains($0) ?? false })
        #expect(!Self.secrets.contains { wanted["card/howalarming.yaml"]?.contains($0) ?? true })
        for step in 0..<counted.steps.count {
            for isDone in [false, true] {
                let bench = try Self.bench()
                let storage = FailingStorage(bench.directories, cut: .init(step: step, isDone: isDone))
                _ = try? bench.run(through: storage)
                let place = "\(counted.steps[step]), \(isDone ? "after" : "before")"
                let found = try bench.everything()
                let kept = ["card/howalarming.yaml", "state/card/howalarming.secrets.yaml", "state/card/card-import"]
                    .compactMap { found[$0] }.joined()
                for secret in Self.secrets { #expect(kept.contains(secret), "\(secret) is lost at \(place)") }
                // Blanked on the card only after both files on data hold.
                if !(found["card/howalarming.yaml"]?.contains("secondpass") ?? false) {
                    #expect(bench.inForce.configuration?.panel.password.revealed == "secondpass", "\(place)")
                }
                // The card is broken before the next start: what holds is the old one or the new one, never a mixture.
                let broken = try Self.bench()
                _ = try? broken.run(through: FailingStorage(broken.directories, cut: .init(step: step, isDone: isDone)))
                try broken.put("card/howalarming.yaml", "panel: [")
                #expect(try broken.run().inForce == .earlier, "\(place)")
                let password = broken.inForce.configuration?.panel.password.revealed
                #expect(["firstpass", "secondpass"].contains(password), "\(place)")
                #expect(broken.inForce.configuration?.phones.channels.count == 1, "\(place)")
                // Whole again, as if nothing had happened; only a reset of the PIN may have to be asked for again.
                try bench.run()
                try? FileManager.default.removeItem(atPath: bench.path("state/card/reset-pin"))
                let end = try bench.everything()
                let differing = Set(end.keys).union(wanted.keys).filter { end[$0] != wanted[$0] }.sorted()
                #expect(differing == [], "\(place)")
            }
        }
    }

    @Test("data that cannot be written leaves the card as it is")
    func dataThatCannotBeWrittenLeavesTheCardAsItIs() throws {
        let bench = try Self.bench()
        let storage = FailingStorage(bench.directories, cut: .init(step: 0, isDone: false))
        #expect(throws: (any Error).self) { try bench.run(through: storage) }
        #expect(bench.text("card/howalarming.yaml") == Self.after)
        #expect(bench.inForce.configuration?.panel.password.revealed == "firstpass")
        #expect(storage.openings == 0)
    }

    @Test("a card that cannot be written is said, and what it says holds")
    func aCardThatCannotBeWrittenIsSaid() throws {
        let bench = try Self.bench()
        let locked = LockedCard(bench.directories)
        let report = try bench.run(through: locked)
        #expect(report.inForce == .card)
        #expect(report.errors.count == 1)
        #expect(report.errors.first?.what.hasSuffix("; secrets may still be on it") == true)
        #expect(bench.text("card/howalarming.yaml") == Self.after)
        #expect(bench.inForce.configuration?.panel.password.revealed == "secondpass")
        #expect(try !bench.names("state/card").contains("reset-pin"))
    }
}
