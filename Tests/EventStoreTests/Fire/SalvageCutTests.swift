import EventStore
import Testing

/// Power goes at every operation on the disk while a damaged journal is replaced by what could be saved of it.
@Suite("Power cuts during a salvage")
struct SalvageCutTests {
    @Test("after a power cut at any operation the next start has all that could be saved, and says so")
    func afterAPowerCutAtAnyOperationTheNextStartHasAllThatCould() throws {
        let damaged = try SalvageTests.damaged()
        var place: UInt64 = 0
        var isMet = true
        while isMet {
            place += 1
            isMet = try Self.run(damaged, cutAt: place)
        }
        #expect(place > 40)
    }

    /// - Returns: false when the start was over before.
    private static func run(_ damaged: Workshop, cutAt place: UInt64) throws -> Bool {
        let workshop = try damaged.copy()
        let disk = FaultyDisk(workshop.directory, seed: place)
        disk.fault = .cut(at: place)
        do {
            _ = try workshop.open(run: "cut") { $0.vfs = disk.name }
        } catch let error as StoreError {
            guard disk.isCut else { throw error }
        }
        let isMet = disk.isCut
        disk.cut()
        try SalvageTests.check(try disk.image(junk: place % 2 == 0), "cut at operation \(place) (\(disk.struck))")
        return isMet
    }
}
