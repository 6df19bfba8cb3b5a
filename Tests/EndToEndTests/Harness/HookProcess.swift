import Foundation

/// A web server of others (Python's own), which writes down what it is asked for.
final class HookProcess {
    let program: Program
    let port: UInt16

    private static let server = """
        import http.server, sys
        class Hook(http.server.BaseHTTPRequestHandler):
            def answer(self):
                body = self.rfile.read(int(self.headers.get('Content-Length') or 0)).decode('utf-8', 'replace')
                print('request', self.command, self.path, body.replace('\\n', ' '), flush=True)
                self.send_response(200)
                self.send_header('Content-Length', '0')
                self.end_headers()
            do_GET = do_POST = answer
            def log_message(self, *words): pass
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Hook)
        print('port', server.server_address[1], flush=True)
        server.serve_forever()
        """

    init(in directory: TestDirectory, name: String = "hook") throws {
        program = try Program(
            name, ["python3", "-c", Self.server], in: directory, executable: "/usr/bin/env")
        let line = try program.waitForLine(containing: "port ")
        guard let port = UInt16(line.dropFirst(5)) else { throw HarnessError("no port in \"\(line)\"") }
        self.port = port
    }

    /// Method, path and body of each request.
    func requests() throws -> [String] { program.lines.filter { $0.hasPrefix("request ") } }
}
