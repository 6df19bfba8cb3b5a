import CFaultyDisk
import EventStore

/// A card that loses power or refuses, under one state directory (see CFaultyDisk.h).
final class FaultyDisk {
    /// How an operation fails.
    enum Failure: CaseIterable {
        case io, full, short, unreadable
    }

    enum Fault {
        case none
        /// The power goes during this operation: nothing succeeds from then on.
        case cut(at: UInt64)
        case refuse(Failure, from: UInt64, once: Bool)
    }

    private let disk: OpaquePointer
    let directory: String

    /// - Parameter directory: what it holds already is on the card.
    init(_ directory: String, seed: UInt64) {
        // SQLite takes the block before it is first used, or not at all.
        _ = PageMemory.isTaken
        guard let disk = faulty_disk_make(seed) else { preconditionFailure("SQLite has its layer for Unix") }
        self.disk = disk
        self.directory = directory
        for suffix in ["", "-wal", "-journal"] { faulty_disk_adopt(disk, "\(directory)/\(Journal.fileName)\(suffix)") }
    }

    deinit { faulty_disk_free(disk) }

    var fault = Fault.none {
        didSet {
            switch fault {
            case .none: faulty_disk_set_fault(disk, faulty_disk_fault_none, 0, 0)
            case .cut(let place): faulty_disk_set_fault(disk, faulty_disk_fault_cut, place, 0)
            case .refuse(let failure, let place, let once):
                faulty_disk_set_fault(disk, failure.code, place, once ? 1 : 0)
            }
        }
    }

    var name: String { String(cString: faulty_disk_name(disk)) }
    /// Operations that changed the disk since the fault was set.
    var changes: UInt64 { faulty_disk_changes(disk) }
    /// What the fault has struck first, in words; empty when nothing was.
    var struck: String { String(cString: faulty_disk_struck(disk)) }
    var isCut: Bool { faulty_disk_is_cut(disk) != 0 }

    /// Syncs succeed and do nothing from now on.
    func ignoreSyncs() { faulty_disk_ignore_syncs(disk) }

    /// Takes the power away, if it is not gone already.
    func cut() { faulty_disk_cut(disk) }

    /// What is found when the power is back, in a directory of its own. The files that the journal writes without
    /// SQLite are synced before their calls return; the log's index, which nobody syncs, may hold anything.
    func image(junk: Bool) throws -> Workshop {
        let after = Workshop()
        guard faulty_disk_store_image(disk, after.directory) == 0 else { throw Violation("no image could be written") }
        if let number = try StateFile.read("\(directory)/\(LogNumber.fileName)") {
            try after.write(number, LogNumber.fileName)
        }
        if junk { try after.write(Array(repeating: 0xA5, count: 32768), "\(Journal.fileName)-shm") }
        return after
    }
}

extension FaultyDisk.Failure {
    fileprivate var code: faulty_disk_fault {
        switch self {
        case .io: faulty_disk_fault_io
        case .full: faulty_disk_fault_full
        case .short: faulty_disk_fault_short
        case .unreadable: faulty_disk_fault_unreadable
        }
    }
}

/// A promise of the store that was not kept.
struct Violation: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}
