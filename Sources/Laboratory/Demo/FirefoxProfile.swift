import Glibc
import Platform

/// A profile of Firefox for the demo alone: its push service is the laboratory's, a finger can be simulated, and closing
/// the last page leaves the browser there.
struct FirefoxProfile {
    let directory: String

    /// - Parameters:
    ///   - pushPort: of the push service
    ///   - fingerprint: of its certificate, which the profile trusts at that place alone
    init(in parent: String, pushPort: UInt16, fingerprint: [UInt8]) throws(SystemError) {
        directory = "\(parent)/firefox"
        guard mkdir(directory, 0o700) == 0 else { throw SystemError.last("mkdir", directory) }
        try AtomicFile.write(
            "\(directory)/user.js",
            Array(Self.preferences(pushPort, hasDesktop: !Self.variable("DBUS_SESSION_BUS_ADDRESS").isEmpty).utf8),
            mode: 0o600)
        try AtomicFile.write(
            "\(directory)/cert_override.txt", Array(Self.trust(pushPort, fingerprint).utf8), mode: 0o600)
    }

    /// So that all it writes is in the profile; the key to the screen stays its user's.
    var environment: [String] {
        let named = Self.variable("XAUTHORITY")
        let key = named.isEmpty ? "\(Self.variable("HOME"))/.Xauthority" : named
        return ["HOME=\(directory)", "TMPDIR=\(directory)"] + (access(key, R_OK) == 0 ? ["XAUTHORITY=\(key)"] : [])
    }

    func remove() { DemoDirectory.remove(directory) }

    /// - Parameter hasDesktop: it shows the notices; otherwise Firefox does so itself
    static func preferences(_ pushPort: UInt16, hasDesktop: Bool) -> String {
        let values = [
            ("dom.push.serverURL", "\"\(BrowserPushService.address(port: pushPort))\""),
            // A browser under remote control has it off otherwise.
            ("dom.push.connection.enabled", "true"), ("marionette.port", "0"),
            ("security.webauth.webauthn_enable_softtoken", "true"),
            ("security.webauth.webauthn_enable_usbtoken", "false"),
            ("browser.tabs.closeWindowWithLastTab", "false"), ("browser.shell.checkDefaultBrowser", "false"),
            ("browser.aboutwelcome.enabled", "false"), ("termsofuse.bypassNotification", "true"),
            ("browser.ml.linkPreview.enabled", "false"), ("alerts.useSystemBackend", "\(hasDesktop)"),
            ("datareporting.policy.dataSubmissionEnabled", "false"),
        ]
        return values.map { "user_pref(\"\($0.0)\", \($0.1));\n" }.joined()
    }

    /// A line of host and port, the hash's name (SHA-256), and the certificate's hash.
    static func trust(_ pushPort: UInt16, _ fingerprint: [UInt8]) -> String {
        let digits = fingerprint.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        return "localhost:\(pushPort):\tOID.2.16.840.1.101.3.4.2.1\t\(digits.joined(separator: ":"))\t\n"
    }

    /// Where Firefox puts the port of its remote control.
    var remotePort: UInt16? {
        guard let text = try? FileReader.read("\(directory)/MarionetteActivePort", limit: 16) else { return nil }
        return UInt16(String(decoding: text.filter { (48...57).contains($0) }, as: UTF8.self))
    }

    private static func variable(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }

    /// The program, and that it has a screen; before anything is started.
    static func program() throws(DemoEnd) -> String {
        guard !variable("DISPLAY").isEmpty || !variable("WAYLAND_DISPLAY").isEmpty else {
            throw DemoEnd.failed(
                "Firefox wants a screen, and there is none here (DISPLAY is empty); start the demo in a terminal of a "
                    + "desktop, or leave '--firefox' out")
        }
        for name in ["firefox-esr", "firefox"] {
            for folder in variable("PATH").split(separator: ":") where access("\(folder)/\(name)", X_OK) == 0 {
                return "\(folder)/\(name)"
            }
        }
        throw DemoEnd.failed("there is no Firefox on PATH; install one (Debian: firefox-esr), or leave '--firefox' out")
    }
}
