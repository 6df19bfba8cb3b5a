import Foundation
import Testing

@testable import CommandKit

@Suite struct OutputEndTests {
    @Test("output that cannot be written is no success; a reader that went away is no failure")
    func outputThatCannotBeWrittenIsNoSuccess() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let said = Pipe()
        let console = Console(output: full.fileDescriptor, errors: said.fileHandleForWriting.fileDescriptor)
        console.print(["a line"])
        #expect(console.status(after: ExitStatus.done) == ExitStatus.failed)
        #expect(console.status(after: ExitStatus.noDaemon) == ExitStatus.noDaemon)
        let words = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        #expect(words.hasPrefix("howalarming: the output cannot be written: No space left on device\n"))
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        signal(SIGPIPE, SIG_IGN)
        let lonely = Console(output: pipe.fileHandleForWriting.fileDescriptor, errors: -1)
        lonely.print(["a line"])
        #expect(lonely.isOutputGone && lonely.status(after: ExitStatus.done) == ExitStatus.done)
    }

    @Test("waiting for another try is over at once when nobody reads any more")
    func waitingForAnotherTryIsOverAtOnceWhenNobodyReadsAnyMore() {
        let pipe = Pipe()
        let console = Console(output: pipe.fileHandleForWriting.fileDescriptor)
        console.waitForOutputEnd(.milliseconds(1))
        #expect(!console.isOutputGone)
        try? pipe.fileHandleForReading.close()
        let begin = ContinuousClock.now
        console.waitForOutputEnd(.seconds(60))
        #expect(console.isOutputGone)
        #expect(ContinuousClock.now - begin < .seconds(30))
    }
}
