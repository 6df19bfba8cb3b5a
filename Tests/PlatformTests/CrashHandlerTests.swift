import Glibc
import Platform
import Testing

@Suite("The record of a crash")
struct CrashHandlerTests {
    @Test("holds its time and what was marked as at work")
    func holdsItsTimeAndWhatWasMarkedAsAtWork() async throws {
        let path = "/tmp/crash-of-\(getpid())"
        defer { unlink(path) }
        let before = SystemClock.bootTime()
        // The child knows its parent's number, and nothing else of this test.
        await #expect(processExitsWith: .signal(SIGILL)) {
            CrashHandler.install(recordingIn: "/tmp/crash-of-\(getppid())")
            CrashHandler.mark(3)
            raise(SIGILL)
        }
        await #expect(processExitsWith: .signal(SIGABRT)) {
            CrashHandler.install(recordingIn: "/tmp/crash-of-\(getppid())")
            CrashHandler.mark(1)
            CrashHandler.mark(7)
            abort()
        }
        let records = CrashHandler.records(in: path)
        #expect(records.map(\.mark) == [3, 7])
        #expect(records.allSatisfy { before < $0.time && $0.time < SystemClock.bootTime() })
    }
}
