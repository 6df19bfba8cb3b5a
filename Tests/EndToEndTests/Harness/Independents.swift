import Foundation
import Glibc

/// Programs of others that `tools/lib/independents` has unpacked below `.build/independents`.
enum Independents {
    static let place = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".build/independents").path
    static let root = "\(place)/root"

    static let hasProsody = isThere("\(root)/usr/bin/prosody", else: "/usr/bin/prosody")
    static let hasAiontfy = isThere("\(place)/aiontfy.done")
    static let hasSlixmpp = isThere("\(place)/slixmpp.done")
    static let hasQRencode = isThere("\(root)/usr/bin/qrencode", else: "/usr/bin/qrencode")

    /// What a skipped test says.
    static let advice = "start 'tools/lib/independents' first; tools/test does"

    /// Newer than Debian 12's.
    static var newerPython: String { "\(place)/python-new/bin/python" }
    static var python: String { "\(place)/python/bin/python" }
    static var libraries: String {
        ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "\(root)/usr/lib/\($0)" }.joined(separator: ":")
    }

    private static func isThere(_ unpacked: String, else installed: String? = nil) -> Bool {
        // Where tests must not be skipped, one that cannot run fails.
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        return access(unpacked, R_OK) == 0 || installed.map { access($0, X_OK) == 0 } ?? false
    }
}
