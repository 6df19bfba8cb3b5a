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

    /// A modem's port for sound named `ttyUSB4`, and the service manager's part: it starts whoever speaks for who connects to
    /// the socket. It tells after each second of sound how many samples were loud, and with what status a speaker ended.
    static func speaker(socket: String, in directory: TestDirectory) throws -> HouseServer {
        let words = [
            socket, Program.path, directory.path, Independents.program("/usr/bin/espeak-ng"), Independents.libraries,
        ]
        return try HouseServer("speaker", speakerScript, words, in: directory)
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

    private static let speakerScript = """
        import array, json, os, pty, socket, subprocess, sys, threading, tty
        path, program, directory, espeak, libraries = sys.argv[1:]
        places = libraries.split(':')
        private = [place + '/pulseaudio' for place in places]
        data = [place for place in places if os.path.isdir(place + '/espeak-ng-data')]
        environment = dict(os.environ, LD_LIBRARY_PATH=':'.join(places + private))
        if data: environment['ESPEAK_DATA_PATH'] = data[0]
        ours, theirs = pty.openpty()
        tty.setraw(theirs)
        os.symlink(os.ttyname(theirs), directory + '/ttyUSB4')
        def tell(**words): os.write(1, json.dumps(words).encode() + bytes([10]))
        def accept():
            while True:
                connection, _ = listener.accept()
                child = subprocess.Popen([program, 'run-speech', '--program', espeak, '--devices', directory,
                                          '--directory', directory],
                                         stdin=connection, stdout=connection, env=environment)
                connection.close()
                tell(ended=child.wait())
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        threading.Thread(target=accept, daemon=True).start()
        print(0, flush=True)
        heard = b''
        while True:
            heard += os.read(ours, 65536)
            if len(heard) >= 16000:
                samples = array.array('h', heard[:16000])
                heard = heard[16000:]
                tell(loud=sum(abs(sample) > 1000 for sample in samples))
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
