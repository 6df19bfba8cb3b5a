import PhoneProtocol

/// Servers of others in Python that print what they were told, a JSON object a line after the line with their port.
struct HouseServer {
    let program: Program
    let port: UInt16

    /// The mail server aiosmtpd.
    static func mail(in directory: TestDirectory) throws -> HouseServer {
        try HouseServer("aiosmtpd", mailScript, in: directory)
    }

    /// A web server that checks signatures made with this secret.
    static func web(secret: String, in directory: TestDirectory) throws -> HouseServer {
        try HouseServer("web", webScript, [secret], in: directory)
    }

    /// A camera with this picture, and the service manager's part: it starts the taker of pictures for who connects to the
    /// socket.
    static func camera(_ picture: String, socket: String, in directory: TestDirectory) throws -> HouseServer {
        try HouseServer("camera", cameraScript, [picture, socket, Program.path, directory.path], in: directory)
    }

    private init(_ name: String, _ script: String, _ words: [String] = [], in directory: TestDirectory) throws {
        program = try Program(
            name, ["-u", "-c", script] + words, in: directory,
            executable: name == "aiosmtpd" ? Independents.python : "/usr/bin/python3")
        let program = program
        port = try eventually("the port of \(name); \(program.report)") { program.lines.first.flatMap { UInt16($0) } }
    }

    var told: [JSON] { program.lines.dropFirst().compactMap { try? JSON(parsing: $0) } }

    /// Waits until this many fit.
    @discardableResult
    func wait(for count: Int = 1, _ what: String, where fits: (JSON) -> Bool) throws -> [JSON] {
        try eventually("\(what); \(program.report)") {
            let found = told.filter(fits)
            return found.count >= count ? found : nil
        }
    }

    private static let mailScript = """
        import asyncio, email, email.policy, json
        from aiosmtpd.smtp import SMTP
        class Handler:
            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith('nobody'): return '550 5.1.1 no such mailbox'
                envelope.rcpt_tos.append(address)
                return '250 OK'
            async def handle_DATA(self, server, session, envelope):
                m = email.message_from_bytes(envelope.content, policy=email.policy.default)
                files = [[f.get_filename(), f.get_payload(decode=True).decode('latin-1')] for f in m.iter_attachments()]
                print(json.dumps(dict(sender=envelope.mail_from, to=envelope.rcpt_tos, subject=m['subject'],
                                      body=m.get_body(('plain',)).get_content().strip(), defects=len(m.defects),
                                      files=files)))
                return '250 queued'
        async def main():
            server = await asyncio.get_running_loop().create_server(
                lambda: SMTP(Handler(), hostname='mail.test'), '127.0.0.1', 0)
            print(server.sockets[0].getsockname()[1])
            await server.serve_forever()
        asyncio.run(main())
        """

    private static let cameraScript = """
        import http.server, os, socket, subprocess, sys, threading
        picture, path, program, directory = sys.argv[1:]
        class Camera(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = bytes([0xFF, 0xD8, 0xFF, 0xE0]) + picture.encode() + bytes([0xFF, 0xD9])
                self.send_response(200)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *_): pass
        def accept():
            while True:
                connection, _ = listener.accept()
                os.makedirs(directory + '/pictures', exist_ok=True)
                subprocess.Popen([program, 'run-picture', '--directory', directory + '/pictures'],
                                 stdin=connection, stdout=connection)
                connection.close()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        threading.Thread(target=accept, daemon=True).start()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Camera)
        print(server.server_port)
        server.serve_forever()
        """

    private static let webScript = """
        import hashlib, hmac, http.server, json, os, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def told(self):
                body = self.rfile.read(int(self.headers.get('content-length') or 0))
                signed = self.headers.get('X-HowAlarming-Timestamp', '').encode() + b'.' + body
                good = 'sha256=' + hmac.new(sys.argv[1].encode(), signed, hashlib.sha256).hexdigest()
                given = self.headers.get('X-HowAlarming-Signature')
                line = json.dumps(dict(method=self.command, path=self.path, body=body.decode(),
                                       signature='none' if given is None else 'good' if given == good else 'bad'))
                os.write(1, line.encode() + bytes([10]))  # whole: other threads write, too
                self.send_response(204)
                self.end_headers()
            do_GET = do_POST = told
            def log_message(self, *_): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        print(server.server_port)
        server.serve_forever()
        """
}
