import AlarmModel
import EventStore

/// One life of the journal from power-up to power cut, and what is found after it.
struct PowerCutRound {
    static let groups = 6

    /// What is on the card.
    var workshop = Workshop()
    var expected = ExpectedJournal()
    /// As reported by the last journal that opened.
    var log: LogNumber?

    /// The card lies once the journal is open.
    var ignoresSyncs = false

    /// - Parameter place: the operation on the disk during which the power goes, counted from power-up.
    /// - Returns: false when all work was done before; the power then goes while nothing is under way.
    /// - Throws: a `Violation`.
    mutating func run(cutAt place: UInt64, seed: UInt64) throws -> Bool {
        let disk = FaultyDisk(workshop.directory, seed: seed)
        disk.fault = .cut(at: place)
        var candidates = [expected]
        do {
            try work(on: disk, seed: seed, candidates: &candidates)
        } catch let error as StoreError {
            guard disk.isCut else { throw Violation("without any fault: \(error)") }
        }
        let wasCut = disk.isCut
        disk.cut()
        do {
            let image = try disk.image(junk: seed % 2 == 0)
            expected = try ImageCheck.check(try image.copy(), against: candidates, log: log)
            workshop = image
        } catch let violation as Violation {
            throw Violation("seed \(seed), cut at operation \(place) (\(disk.struck)): \(violation)")
        }
        return wasCut
    }

    /// Candidates are what may be found: what was reported, and besides what was under way.
    private mutating func work(on disk: FaultyDisk, seed: UInt64, candidates: inout [ExpectedJournal]) throws {
        var workload = Workload(seed: seed)
        var dice = Dice(seed: seed &+ 0x5EED)
        // A clean restart in the middle.
        for life in 1...2 {
            var options = Journal.Options(run: "\(seed)-\(life)")
            options.vfs = disk.name
            let journal = try Journal(directory: workshop.directory, options: options)
            log = journal.report.log
            if ignoresSyncs { disk.ignoreSyncs() }
            workload.restart()
            for _ in 0..<Self.groups / 2 {
                let group = workload.group(after: candidates[0])
                let next = candidates[0].after(group)
                candidates.append(next)
                do throws(StoreError) {
                    _ = try journal.commit(group)
                } catch {
                    let again = try? journal.commit(group)
                    guard again == nil else { throw Violation("without power a commit was reported as done") }
                    throw error
                }
                candidates = [next]
                // Between commits, as the daemon does it.
                if dice.roll(3) == 0 { _ = try? journal.checkpoint() }
            }
            try journal.close()
        }
    }
}
