import Foundation
import Glibc

/// A program that finds the mark of a time service that has set the clock, in a mount namespace of its own.
enum SetClock {
    private static let program = "/usr/bin/unshare"

    /// Before the program's own path and its arguments.
    static var launcher: [String] {
        [program, geteuid() == 0 ? "-m" : "-rm", "sh", "-c", mark + " && exec \"$0\" \"$@\""]
    }

    private static let mark =
        "mount -t tmpfs none /run && mkdir -p /run/systemd/timesync && : >/run/systemd/timesync/synchronized"

    /// Not every container lets one.
    static let isPossible: Bool = {
        guard access(program, X_OK) == 0 else { return false }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = Array(launcher.dropFirst()) + ["true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
