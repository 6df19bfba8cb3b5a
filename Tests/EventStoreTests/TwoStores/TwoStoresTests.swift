import AlarmModel
import EventStore
import Testing

@testable import Simulators

/// What the simulated world proves about the core holds on the device only if its store behaves like the real one.
@Suite("The simulated store and the real one")
struct TwoStoresTests {
    private static let seedsEach: UInt64 = 25
    private static let steps = 16

    @Test("the same batches, questions, restarts and power cuts have the same answers", arguments: Array(0..<UInt64(8)))
    func theSameBatchesQuestionsRestartsAndPowerCutsHaveTheSame(part: UInt64) throws {
        for seed in part * Self.seedsEach..<(part + 1) * Self.seedsEach {
            var script = StoreScript(seed: seed)
            var stores = try TwoStores()
            for number in 1...Self.steps {
                let step = script.step()
                try stores.take(step, "seed \(seed), step \(number)")
                try stores.compare(&script, "seed \(seed), step \(number)")
            }
        }
    }
}
