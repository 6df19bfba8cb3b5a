import PhoneProtocol
import Platform

/// A receiver of others on loopback, which prints what it was told: an object a line after the line with its port.
struct ReceiverProcess {
    let program: Program
    let port: UInt16
    /// Of whoever vouches for its certificate; nil: it speaks in clear.
    let authorityFile: String?

    enum Kind {
        /// pysiaalarm, the receiver of Home Assistant: it answers by itself, and takes a key's characters as the key.
        case pysiaalarm
        /// siadc09 as the reader and writer of a small server; it refuses times that are more than 20 s ahead.
        case siadc09
    }

    /// - Parameters:
    ///   - key: as the receiver wants it; empty: none
    ///   - ahead: so many seconds its clock is ahead
    ///   - isEncrypted: pysiaalarm only: it speaks TLS from the first byte, and its certificate is for 127.0.0.1
    init(
        _ kind: Kind, account: String, key: String, port: UInt16 = 0, ahead: Int = 0, isEncrypted: Bool = false,
        in directory: TestDirectory
    ) throws {
        let isHomeAssistants = kind == .pysiaalarm
        var identityFile = ""
        if isEncrypted {
            let authority = try Authority(name: "Receiver of a test")
            let identity = try authority.issue(Authority.Request(names: ["127.0.0.1"]))
            authorityFile = try directory.write("receiver-ca.pem", authority.certificatePEM)
            identityFile = try directory.write("receiver.pem", identity.certificateChainPEM + identity.privateKeyPEM)
        } else {
            authorityFile = nil
        }
        program = try Program(
            isHomeAssistants ? "pysiaalarm" : "siadc09",
            ["-u", "-c", isHomeAssistants ? Self.homeAssistants : Self.small, account, key, "\(port)", "\(ahead)"]
                + [identityFile],
            in: directory, executable: isHomeAssistants ? Independents.python : Independents.newerPython)
        let program = program
        self.port = try eventually("the port of the receiver; \(program.report)") {
            program.lines.first.flatMap { UInt16($0) }
        }
    }

    static let isThere = Independents.hasPysiaalarm && Independents.hasSiadc09

    var told: [JSON] { program.lines.dropFirst().compactMap { try? JSON(parsing: $0) } }

    /// Number and content of each report that it has confirmed.
    var reports: [String] {
        told.compactMap { line in
            guard let text = line["report"]?.stringValue, let number = line["seq"]?.integerValue else { return nil }
            return "\(number) \(text)"
        }
    }

    /// Waits for a report.
    func wait(_ text: String) throws {
        try eventually("\(text); \(program.report)") { told.contains { $0["report"] == .string(text) } ? true : nil }
    }

    /// Its own server takes one of several messages at a time and never ends; here it is one thread for each connection.
    private static let homeAssistants = """
        import json, os, socketserver, ssl, sys
        from pysiaalarm import SIAAccount
        from pysiaalarm.sync.handler import SIATCPHandler
        from pysiaalarm.sync.server import SIATCPServer
        from pysiaalarm.utils import Counter
        def told(event):
            report = None
            if event.event_type:
                report = f'{event.event_qualifier}{event.event_type} {event.partition} {event.ri}'
            os.write(1, json.dumps(dict(report=report, seq=int(event.sequence), code=event.code,
                                        encrypted=event.encrypted)).encode() + bytes([10]))
        account, key, port, identity = sys.argv[1], sys.argv[2] or None, int(sys.argv[3]), sys.argv[5]
        server = SIATCPServer(('127.0.0.1', port), {account: SIAAccount(account, key)}, told, Counter())
        if identity:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(identity)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1])
        server.serve_forever()
        """

    private static let small = """
        import datetime, json, os, socketserver, sys
        from siadc09 import account, message
        number, key, port, ahead = sys.argv[1], sys.argv[2] or None, int(sys.argv[3]), int(sys.argv[4])
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                data = b''
                while more := self.request.recv(4096):
                    data += more
                    while (end := data.find(bytes([13]))) >= 0:
                        frame, data = data[:end + 1], data[end + 1:]
                        self.told(message.parse_frame(frame, bytes.fromhex(key) if key else None))
            def told(self, m):
                now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=ahead)
                late = (now - m.timestamp).total_seconds()
                context = account.Account(acct=m.account.acct, pref=m.account.pref, rcvr=m.account.rcvr, key=key)
                if m.account.acct != int(number, 16) or bool(key) != m.encrypted:
                    return self.request.sendall(message.DuhMessage(context, m.seq).encode())
                if not -20 <= late <= 40:
                    os.write(1, json.dumps(dict(late=late)).encode() + bytes([10]))
                    return self.request.sendall(message.NakMessage(context, now).encode())
                report = None if m.data is None else m.data.pack(brackets=False).decode().split('|')[-1]
                os.write(1, json.dumps(dict(report=report, seq=m.seq, words=str(m), id=m.idtoken,
                                            peer=self.client_address[0])).encode() + bytes([10]))
                self.request.sendall(message.AckMessage(context, m.seq).encode(timestamp=now if key else None))
        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
        with Server(('127.0.0.1', port), Handler) as server:
            print(server.server_address[1])
            server.serve_forever()
        """
}
