import EventStore
import Foundation
import Testing

@testable import Daemon

@Suite struct CrashRecordTests {
    @Test("the record of this boot stays, those of earlier boots go, and nothing else does")
    func theRecordOfThisBootStays() throws {
        let directory = NSTemporaryDirectory() + "crashes-" + UUID().uuidString
        try StateFile.makeDirectory(directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for name in ["crashes-0a0a0a0a", "crashes-1b1b1b1b", "crashes-unknown", "journal.db", "lock"] {
            try StateFile.write([], to: "\(directory)/\(name)")
        }
        CrashRecord.removeOthers(than: "crashes-1b1b1b1b", in: directory)
        #expect(try StateFile.names(in: directory) == ["crashes-1b1b1b1b", "journal.db", "lock"])
    }
}
