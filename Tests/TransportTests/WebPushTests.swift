import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Synchronization
import Testing

/// The channel over TLS to a push service in Python, which reads the body with http-ece and the signature with py-vapid.
@Suite("Web push on sockets", .serialized, .timeLimit(.minutes(5)))
struct WebPushTests {
    private final class Storage: PushKeyStorage {
        let key = Mutex<[UInt8]?>(nil)
        func load() -> [UInt8]? { key.withLock { $0 } }
        func save(_ new: [UInt8]) { key.withLock { $0 = new } }
    }

    /// Prints its port and the browser's keys, then what it can read of each request.
    private static let service = """
        import base64, http.server, json, os, ssl, sys
        import http_ece
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from py_vapid import Vapid02
        def text(data): return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
        key = ec.generate_private_key(ec.SECP256R1())
        point = key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        auth = os.urandom(16)
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *arguments): pass
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                header = self.headers["Authorization"]
                token = header.split("t=", 1)[1].split(",")[0]
                claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
                good = Vapid02.verify(header)
                bad = Vapid02.verify(header.replace(token.split(".")[0], token.split(".")[0][:-1] + "A"))
                plain = http_ece.decrypt(body, private_key=key, auth_secret=auth, version="aes128gcm")
                print(json.dumps({"good": good, "bad": bad, "claims": claims, "size": len(body), "path": self.path,
                    "k": header.split("k=", 1)[1], "urgency": self.headers["Urgency"], "ttl": self.headers["TTL"],
                    "encoding": self.headers["Content-Encoding"], "push": json.loads(plain)}), flush=True)
                self.send_response(201)
                self.send_header("Content-Length", "0")
                self.end_headers()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(json.dumps({"port": server.server_address[1], "p256dh": text(point), "auth": text(auth)}), flush=True)
        server.serve_forever()
        """

    @Test(
        "http-ece reads what was encrypted, py-vapid takes the signature: two messages over one connection, one key",
        .enabled(if: Independents.hasPython("webpush"), Comment(rawValue: Independents.advice)))
    func httpECEReadsWhatWasEncrypted() throws {
        let authority = try TestAuthority()
        let loop = try EventLoop()
        let files = try authority.files()
        let python = try ProgramOfOthers(
            Independents.python, ["-c", Self.service, files.chain, files.key], on: loop)
        // Until it says where it is, something has to wait: a transport that is not started.
        let waiter = try TransportRunner(
            WebPushTransport(settings: WebPushSettings(contact: "https://example.org/"), seed: 1), on: loop)
        try waiter.wait(for: "the service") { _ in !(python.lines + python.complaints).isEmpty }
        let first = try #require(python.lines.first, "\(python.complaints)")
        let place = try JSON(parsing: Array(first.utf8))
        let port = try #require(place["port"]?.integerValue.flatMap { UInt16(exactly: $0) })
        var settings = WebPushSettings(
            contact: "mailto:anna@example.org", appURL: try HTTPURL("https://alarm.example.org/app/"),
            caFile: authority.file)
        settings.laboratory = [.init(host: "localhost", port: port)]
        let runner = try TransportRunner(WebPushTransport(settings: settings, seed: 1), on: loop)
        let storage = Storage()
        runner.compute = { TransportComputation.answer(to: $0, storage) }
        runner.start()
        try runner.waitUntilReady()
        let address =
            #"{"endpoint":"https://localhost:\#(port)/push/1","p256dh":"\#(place["p256dh"]?.stringValue ?? "")","#
            + #""auth":"\#(place["auth"]?.stringValue ?? "")"}"#
        for id in ["m1", "m2"] {
            var delivery = Delivery(
                message: MessageID(id), address: DeliveryAddress(.phone(.webPush), address),
                content: .sealed([UInt8](repeating: 2, count: id == "m1" ? 512 : 1024)), priority: .alarm,
                timeToLive: 3600)
            delivery.shown = ShownWords(
                Notice(
                    title: "Mühle: ALARM", text: "Küchenfenster", subject: .burglary, time: WallTime(milliseconds: 0)),
                in: .german)
            #expect(runner.deliver(delivery))
            #expect(try runner.waitForEnd(of: MessageID(id)) == .accepted(canonical: nil))
        }
        #expect(python.complaints == [])
        let read = try python.lines.dropFirst().map { try JSON(parsing: Array($0.utf8)) }
        #expect(read.count == 2)
        let stored = try #require(storage.load())
        let key = try #require(OpenSSLSigner(p256Stored: stored))
        for (line, count) in zip(read, [683, 1366]) {
            #expect(line["good"] == .bool(true) && line["bad"] == .bool(false))
            #expect(line["k"] == .string(Base64URL.encode(key.publicKey)))
            #expect(line["size"] == .integer(2700) && line["path"] == .string("/push/1"))
            #expect(line["urgency"] == .string("high") && line["ttl"] == .string("3600"))
            #expect(line["encoding"] == .string("aes128gcm"))
            #expect(line["claims"]?["aud"] == .string("https://localhost:\(port)"))
            #expect(line["claims"]?["sub"] == .string("mailto:anna@example.org"))
            #expect(line["push"]?["notification"]?["title"] == .string("Mühle: ALARM"))
            #expect(line["push"]?["ha2"]?.stringValue?.utf8.count == count)
        }
    }
}
