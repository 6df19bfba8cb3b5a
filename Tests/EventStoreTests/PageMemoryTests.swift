import AlarmModel
import CSQLite
import EventStore
import Glibc
import Testing

@Suite("The pages that are kept in memory")
struct PageMemoryTests {
    @Test("they lie in the block that was taken at the start")
    func theyLieInTheBlockThatWasTakenAtTheStart() throws {
        #expect(PageMemory.isTaken)
        let (workshop, journal) = try ReaderTests.filled()
        var used: sqlite3_int64 = 0
        var most: sqlite3_int64 = 0
        #expect(sqlite3_status64(SQLITE_STATUS_PAGECACHE_USED, &used, &most, 0) == SQLITE_OK)
        // Other suites use the same block at the same time.
        #expect(used > 0)
        withExtendedLifetime((workshop, journal)) {}
    }
}
