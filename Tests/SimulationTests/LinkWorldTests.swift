import AlarmModel
import Simulation
import Testing

@Suite("The simulated world with two links")
struct LinkWorldTests {
    @Test(
        "no dead link stays in use, no good one is told as lost, alarms go out while any channel works",
        arguments: Array(1...UInt64(4)))
    func noDeadLinkStaysInUse(seed: UInt64) {
        let run = SeedRun(seed: seed, hasLinks: true)
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.deliveries > 0)
        #expect(run.carriedOut > 0)
        #expect(run.switches > 3, "\(run.switches)")
    }

    #if SABOTAGE
        /// How many seeds each deliberate bug may hide in; measured, then rounded up.
        static let patience: [(Sabotage, UInt64)] = [
            (.neverFailsBack, 4), (.probesOneTarget, 4), (.keepsDeadLink, 8), (.staleAfterRenumbering, 4),
            (.silenceIsNoDoubt, 32),
        ]

        @Test("every deliberate bug is found", arguments: patience)
        func everyDeliberateBugIsFound(sabotage: Sabotage, seeds: UInt64) {
            let found = sabotage.seeds(upTo: seeds).contains {
                SeedRun(seed: $0, sabotage: sabotage, hasLinks: true).violation != nil
            }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }
    #endif
}
