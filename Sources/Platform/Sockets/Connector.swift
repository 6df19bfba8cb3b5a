package import AlarmModel
import Glibc

/// Opens connections. Several attempts may run side by side. Confined to the loop's thread.
package struct Connector {
    private let loop: EventLoop

    package init(on loop: EventLoop) { self.loop = loop }

    /// Connects over TCP. `then` is called once, later, unless the attempt is cancelled before.
    /// - `link`: an interface that the socket is bound to; the right to do so may be missing (EPERM).
    /// - `span`: after it the attempt ends as `.timedOut`.
    /// - `userTimeout`: after so long without an acknowledgement of sent bytes the kernel ends the connection.
    package func open(
        _ endpoint: Endpoint, link: Link = .any, within span: Duration = .seconds(10), userTimeout: Duration? = nil,
        then: @escaping (Result<Stream, ConnectFailure>) -> Void
    ) -> ConnectAttempt {
        let attempt = ConnectAttempt(on: loop, then)
        attempt.start(within: span) { () throws(SystemError) in
            let socket = try Self.socket(for: endpoint, link: link, userTimeout: userTimeout)
            return (socket, SocketAddress(endpoint, scope: Self.scope(of: link)), endpoint.description)
        }
        return attempt
    }

    /// Connects to a Unix socket; the path of the directory may be of any length.
    package func openUnix(
        directory: String, name: String, within span: Duration = .seconds(10),
        then: @escaping (Result<Stream, ConnectFailure>) -> Void
    ) -> ConnectAttempt {
        let attempt = ConnectAttempt(on: loop, then)
        attempt.start(within: span) { () throws(SystemError) in
            let place = try UnixSocketPlace(directory: directory, name: name)
            return (try UnixSocketPlace.socket(isBlocking: false), place.address, place.path)
        }
        return attempt
    }

    /// The same by its whole path.
    package func openUnix(
        _ path: String, then: @escaping (Result<Stream, ConnectFailure>) -> Void
    ) -> ConnectAttempt {
        let cut = path.lastIndex(of: "/")
        let directory = cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return openUnix(
            directory: directory, name: cut.map { String(path[path.index(after: $0)...]) } ?? path, then: then)
    }

    private static func socket(
        for endpoint: Endpoint, link: Link, userTimeout: Duration?
    ) throws(SystemError) -> Descriptor {
        let family = endpoint.address.isIPv6 ? AF_INET6 : AF_INET
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let socket = Descriptor(owning: try checked("socket") { Glibc.socket(family, type, 0) })
        switch link {
        case .any: break
        case .interface(let name): try SocketOption.bind(socket.number, toInterface: name)
        }
        if let userTimeout {
            let milliseconds = Int32(clamping: userTimeout.milliseconds)
            try SocketOption.set(socket.number, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
        }
        return socket
    }

    private static func scope(of link: Link) -> UInt32 {
        switch link {
        case .any: 0
        case .interface(let name): if_nametoindex(name)
        }
    }
}

/// Why no connection came about: how the core sees it, and the call that failed, where one did.
package struct ConnectFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package var end: ConnectionEnd
    package var cause: SystemError?

    package var description: String { cause?.description ?? end.description }
}

/// A connection in the making.
package final class ConnectAttempt {
    private let loop: EventLoop
    private var then: ((Result<Stream, ConnectFailure>) -> Void)?
    private var socket: Descriptor?
    private var watch: Watch?
    private var deadline: TimerToken?
    private var subject = ""

    init(on loop: EventLoop, _ then: @escaping (Result<Stream, ConnectFailure>) -> Void) {
        self.loop = loop
        self.then = then
    }

    /// Gives up; nothing is reported any more.
    package func cancel() {
        then = nil
        letGo()
    }

    func start(
        within span: Duration, prepare: () throws(SystemError) -> (Descriptor, SocketAddress, String)
    ) {
        do throws(SystemError) {
            let (socket, address, subject) = try prepare()
            self.subject = subject
            self.socket = socket
            let result = address.with { connect(socket.number, $0, $1) }
            // A connect that a signal interrupted goes on by itself.
            if result != 0, errno != EINPROGRESS, errno != EINTR { throw .last("connect", subject) }
            watch = try loop.watch(socket.number, for: .write) { _ in self.ready() }
            deadline = loop.setTimer(after: span) { self.finish(.failure(ConnectFailure(end: .timedOut))) }
        } catch {
            loop.later { self.finish(.failure(Self.failure(error))) }
        }
    }

    private func ready() {
        guard let socket else { return }
        let number = SocketOption.takeError(socket.number)
        guard number == 0 else {
            return finish(.failure(Self.failure(SystemError(call: "connect", number: number, subject: subject))))
        }
        letGo()
        do throws(SystemError) {
            finish(.success(try Stream(adopting: socket, on: loop)))
        } catch {
            finish(.failure(Self.failure(error)))
        }
    }

    private func finish(_ result: Result<Stream, ConnectFailure>) {
        letGo()
        let then = then
        self.then = nil
        then?(result)
    }

    private func letGo() {
        watch?.cancel()
        watch = nil
        socket = nil
        if let deadline { loop.cancel(deadline) }
        deadline = nil
    }

    private static func failure(_ error: SystemError) -> ConnectFailure {
        ConnectFailure(end: ConnectionEnd(systemErrorNumber: error.number), cause: error)
    }
}
