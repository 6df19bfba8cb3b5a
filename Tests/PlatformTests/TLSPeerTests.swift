import AlarmModel
import Glibc
import Platform
import Testing

/// Both sides against an independent program: Python's ssl.
@Suite struct TLSPeerTests {
    @Test("a Python server that echoes gives back what our client sends", arguments: ["1.2", "1.3"])
    func aPythonServerThatEchoesGivesBackWhatOurClientSends(version: String) throws {
        let rig = try TLSRig()
        let files = try rig.write(try rig.authority.intermediate().issue(.init(names: [TLSRig.host])))
        let script = """
            import socket, ssl, sys
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, "TLSv" + sys.argv[3])
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            names = []
            context.sni_callback = lambda connection, name, context: names.append(name)
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)
            connection = context.wrap_socket(listener.accept()[0], server_side=True)
            left = 1000000
            while left:
                data = connection.recv(5000)
                left -= len(data)
                connection.sendall(data)
            connection.unwrap().close()
            print("done", names, flush=True)
            """
        var lines: [String] = []
        let numeral = version.replacing(".", with: "_")
        let port = try rig.python(script, [files.chain, files.key, numeral]) {
            lines.append($0)
            rig.loop.stop()
        }
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var received: [UInt8] = []
        var end: ConnectionEnd?
        rig.dial(port) { stream in
            let client = try? SecureStream(client: stream, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
            client?.onSecured = { [weak client] in
                #expect(client?.summary.hasPrefix("TLSv\(version), ") == true)
                client?.send(bytes)
            }
            client?.onReceived = { received += $0 }
            client?.onClosed = { end = $0 }
            client?.startHandshake()
        }
        #expect(rig.loop.runBounded())
        #expect(lines == ["done ['\(TLSRig.host)']"])
        #expect(received == bytes)
        #expect(end == .finished)
    }

    @Test("a Python client that verifies talks to our server, and takes close_notify for the end")
    func aPythonClientThatVerifiesTalksToOurServer() throws {
        let rig = try TLSRig()
        let script = """
            import socket, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[1])
            connection = socket.create_connection(("127.0.0.1", int(sys.argv[2])))
            connection = context.wrap_socket(connection, server_hostname=sys.argv[3], suppress_ragged_eofs=False)
            connection.sendall(b"x" * 100000)
            answer = b""
            while True:
                data = connection.recv(70000)
                if not data: break
                answer += data
            print(len(answer), connection.version(), flush=True)
            """
        var received = 0
        let port = try rig.listen(as: try rig.goodIdentity()) { server in
            server.onReceived = { [weak server] chunk in
                received += chunk.count
                guard received == 100_000 else { return }
                server?.send([UInt8](repeating: 1, count: 300_000))
                server?.close(within: .seconds(5))
            }
        }
        let path = "\(rig.directory.path)/client.py"
        try AtomicFile.write(path, Array(script.utf8))
        let child = try ChildProcess(
            "/usr/bin/env", ["python3", path, rig.caFile, "\(port)", TLSRig.host], output: .lines, on: rig.loop)
        var lines: [String] = []
        child.onLine = { lines.append($1) }
        child.onEnd = { _ in rig.loop.stop() }
        #expect(rig.loop.runBounded())
        #expect(lines == ["300000 TLSv1.3"])
    }

    @Test("a Python server that speaks TLS 1.1 only is too weak")
    func aPythonServerThatSpeaksTLS1() throws {
        let rig = try TLSRig()
        let files = try rig.write(try rig.goodIdentity())
        let script = """
            import socket, ssl, sys, warnings
            warnings.simplefilter("ignore")
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)
            try: context.wrap_socket(listener.accept()[0], server_side=True)
            except OSError as error: pass
            """
        let port = try rig.python(script, [files.chain, files.key])
        #expect(rig.attempt(port) == .closed(.tls(.tooWeak("TLS 1.2 is not offered"))))
    }

    @Test("a peer that ends its side without close_notify has ended; its last words count")
    func aPeerThatEndsItsSideWithoutCloseNotifyHasEnded() throws {
        let rig = try TLSRig()
        let files = try rig.write(try rig.goodIdentity())
        // After its own end (FIN below TLS, without close_notify) it goes on reading.
        let script = """
            import socket, ssl, sys
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[1], sys.argv[2])
            listener = socket.create_server(("127.0.0.1", 0))
            print(listener.getsockname()[1], flush=True)
            connection = context.wrap_socket(listener.accept()[0], server_side=True)
            connection.sendall(b"last words")
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1000): pass
            """
        let port = try rig.python(script, [files.chain, files.key])
        var received: [UInt8] = []
        var end: ConnectionEnd?
        rig.dial(port) { stream in
            let client = try? SecureStream(client: stream, serverName: TLSRig.host, trust: rig.trust, on: rig.loop)
            client?.onReceived = { received += $0 }
            client?.onClosed = {
                end = $0
                rig.loop.stop()
            }
            client?.startHandshake()
        }
        #expect(rig.loop.runBounded())
        #expect(received == Array("last words".utf8))
        #expect(end == .finished)
    }
}
