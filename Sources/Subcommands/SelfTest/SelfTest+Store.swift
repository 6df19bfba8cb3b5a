import AlarmModel
import ApplianceCore
import CommandKit
import EventStore
import Glibc
import Platform

/// The card: writing, room, and whether the journal is sound.
extension SelfTest {
    /// A sync that takes longer holds up what waits for it.
    static let slowSync: Duration = .milliseconds(500)
    /// Less room than this is soon none.
    static let leastRoom: UInt64 = 32 << 20
    private static let checkTime: Duration = .seconds(20)

    func store(_ daemon: StoreReport?, _ report: (SelfTestLine) -> Void) {
        if let problem = daemon?.problem { report(.failed("store", problem, "see what the message says")) }
        report(Self.writing(in: stateDirectory))
        report(Self.room(in: stateDirectory))
        report(integrity())
    }

    /// Writes a file of one page as the journal would, and takes it away.
    static func writing(in directory: String) -> SelfTestLine {
        let path = "\(directory)/self-test"
        let begin = SystemClock.bootTime()
        do throws(SystemError) {
            try AtomicFile.write(path, [UInt8](repeating: 0x55, count: 4096))
            let span = SystemClock.bootTime() - begin
            // From memory it would always be what was written.
            let read = try BlockFile(path, isWritable: false).readFromMedium(4096, at: 0)
            unlink(path)
            guard read.count == 4096, read.allSatisfy({ $0 == 0x55 }) else {
                return .failed("store", "what was written is read back differently", "replace the card")
            }
            return judged(sync: span)
        } catch {
            unlink(path)
            return .failed(
                "store", "a file cannot be written: \(error)",
                "check that the card is not full, not read-only and "
                    + "that you are the daemon's user")
        }
    }

    static func judged(sync span: Duration) -> SelfTestLine {
        span <= slowSync
            ? .passed("store", "a file is written and synced in \(Text.milliseconds(span))")
            : .failed(
                "store", "writing and syncing one page takes \(Text.milliseconds(span))",
                "a card that slow is worn or of the wrong kind; replace it with an industrial one")
    }

    static func room(in directory: String) -> SelfTestLine {
        var facts = statvfs()
        guard statvfs(directory, &facts) == 0 else {
            return .failed(
                "room", "\(directory) cannot be looked at: \(String(cString: strerror(errno)))",
                "name the state directory with --state")
        }
        let free = UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
        let all = UInt64(facts.f_blocks).multipliedReportingOverflow(by: UInt64(facts.f_frsize)).partialValue
        return judged(free: free, of: all)
    }

    static func judged(free: UInt64, of all: UInt64) -> SelfTestLine {
        let words = "\(free >> 20) MiB of \(all >> 20) MiB are free"
        return free >= leastRoom
            ? .passed("room", words)
            : .failed("room", words, "delete something, keep fewer events (journal.keep_events) or use a bigger card")
    }

    private func integrity() -> SelfTestLine {
        do throws(StoreError) {
            let reader = try JournalReader(directory: stateDirectory)
            let isComplete = try reader.check(within: Self.checkTime)
            let last = try reader.lastSequence().number
            return .passed(
                "journal",
                "sound\(isComplete ? "" : " as far as it was looked at in \(Text.span(Self.checkTime))"), "
                    + "the newest event has the number \(last)")
        } catch {
            return error.kind == .missing
                ? .failed("journal", "there is none in \(stateDirectory)", "name the state directory with --state")
                : .failed(
                    "journal", "\(error)",
                    error.kind == .corrupt
                        ? "restart the daemon: it sets the damaged one aside; and replace the card"
                        : "run this as the daemon's user")
        }
    }
}
