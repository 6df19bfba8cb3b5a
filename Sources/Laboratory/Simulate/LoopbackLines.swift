import AlarmModel
import Platform

/// A loopback port on which clients send lines. Confined to the loop's thread.
final class LoopbackLines {
    /// One client; good for sending until it is gone.
    final class Client {
        private let stream: Stream
        fileprivate var partial: [UInt8] = []

        fileprivate init(_ stream: Stream) { self.stream = stream }

        func send(_ line: String) { stream.send(Array("\(line)\n".utf8)) }
        func close() { stream.close() }
    }

    let port: UInt16
    var onLine: ((Client, String) -> Void)?
    var onGone: ((Client) -> Void)?
    private let listener: Listener
    private var clients: [Client] = []
    private static let longest = 65_536

    /// Listens at once; port 0 takes a free one.
    init(port wanted: UInt16, on loop: EventLoop) throws(SystemError) {
        var welcome: ((Stream) -> Void)?
        guard let address = IPAddress(bytes: [127, 0, 0, 1]) else { preconditionFailure("four bytes are an address") }
        listener = try Listener(loopback: Endpoint(address: address, port: wanted), on: loop, limit: 256) {
            welcome?($0)
        }
        port = listener.port
        welcome = { [weak self] stream in self?.accepted(stream) }
    }

    /// Accepts no more and lets the clients go.
    func close() {
        listener.close()
        onLine = nil
        onGone = nil
        for client in clients { client.close() }
    }

    private func accepted(_ stream: Stream) {
        let client = Client(stream)
        clients.append(client)
        stream.onReceived = { [weak self] bytes in self?.take(bytes, from: client) }
        stream.onClosed = { [weak self] _ in
            guard let self else { return }
            clients.removeAll { $0 === client }
            onGone?(client)
        }
    }

    private func take(_ bytes: [UInt8], from client: Client) {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                client.partial.append(byte)
                continue
            }
            let line = client.partial.last == 13 ? client.partial.dropLast() : client.partial[...]
            client.partial = []
            onLine?(client, String(decoding: line, as: UTF8.self))
        }
        if client.partial.count > Self.longest { client.close() }
    }
}
