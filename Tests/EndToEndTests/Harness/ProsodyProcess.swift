import Foundation
import Glibc
import Platform

/// The XMPP server Prosody on a loopback port, TLS from the first byte, with a module that plays the push service.
final class ProsodyProcess {
    let port: UInt16
    let authorityFile: String
    private let directory: TestDirectory
    private var program: Program?
    private var startCount = 0

    init(in directory: TestDirectory) throws {
        self.directory = directory
        // Free a moment ago; Prosody takes no 0.
        let (held, port) = try TestSocket.bind(listening: false)
        held.close()
        self.port = port
        let authority = try Authority(name: "Prosody of a test")
        let identity = try authority.issue(Authority.Request(names: ["localhost", "127.0.0.1", "gcm.googleapis.com"]))
        authorityFile = try directory.write("prosody-ca.pem", authority.certificatePEM)
        let certificate = try directory.write("prosody.crt", identity.certificateChainPEM)
        let key = try directory.write("prosody.key", identity.privateKeyPEM)
        try FileManager.default.createDirectory(
            atPath: "\(directory.path)/prosody-data", withIntermediateDirectories: true)
        let modules = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Prosody").path
        _ = try directory.write(
            "prosody.cfg.lua",
            """
            run_as_root = true
            daemonize = false
            pidfile = "\(directory.path)/prosody.pid"
            data_path = "\(directory.path)/prosody-data"
            plugin_paths = { "\(modules)" }
            log = { { levels = { min = "info" }, to = "console" } }
            interfaces = { "127.0.0.1" }
            c2s_ports = {}
            c2s_direct_tls_ports = { \(port) }
            s2s_ports = {}
            s2s_direct_tls_ports = {}
            http_ports = {}
            https_ports = {}
            authentication = "ccs"
            ccs_accounts = { ["\(PushProcess.sender)@gcm.googleapis.com"] = "\(PushProcess.key)" }
            disable_sasl_mechanisms = { "SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256-PLUS", "EXTERNAL" }
            allow_unencrypted_plain_auth = false
            modules_enabled = { "saslauth", "tls", "ping" }
            modules_disabled = { "s2s", "offline", "posix", "http" }
            certificates = "\(directory.path)"
            ssl = { certificate = "\(certificate)", key = "\(key)" }
            c2s_direct_tls_ssl = { certificate = "\(certificate)", key = "\(key)" }
            ccs_log = "\(directory.path)/ccs.log"
            ccs_drain = "\(directory.path)/ccs.drain"
            -- The name that clients ask for in their TLS handshake.
            VirtualHost "localhost"
            VirtualHost "gcm.googleapis.com"
              modules_enabled = { "ccs" }

            """)
    }

    /// Its main program with the places of the unpacked tree.
    private static func script() throws -> String {
        let unpacked = "\(Independents.root)/usr/bin/prosody"
        let isUnpacked = access(unpacked, R_OK) == 0
        var text = try String(contentsOfFile: isUnpacked ? unpacked : "/usr/bin/prosody", encoding: .utf8)
        if isUnpacked {
            text = text.replacing("'/usr/lib/prosody", with: "'\(Independents.root)/usr/lib/prosody")
        }
        return text
    }

    /// Starts it, and waits until it takes connections.
    func start() throws {
        startCount += 1
        program = try Self.run(
            "\(directory.path)/prosody.cfg.lua", named: "prosody-\(startCount)", port: port, in: directory)
    }

    /// Prosody with another configuration, taking connections on this port when this returns.
    static func run(
        _ configuration: String, named name: String, port: UInt16, in directory: TestDirectory
    ) throws -> Program {
        let main = try directory.write("\(name).lua", try script())
        let root = Independents.root
        let kinds = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        let paths = [
            "\(root)/usr/lib/prosody/?.lua", "\(root)/usr/share/lua/5.4/?.lua", "\(root)/usr/share/lua/5.4/?/init.lua",
        ]
        let libraries =
            ["\(root)/usr/lib/prosody/?.so"] + kinds.map { "\(root)/usr/lib/\($0)/lua/5.4/?.so" }
        let started = try Program(
            name, [main, "-F", "--config", configuration], in: directory,
            environment: [
                "LD_LIBRARY_PATH": Independents.libraries, "LUA_PATH": paths.joined(separator: ";") + ";;",
                "LUA_CPATH": libraries.joined(separator: ";") + ";;",
            ], executable: Independents.program("/usr/bin/lua5.4"))
        try eventually("Prosody takes connections; \(started.report)") {
            guard started.isRunning else { throw HarnessError("Prosody has ended. \(started.report)") }
            return (try? LineClient(port: port)) != nil ? true : nil
        }
        return started
    }

    /// At once, connections and all.
    func kill9() { program?.kill9() }

    /// What its clients said.
    var heard: [String] { directory.read("ccs.log").split(separator: "\n").map(String.init) }

    func drain() throws {
        // It is removed as soon as it is seen.
        let file = try directory.write("ccs.drain.new", "now\n")
        try FileManager.default.moveItem(atPath: file, toPath: "\(directory.path)/ccs.drain")
    }

    var report: String { program?.report ?? "not started" }
}
