package import AlarmModel
import CLinux
import Glibc

/// Accepts clients of this machine: on a loopback address or on a Unix socket. Confined to the loop's thread.
package final class Listener {
    /// The port on which a TCP listener listens; 0 for a Unix socket.
    package let port: UInt16
    /// Clients that are connected now.
    package private(set) var clientCount = 0

    private let loop: EventLoop
    private var socket: Descriptor?
    private var watch: Watch?
    private var retry: TimerToken?
    private let place: (UnixSocketPlace, FileIdentity)?
    private let limit: Int
    private let refusal: [UInt8]
    private let onAccepted: (Stream) -> Void
    private static let backlog: Int32 = 32
    private static let acceptsPerRound = 16

    /// TCP on an address of 127.0.0.0/8 or ::1; port 0 takes a free one.
    /// A client above `limit` gets the bytes of `refusal` and is closed.
    package convenience init(
        loopback endpoint: Endpoint, on loop: EventLoop, limit: Int = 16, refusal: [UInt8] = [],
        onAccepted: @escaping (Stream) -> Void
    ) throws(SystemError) {
        guard Self.isLoopback(endpoint.address) else {
            throw SystemError(call: "listen", number: EADDRNOTAVAIL, subject: "\(endpoint) is not a loopback address")
        }
        let subject = endpoint.description
        let family = endpoint.address.isIPv6 ? AF_INET6 : AF_INET
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Descriptor(owning: try checked("socket") { Glibc.socket(family, type, 0) })
        try SocketOption.set(socket.number, SOL_SOCKET, SO_REUSEADDR, 1)
        _ = try checked("bind", subject) { SocketAddress(endpoint).with { bind(socket.number, $0, $1) } }
        _ = try checked("listen", subject) { listen(socket.number, Self.backlog) }
        let port = try SocketAddress(localOf: socket.number).endpoint?.port ?? 0
        try self.init(socket, port, nil, loop, limit, refusal, onAccepted)
    }

    /// A Unix socket with mode 0600; peers that are neither root nor the user of this process are closed at once.
    /// The path of the directory may be of any length. EADDRINUSE: somebody answers there already.
    package convenience init(
        directory: String, name: String, on loop: EventLoop, limit: Int = 16, refusal: [UInt8] = [],
        onAccepted: @escaping (Stream) -> Void
    ) throws(SystemError) {
        let place = try UnixSocketPlace(directory: directory, name: name)
        let (socket, identity) = try place.listen(backlog: Self.backlog)
        try self.init(socket, 0, (place, identity), loop, limit, refusal, onAccepted)
    }

    private init(
        _ socket: Descriptor, _ port: UInt16, _ place: (UnixSocketPlace, FileIdentity)?, _ loop: EventLoop,
        _ limit: Int, _ refusal: [UInt8], _ onAccepted: @escaping (Stream) -> Void
    ) throws(SystemError) {
        self.socket = socket
        self.port = port
        self.place = place
        self.loop = loop
        self.limit = limit
        self.refusal = refusal
        self.onAccepted = onAccepted
        watch = try loop.watch(socket.number, for: .read) { _ in self.acceptWaiting() }
    }

    /// Accepts no more; clients that are connected stay. Removes the socket file.
    package func close() {
        guard socket != nil else { return }
        if let (place, identity) = place { place.remove(identity) }
        watch?.cancel()
        watch = nil
        socket = nil
        if let retry { loop.cancel(retry) }
    }

    private func acceptWaiting() {
        for _ in 0..<Self.acceptsPerRound {
            guard let socket else { return }
            let number = uninterrupted { ha_accept(socket.number) }
            if number >= 0 {
                welcome(Descriptor(owning: number))
            } else if errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM {
                return waitForResources()
            } else if errno == EAGAIN {
                return
            }
            // Anything else is the failure of one client that has gone already.
        }
    }

    /// The client stays in the backlog, and epoll would report it without end: look again a little later.
    private func waitForResources() {
        watch?.update([])
        retry = loop.setTimer(after: .milliseconds(250)) { self.watch?.update(.read) }
    }

    private func welcome(_ client: Descriptor) {
        guard place == nil || Self.isEntitled(client.number) else { return }
        guard clientCount < limit else {
            if !refusal.isEmpty {
                _ = send(client.number, refusal, refusal.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            return
        }
        guard let stream = try? Stream(adopting: client, on: loop) else { return }
        clientCount += 1
        stream.onReleased = { self.clientCount -= 1 }
        onAccepted(stream)
    }

    static func isEntitled(_ socket: Int32) -> Bool {
        var user: UInt32 = .max
        var process: Int32 = 0
        guard ha_peer_credentials(socket, &user, &process) == 0 else { return false }
        return isEntitled(user: user)
    }

    /// Root, or whoever runs this process.
    package static func isEntitled(user: UInt32) -> Bool { user == 0 || user == geteuid() }

    private static func isLoopback(_ address: IPAddress) -> Bool {
        address.isIPv6 ? address.bytes == [UInt8](repeating: 0, count: 15) + [1] : address.bytes[0] == 127
    }
}
