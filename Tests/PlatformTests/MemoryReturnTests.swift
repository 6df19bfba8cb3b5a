import Glibc
import Platform
import Testing

@Suite("Memory that nobody uses")
struct MemoryReturnTests {
    /// Of this process, in MiB.
    private static func resident() throws -> Int {
        let file = try #require(fopen("/proc/self/statm", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        let read = fgets(&line, 256, file)
        try #require(read != nil)
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
            separator: " ")
        let pages = try #require(words.count > 1 ? Int(words[1]) : nil)
        return (pages * Int(sysconf(Int32(_SC_PAGESIZE)))) >> 20
    }

    @Test("it goes back to the system although something behind it is still in use")
    func itGoesBackToTheSystemAlthoughSomethingBehindItIsStillInUse() throws {
        let loop = try EventLoop()
        var blocks = (0..<200_000).compactMap { _ in malloc(1000) }
        for block in blocks { memset(block, 1, 1000) }
        // Without it the C library would give back the end of the heap by itself.
        let last = blocks.removeLast()
        for block in blocks { free(block) }
        let before = try Self.resident()
        let memory = MemoryReturn(on: loop, every: .milliseconds(1))
        loop.setTimer(after: .milliseconds(50)) { loop.stop() }
        loop.run()
        memory.cancel()
        // Other tests take and free memory meanwhile.
        let after = try Self.resident()
        #expect(after < before - 100, "\(before) MiB before, \(after) after")
        free(last)
    }
}
