import AlarmModel
import Simulation
import Testing

@Suite("The simulated world with a modem, text messages and calls")
struct ModemWorldTests {
    /// The owner of the seventh house has written down the wrong PIN.
    @Test(
        "texts and calls go out when nothing else does, a stuck modem is reset, the SIM is never locked",
        arguments: [1, 2, 7] as [UInt64])
    func textsGoOutWhenNothingElseDoes(seed: UInt64) {
        let run = SeedRun(seed: seed, hasModem: true)
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.deliveries > 0)
        #expect(run.carriedOut > 0)
        #expect((run.texts > 0) == (seed != 7), "\(run.texts)")
        // In half of the houses.
        #expect((run.calls > 0) == (seed == 2), "\(run.calls)")
    }

    @Test("what broke once stays mended", arguments: [16, 18] as [UInt64])
    func whatBrokeOnceStaysMended(seed: UInt64) {
        let run = SeedRun(seed: seed, hasModem: true)
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
    }

    #if SABOTAGE
        /// How many seeds each deliberate bug may hide in; measured, then rounded up.
        static let patience: [(Sabotage, UInt64)] = [
            (.textNeverSent, 4), (.textThoughDelivered, 4), (.stuckModemNeverReset, 4), (.heartbeatStops, 4),
            (.wrongPINNotCounted, 4), (.callNeverHungUp, 8), (.keyIsNoWord, 8),
            (.answerIsNoWord, 8), (.anybodyAnswers, 8),
        ]

        @Test("every deliberate bug is found", arguments: patience)
        func everyDeliberateBugIsFound(sabotage: Sabotage, seeds: UInt64) {
            let found = sabotage.seeds(upTo: seeds).contains {
                SeedRun(seed: $0, sabotage: sabotage, hasModem: true).violation != nil
            }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }

        @Test("a PIN that the SIM has refused is not tried again, which only a house with a wrong one shows")
        func aPINThatTheSIMHasRefusedIsNotTriedAgain() {
            #expect(SeedRun(seed: 7, sabotage: .refusedPINTriedAgain, hasModem: true).violation != nil)
        }
    #endif
}
