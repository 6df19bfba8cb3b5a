package import ApplianceCore
import Glibc
import Platform

/// The file by which whoever holds the card resets a lost PIN of the serial console: `reset-pin` beside the
/// configuration.
package enum PINResetFile {
    static let name = "reset-pin"

    /// Removes the file; nil when there is none. What cannot be removed resets nothing, because each start would do so.
    package static func take(besides configurationFile: String) -> StartFinding? {
        let directory = configurationFile.lastIndex(of: "/").map { String(configurationFile[..<$0]) } ?? "."
        let path = "\(directory.isEmpty ? "/" : directory)/\(name)"
        guard access(path, F_OK) == 0 else { return nil }
        guard unlink(path) == 0 else {
            return .consolePINNotReset(why: SystemError.last("unlink", path).description)
        }
        // Gone for good before it takes effect.
        do throws(SystemError) {
            try AtomicFile.syncDirectory(of: path)
        } catch {
            return .consolePINNotReset(why: error.description)
        }
        return .consolePINReset
    }
}
