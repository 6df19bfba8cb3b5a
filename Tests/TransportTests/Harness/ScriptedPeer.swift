import AlarmModel
import Platform
import Testing

/// A server on the loop of a test that answers as a closure says. Its connections live as long as it does.
final class ScriptedPeer {
    private(set) var port: UInt16 = 0
    /// All connections so far, oldest first.
    private(set) var connections: [Connection] = []
    private var listener: Listener?

    final class Connection {
        fileprivate(set) var stream: any ByteStream
        private let loop: EventLoop
        /// What came, as text, since the connection began.
        fileprivate(set) var received = ""
        fileprivate(set) var isEncrypted = false
        fileprivate(set) var end: ConnectionEnd?
        fileprivate var onReceived: (Connection, String) -> Void = { _, _ in }

        init(_ stream: any ByteStream, on loop: EventLoop) {
            self.stream = stream
            self.loop = loop
            listen()
        }

        func send(_ text: String) { stream.send(Array(text.utf8)) }
        func close() { stream.close() }
        func reset() { stream.reset() }

        /// The server's half of STARTTLS, after what was sent before has left.
        func startTLS(as identity: TLSIdentity) {
            let secure = SecureStream(server: stream, identity: identity, on: loop)
            stream = secure
            isEncrypted = true
            listen()
            secure.startHandshake(within: .seconds(8))
        }

        private func listen() {
            stream.onReceived = { [weak self] bytes in
                guard let self else { return }
                let text = String(decoding: bytes, as: UTF8.self)
                received += text
                onReceived(self, text)
            }
            stream.onClosed = { [weak self] in self?.end = $0 }
        }
    }

    /// - identity: speaks TLS from the first byte
    /// - onConnected: a connection stands (before a TLS handshake)
    /// - onReceived: each piece of text as it comes
    init(
        on loop: EventLoop, as identity: TLSIdentity? = nil, localSocket: (directory: String, name: String)? = nil,
        onConnected: @escaping (Connection) -> Void = { _ in },
        onReceived: @escaping (Connection, String) -> Void = { _, _ in }
    ) throws {
        let accept: (Stream) -> Void = { [weak self] stream in
            let connection = Connection(stream, on: loop)
            connection.onReceived = onReceived
            self?.connections.append(connection)
            if let identity { connection.startTLS(as: identity) }
            onConnected(connection)
        }
        let listener: Listener
        if let localSocket {
            listener = try Listener(
                directory: localSocket.directory, name: localSocket.name, on: loop, limit: 100, onAccepted: accept)
        } else {
            listener = try Listener(
                loopback: Endpoint(address: localhost, port: 0), on: loop, limit: 100, onAccepted: accept)
        }
        self.listener = listener
        port = listener.port
    }

    /// Nobody answers any more; connections stay.
    func stopListening() {
        listener?.close()
        listener = nil
    }

    deinit {
        listener?.close()
        for connection in connections where connection.end == nil {
            connection.stream.onReceived = nil
            connection.stream.onClosed = nil
            connection.stream.reset()
        }
    }
}
