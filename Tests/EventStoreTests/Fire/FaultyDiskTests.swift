import AlarmModel
import EventStore
import Glibc
import Testing

/// Power goes, or an operation fails, at every single operation on the disk in turn (reliability.md 1 and R1, R2, R23).
@Suite("A faulty disk")
struct FaultyDiskTests {
    /// HOWALARMING_CUTS sets the number of power cuts, HOWALARMING_SEED repeats an earlier run (tools/store-fire).
    static let cuts = number("HOWALARMING_CUTS") ?? 1000
    static let seed = number("HOWALARMING_SEED") ?? 1

    private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    /// Half of the cuts meet a journal from its making on, half one that has lived through all the cuts before.
    enum Card: CaseIterable {
        case new, kept
    }

    @Test(
        "after a power cut at any operation all that was reported as stored is there, once and whole",
        arguments: Card.allCases)
    func afterAPowerCutAtAnyOperationAllThatWasReportedAsStored(_ card: Card) throws {
        var done: UInt64 = 0
        var sweeps: UInt64 = 0
        while done < Self.cuts / 2 {
            var round = PowerCutRound()
            var place: UInt64 = 0
            var wasCut = true
            // A part of a sweep would leave out the end of the work.
            while wasCut {
                place += 1
                if card == .new { round = PowerCutRound() }
                wasCut = try round.run(cutAt: place, seed: (Self.seed + sweeps) << 20 | place)
                done += 1
            }
            sweeps += 1
        }
        print(
            "\(done) power cuts (\(card) cards) in \(sweeps) sweeps over all operations, seed \(Self.seed): nothing lost"
        )
        #expect(done >= Self.cuts / 2 && done / sweeps > 80)
    }

    @Test("on a card that only pretends to sync the same check finds what was lost")
    func onACardThatOnlyPretendsToSyncTheSameCheckFindsWhatWasLost() throws {
        var violations: [String] = []
        for place in 1...120 as ClosedRange<UInt64> {
            var round = PowerCutRound()
            round.ignoresSyncs = true
            do {
                _ = try round.run(cutAt: place, seed: Self.seed << 20 | place)
            } catch let violation as Violation {
                violations.append(violation.description)
            }
        }
        #expect(violations.filter { $0.contains("it lacks") }.count > 20)
    }
}
