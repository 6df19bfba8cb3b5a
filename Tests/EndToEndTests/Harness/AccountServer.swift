import Foundation
import Platform

/// The XMPP server Prosody with the accounts `box`, `anna` and `eve` at `house.test`, and slixmpp as the apps of people.
final class AccountServer {
    static let domain = "house.test"
    let port: UInt16
    let authorityFile: String
    private let directory: TestDirectory
    private let program: Program
    private var appCount = 0

    init(in directory: TestDirectory) throws {
        self.directory = directory
        let (held, port) = try TestSocket.bind(listening: false)
        held.close()
        self.port = port
        let authority = try Authority(name: "Prosody of a test")
        let identity = try authority.issue(Authority.Request(names: [Self.domain, "localhost"]))
        authorityFile = try directory.write("xmpp-ca.pem", authority.certificatePEM)
        let certificate = try directory.write("xmpp.crt", identity.certificateChainPEM)
        let key = try directory.write("xmpp.key", identity.privateKeyPEM)
        let data = "\(directory.path)/xmpp-data"
        try FileManager.default.createDirectory(
            atPath: "\(data)/house%2etest/accounts", withIntermediateDirectories: true)
        for name in ["box", "anna", "eve"] {
            _ = try directory.write(
                "xmpp-data/house%2etest/accounts/\(name).dat", "return { [\"password\"] = \"pass of \(name)\"; };\n")
        }
        let ssl = "{ certificate = \"\(certificate)\", key = \"\(key)\" }"
        let configuration = try directory.write(
            "xmpp.cfg.lua",
            """
            run_as_root = true
            daemonize = false
            pidfile = "\(directory.path)/xmpp.pid"
            data_path = "\(data)"
            log = { { levels = { min = "info" }, to = "console" } }
            interfaces = { "127.0.0.1" }
            c2s_ports = { \(port) }
            c2s_direct_tls_ports = {}
            s2s_ports = {}
            s2s_direct_tls_ports = {}
            http_ports = {}
            https_ports = {}
            authentication = "internal_plain"
            c2s_require_encryption = true
            allow_unencrypted_plain_auth = false
            modules_enabled = { "saslauth", "tls", "ping", "roster", "smacks", "offline", "carbons" }
            modules_disabled = { "s2s", "posix", "http" }
            certificates = "\(directory.path)"
            ssl = \(ssl)
            VirtualHost "localhost"
            VirtualHost "\(Self.domain)"
              ssl = \(ssl)

            """)
        program = try ProsodyProcess.run(configuration, named: "xmpp", port: port, in: directory)
    }

    /// The lines of the configuration for the account of the house.
    var section: [String] {
        [
            "xmpp:", "  jid: box@\(Self.domain)", "  password: pass of box", "  host: 127.0.0.1", "  port: \(port)",
            "  security: starttls", "  ca_file: '\(authorityFile)'",
            "  timing: {reconnect_minimum: 100ms, reconnect_maximum: 500ms}",
        ]
    }

    var report: String { program.report }

    /// Somebody's app, logged in when this returns.
    func app(of name: String) throws -> Chat {
        appCount += 1
        let words = "\(name)-\(appCount).words"
        _ = try directory.write(words, "")
        let program = try Program(
            "app-\(appCount)",
            ["-u", "-c", Self.script, String(port), authorityFile, "\(name)@\(Self.domain)", "pass of \(name)"]
                + ["\(directory.path)/\(words)"],
            in: directory, executable: Independents.python)
        _ = try program.waitForLine(containing: "session")
        return Chat(program: program, directory: directory, words: words)
    }

    /// A conversation with the box.
    struct Chat {
        let program: Program
        fileprivate let directory: TestDirectory
        fileprivate let words: String

        func say(_ text: String) throws {
            let said = directory.read(words)
            // Written whole, beside it, and then put in its place.
            let file = try directory.write("\(words).new", said + text + "\n")
            _ = rename(file, "\(directory.path)/\(words)")
        }

        /// What the box has written, each message on a line of its own.
        var heard: [String] { program.lines.filter { $0.hasPrefix("message ") } }

        @discardableResult
        func wait(for text: String) throws -> String {
            String(try program.waitForLine(containing: text).dropFirst("message ".count))
        }

        /// Says it and waits for something new that contains the text.
        @discardableResult
        func ask(_ question: String, _ text: String) throws -> String {
            let before = heard.count
            try say(question)
            return try eventually("\(text) for \(question); \(program.report)") {
                heard.dropFirst(before).first { $0.contains(text) }
            }
        }
    }

    private static let script = """
        import asyncio, sys
        import slixmpp
        port, authority, account, password, words = int(sys.argv[1]), *sys.argv[2:6]
        class App(slixmpp.ClientXMPP):
            def __init__(self):
                super().__init__(account + '/app', password)
                self.ca_certs = authority
                # The server's port takes TLS after STARTTLS only. By itself slixmpp tries TLS from the first byte
                # before that, and waits a minute for an answer.
                self.enable_direct_tls = False
                self.add_event_handler('session_start', self.started)
                self.add_event_handler('message', lambda m: print('message', repr(m['body'])))
                self.add_event_handler('failed_auth', lambda _: print('refused'))
                for step in ['connected', 'connection_failed', 'tls_success', 'auth_success', 'disconnected']:
                    self.add_event_handler(step, lambda why, step=step: print(step, why, file=sys.stderr))
            async def started(self, _):
                self.send_presence()
                await self.get_roster()
                self.send_presence_subscription('box@house.test')
                print('session')
                said = 0
                while True:
                    lines = open(words).read().splitlines()
                    for line in lines[said:]:
                        self.send_message(mto='box@house.test', mbody=line, mtype='chat')
                    said = len(lines)
                    await asyncio.sleep(0.05)
        async def main():
            App().connect('127.0.0.1', port)
            await asyncio.sleep(3600)
        asyncio.run(main())
        """
}
