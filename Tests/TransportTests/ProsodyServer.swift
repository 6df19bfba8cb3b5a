import Glibc
import PhoneLink
import Platform
import Testing

/// The XMPP server Prosody with the accounts `box` and `anna` at `house.test`, TLS at once on one port of 127.0.0.1 and
/// STARTTLS on another; on the loop of a runner.
final class ProsodyServer {
    static let isThere = Independents.has("/usr/bin/prosody") && Independents.hasPython("slixmpp")
    static let domain = "house.test"

    let directTLSPort: UInt16
    let startTLSPort: UInt16
    let authority: TestAuthority
    private let directory: String
    private var program: ProgramOfOthers?

    init() throws {
        directTLSPort = try freePort()
        startTLSPort = try freePort()
        authority = try TestAuthority()
        directory = authority.directory.path
        let files = try authority.files([Self.domain, "localhost"])
        mkdir("\(directory)/house%2etest", 0o700)
        mkdir("\(directory)/house%2etest/accounts", 0o700)
        for name in ["box", "anna"] {
            _ = try authority.directory.write(
                "house%2etest/accounts/\(name).dat", "return { [\"password\"] = \"pass of \(name)\"; };\n")
        }
        let ssl = "{ certificate = \"\(files.chain)\", key = \"\(files.key)\" }"
        _ = try authority.directory.write(
            "prosody.cfg.lua",
            """
            run_as_root = true
            daemonize = false
            pidfile = "\(directory)/prosody.pid"
            data_path = "\(directory)"
            log = { { levels = { min = "info" }, to = "console" } }
            interfaces = { "127.0.0.1" }
            c2s_ports = { \(startTLSPort) }
            c2s_direct_tls_ports = { \(directTLSPort) }
            s2s_ports = {}
            s2s_direct_tls_ports = {}
            http_ports = {}
            https_ports = {}
            authentication = "internal_plain"
            c2s_require_encryption = true
            allow_unencrypted_plain_auth = false
            modules_enabled = { "saslauth", "tls", "ping", "roster", "smacks", "offline", "carbons" }
            modules_disabled = { "posix", "http" }
            certificates = "\(directory)"
            ssl = \(ssl)
            c2s_direct_tls_ssl = \(ssl)
            VirtualHost "localhost"
            VirtualHost "\(Self.domain)"
              ssl = \(ssl)

            """)
        // Its main program looks for its parts where the package would have put them.
        let text = String(
            decoding: try FileReader.read(Independents.program("/usr/bin/prosody"), limit: 1 << 20), as: UTF8.self)
        let isUnpacked = Independents.program("/usr/bin/prosody").hasPrefix(Independents.root)
        let place = "'/usr/lib/prosody"
        let parts = text.split(separator: place, omittingEmptySubsequences: false)
        let moved = parts.joined(separator: isUnpacked ? "'\(Independents.root)/usr/lib/prosody" : place)
        _ = try authority.directory.write("prosody.lua", moved)
    }

    func start(on runner: TransportRunner<XMPPTransport>) throws {
        let root = "\(Independents.root)/usr"
        let kinds = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        let paths = ["lib/prosody/?.lua", "share/lua/5.4/?.lua", "share/lua/5.4/?/init.lua"].map { "\(root)/\($0)" }
        let parts = ["\(root)/lib/prosody/?.so"] + kinds.map { "\(root)/lib/\($0)/lua/5.4/?.so" }
        let program = try ProgramOfOthers(
            Independents.program("/usr/bin/lua5.4"),
            ["\(directory)/prosody.lua", "-F", "--config", "\(directory)/prosody.cfg.lua"],
            environment: [
                "LD_LIBRARY_PATH=" + kinds.map { "\(root)/lib/\($0)" }.joined(separator: ":"),
                "LUA_PATH=" + paths.joined(separator: ";") + ";;", "LUA_CPATH=" + parts.joined(separator: ";") + ";;",
            ], on: runner.loop)
        self.program = program
        try runner.wait(for: "Prosody") { _ in
            if program.end != nil {
                throw WaitedInVain(description: (program.lines + program.complaints).joined(separator: "\n"))
            }
            return program.lines.contains { $0.contains("Activated service 'c2s_direct_tls'") }
        }
    }

    var log: String { ((program?.lines ?? []) + (program?.complaints ?? [])).suffix(30).joined(separator: "\n") }

    func stop() { program = nil }

    /// slixmpp as Anna's phone: asks to see the box, says what it hears, sends the lines that it is given.
    func phone(_ words: [String], on runner: TransportRunner<XMPPTransport>) throws -> ProgramOfOthers {
        let script = try authority.directory.write("phone.py", Self.script)
        return try ProgramOfOthers(
            Independents.python, [script, String(startTLSPort), authority.file] + words, on: runner.loop)
    }

    private static let script = """
        import asyncio, sys
        import slixmpp
        port, authority, words = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
        class Phone(slixmpp.ClientXMPP):
            def __init__(self):
                super().__init__('anna@house.test/phone', 'pass of anna')
                self.ca_certs = authority
                # The port takes TLS after STARTTLS only; by itself slixmpp tries TLS from the first byte before that.
                self.enable_direct_tls = False
                self.register_plugin('xep_0184')
                self.add_event_handler('session_start', self.started)
                self.add_event_handler('message', lambda m: print('message', m['id'], repr(m['body']), flush=True))
                self.add_event_handler('receipt_received', lambda m: print('receipt', m['receipt'], flush=True))
                self.add_event_handler('presence_subscribed', lambda p: print('subscribed', flush=True))
                self.add_event_handler('changed_status', lambda p: print('presence', p['from'].bare, p['type'], p['status'], flush=True))
                self.add_event_handler('failed_auth', lambda _: print('refused', flush=True))
            async def started(self, _):
                self.send_presence()
                await self.get_roster()
                self.send_presence_subscription('box@house.test')
                for number, word in enumerate(words):
                    message = self.make_message(mto='box@house.test', mbody=word, mtype='chat')
                    message['id'] = 'w%d' % number
                    message['request_receipt'] = True
                    message.send()
                print('session', flush=True)
        async def main():
            phone = Phone()
            phone.connect('127.0.0.1', port)
            await asyncio.sleep(120)
        asyncio.run(main())
        """
}
