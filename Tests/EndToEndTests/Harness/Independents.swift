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
    static let hasPyOTP = isThere("\(place)/pyotp.done")
    static let hasMosquitto = isThere("\(root)/usr/sbin/mosquitto", else: "/usr/sbin/mosquitto")
    static let hasNUT = isThere("\(place)/nut.done", else: "/usr/sbin/upsd")
    static let hasDBusMock = isThere("\(root)/usr/lib/python3/dist-packages/dbusmock/__main__.py")
    static let hasESpeak = isThere("\(root)/usr/bin/espeak-ng", else: "/usr/bin/espeak-ng")
    static let hasBeanstalkd =
        isThere("\(root)/usr/bin/beanstalkd", else: "/usr/bin/beanstalkd") && isThere("\(place)/greenstalk.done")
    static let hasPysiaalarm = isThere("\(place)/pysiaalarm.done")
    static let hasSiadc09 = isThere("\(place)/siadc09.done")
    static let hasAiosmtpd = isThere("\(place)/aiosmtpd.done")
    static let hasQRencode = isThere("\(root)/usr/bin/qrencode", else: "/usr/bin/qrencode")

    /// What a skipped test says.
    static let advice = "start 'tools/lib/independents' first; tools/test does"

    /// Newer than Debian 12's.
    static var newerPython: String { "\(place)/python-new/bin/python" }
    static var python: String { "\(place)/python/bin/python" }
    /// A program from a Debian package, where it was unpacked or where it is installed.
    static func program(_ path: String) -> String { access("\(root)\(path)", X_OK) == 0 ? "\(root)\(path)" : path }
    static var libraries: String {
        ["x86_64-linux-gnu", "aarch64-linux-gnu"].map { "\(root)/usr/lib/\($0)" }.joined(separator: ":")
    }

    private static func isThere(_ unpacked: String, else installed: String? = nil) -> Bool {
        // Where tests must not be skipped, one that cannot run fails.
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        return access(unpacked, R_OK) == 0 || installed.map { access($0, X_OK) == 0 } ?? false
    }
}
