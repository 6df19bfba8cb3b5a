import CSQLite
import Glibc

/// The pages of the journal that SQLite keeps in memory: one block that is taken whole at the start, so that a process
/// that runs for months is as big on its first day as ever after. What does not fit in comes from the heap.
package enum PageMemory {
    /// What the connection that writes keeps, and the one that reads.
    static let writerKiB = 1024
    static let readerKiB = 512
    private static let pageBytes = 4096

    /// Whether SQLite has taken the block; it does so only before it is first used in a process.
    package static let isTaken: Bool = {
        var header: Int32 = 0
        guard howalarming_sqlite_page_header(&header) == SQLITE_OK else { return false }
        let slot = pageBytes + Int(header)
        let count = (writerKiB + readerKiB) * 1024 / pageBytes
        let block = mmap(nil, slot * count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)
        guard let block, block != MAP_FAILED else { return false }
        if howalarming_sqlite_page_memory(block, Int32(slot), Int32(count)) == SQLITE_OK { return true }
        munmap(block, slot * count)
        return false
    }()
}
