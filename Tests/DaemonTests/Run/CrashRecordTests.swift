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
        let names = [
            "crashed-0a0a0a0a", "crashed-1b1b1b1b", "crashes-1b1b1b1b", "crashed-unknown", "journal.db", "lock",
        ]
        for name in names {
            try StateFile.write([], to: "\(directory)/\(name)")
        }
        CrashRecord.removeOthers(than: "crashed-1b1b1b1b", in: directory)
        #expect(try StateFile.names(in: directory) == ["crashed-1b1b1b1b", "journal.db", "lock"])
    }
}
