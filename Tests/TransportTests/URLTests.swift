import AlarmModel
import PhoneLink
import PhoneProtocol
import Platform
import Testing

@Suite("URLs on a web server of Python's", .enabled(if: Independents.has("/usr/bin/python3"), "needs python3"))
struct URLTests {
    private static let event = JSON.object([
        "type": .string("alarm"), "code": .string("601"), "message": .string("Küche"),
    ])

    private func delivery(_ id: String, to url: String) -> Delivery {
        Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.url), url),
            content: .event(Self.event, type: "alarm"), priority: .alarm, timeToLive: 3600)
    }

    /// A server, and a way to so many of its paths; the paths say how the server behaves.
    private func mount(
        _ paths: [String], isEncrypted: Bool = false, host: String = "localhost",
        secret: Secret? = Secret("s3cret-word")
    ) throws -> (runner: TransportRunner<URLTransport>, server: ProgramOfOthers, urls: [String]) {
        let authority = try TestAuthority()
        let bare = try TransportRunner(URLTransport(settings: URLSettings(targets: []), seed: 1))
        let script = try authority.directory.write("server.py", Self.script)
        var arguments = [script]
        if isEncrypted {
            let files = try authority.files()
            arguments += [files.chain, files.key]
        }
        let server = try ProgramOfOthers("/usr/bin/python3", arguments, on: bare.loop)
        try bare.wait(for: "the server's port") { _ in
            if server.end != nil { throw WaitedInVain(description: server.complaints.joined(separator: "\n")) }
            return !server.lines.isEmpty
        }
        let urls = paths.map { "\(isEncrypted ? "https" : "http")://\(host):\(server.lines[0])\($0)" }
        let targets = try urls.map { url throws in
            try URLTarget(
                url, method: url.contains("?event=") ? .get : .post, secret: secret, authorityFile: authority.file)
        }
        var settings = URLSettings(targets: targets)
        settings.client.deadline = .seconds(2)
        let runner = try TransportRunner(URLTransport(settings: settings, seed: 1), on: bare.loop)
        runner.hosts["other.test"] = localhost
        runner.kept = [server, authority.directory]
        runner.start()
        try runner.waitUntilReady()
        return (runner, server, urls)
    }

    @Test(
        "events arrive as they are, over one connection, and Python finds the same signature", arguments: [false, true])
    func eventsArriveAsTheyAre(isEncrypted: Bool) throws {
        let (runner, server, urls) = try mount(["/ok", "/ok?event="], isEncrypted: isEncrypted)
        for (id, url) in [("m1", urls[0]), ("m2", urls[0]), ("m3", urls[1])] {
            runner.deliver(delivery(id, to: url))
            #expect(try runner.waitForEnd(of: MessageID(id)) == .accepted(canonical: nil))
        }
        try runner.wait(for: "the requests") { _ in server.lines.count == 4 }
        let told = try server.lines.dropFirst().map { try JSON(parsing: $0) }
        #expect(told.map { $0["key"] } == [.string("m1"), .string("m2"), .string("m3")])
        #expect(told.allSatisfy { $0["signed"] == .bool(true) })
        #expect(told[0]["body"] == .string(Self.event.text))
        #expect(told[2]["request"] == .string("GET /ok?event=alarm"))
        #expect(told[0]["connection"] == told[1]["connection"])
        #expect(told[0]["connection"] != told[2]["connection"])
    }

    @Test("a server that stalls, refuses, redirects, breaks off or floods costs nobody else anything")
    func aServerThatStalls() throws {
        let paths = ["/stall", "/busy", "/redirect", "/cut", "/flood", "/ok"]
        let (runner, _, urls) = try mount(paths)
        for (path, url) in zip(paths, urls) { runner.deliver(delivery(path, to: url)) }
        #expect(try runner.waitForEnd(of: MessageID("/ok")) == .accepted(canonical: nil))
        #expect(runner.isUnderWay(MessageID("/stall")))
        var whys: [String] = []
        for path in paths.dropLast(2) {
            guard case .refused(let refusal) = try runner.waitForEnd(of: MessageID(path)) else {
                Issue.record("\(path) is refused")
                return
            }
            whys.append(refusal.why)
            if path == "/busy" { #expect(refusal.after == .seconds(7)) }
        }
        #expect(whys[0].hasSuffix("it did not answer in time"))
        #expect(whys[1].contains("answered 503"))
        #expect(whys[2].contains("a redirect, which is not followed"))
        #expect(whys[3].contains("the connection ended without an answer"))
        #expect(try runner.waitForEnd(of: MessageID("/flood")) == .accepted(canonical: nil))
    }

    @Test("a certificate for another host gets no event")
    func aCertificateForAnotherHostGetsNoEvent() throws {
        let (runner, server, urls) = try mount(["/ok"], isEncrypted: true, host: "other.test")
        runner.deliver(delivery("m1", to: urls[0]))
        guard case .refused(let refusal) = try runner.waitForEnd(of: MessageID("m1")) else {
            Issue.record("it is refused")
            return
        }
        #expect(refusal.why.contains("certificate is for another host"))
        #expect(server.lines.count == 1)
        #expect(runner.transport.health.problem?.isRefusal == true)
    }

    private static let script = """
        import hashlib, hmac, json, ssl, sys, time
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def log_message(self, *parts): pass
            def do_GET(self): self.tell(self.path.encode())
            def do_POST(self): self.tell(self.rfile.read(int(self.headers['content-length'])))
            def tell(self, content):
                stamp = self.headers['x-howalarming-timestamp']
                digest = hmac.new(b's3cret-word', stamp.encode() + b'.' + content, hashlib.sha256).hexdigest()
                good = self.headers['x-howalarming-signature'] == 'sha256=' + digest
                print(json.dumps(dict(
                    request=self.command + ' ' + self.path, key=self.headers['idempotency-key'], body=content.decode(),
                    signed=good and abs(int(stamp) - time.time()) < 60, connection=self.client_address[1])), flush=True)
                path = self.path
                if path == '/stall': time.sleep(30)
                elif path == '/busy': self.answer(503, b'busy', ('Retry-After', '7'))
                elif path == '/redirect': self.answer(307, b'', ('Location', '/ok'))
                elif path == '/cut': self.close_connection = True
                elif path == '/flood':
                    self.send_response(200)
                    self.end_headers()
                    try:
                        while True: self.wfile.write(b'x' * 65536)
                    except OSError: pass
                    self.close_connection = True
                else:
                    self.send_response(200)
                    self.send_header('Transfer-Encoding', 'chunked')
                    self.end_headers()
                    self.wfile.write(b'5;a=b\\r\\nthank\\r\\n2\\r\\ns!\\r\\n0\\r\\n\\r\\n')
            def answer(self, status, body, field):
                self.send_response(status)
                self.send_header(*field)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        if len(sys.argv) > 2:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """
}
