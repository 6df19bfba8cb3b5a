import AlarmModel
import Simulation
import Testing

@Suite("The simulated world")
struct WorldTests {
    @Test(
        "the promises hold over seeds, and the same inputs give the same effects",
        arguments: Array(1...UInt64(10)) + [73])
    func promisesHold(seed: UInt64) {
        let run = SeedRun(seed: seed)
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.events > 0)
        #expect(run.deliveries > 0)
        #expect(run.commands > 0)
        #expect(run.simulated > .minutes(30))
    }

    #if SABOTAGE
        /// How many seeds each deliberate bug may hide in; measured, then rounded up.
        static let patience: [(Sabotage, UInt64)] = [
            (.acknowledgesBeforeSync, 4), (.keepsStateWhenLinkIsLost, 4), (.repliesBeforeCommit, 4),
            (.ignoresSilence, 4), (.renumbersAfterFailure, 24), (.readsOneLinePerSegment, 4), (.sendsBeforeCommit, 4),
            (.forgetsCounter, 4), (.executesBeforeCommit, 4),
            (.repeatsCommands, 4), (.ignoresChallengeAge, 4), (.forgetsReturnedMessages, 4), (.renamesOnResend, 4),
            (.tellsDuressToAll, 4), (.forgetsPhones, 4), (.acknowledgesAcks, 4), (.obeysRevokedPhones, 4),
        ]

        @Test("every deliberate bug is found", arguments: patience)
        func bugsAreFound(sabotage: Sabotage, seeds: UInt64) {
            let found = (1...seeds).contains { SeedRun(seed: $0, sabotage: sabotage).violation != nil }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }

        @Test("the list of deliberate bugs is complete")
        func listIsComplete() {
            #expect(
                (Self.patience + LinkWorldTests.patience).map(\.0).sorted { $0.rawValue < $1.rawValue }
                    == Sabotage.allCases.sorted { $0.rawValue < $1.rawValue })
        }
    #endif
}
