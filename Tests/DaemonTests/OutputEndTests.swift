import Foundation
import Testing

@testable import CommandKit

@Suite struct OutputEndTests {
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
