import Foundation
import Glibc

/// A socket descriptor of the test; never blocks, is not inherited, closed when let go.
final class TestSocket {
    private(set) var descriptor: Int32

    init(adopting descriptor: Int32) throws {
        guard descriptor >= 0 else { throw HarnessError("no socket: \(String(cString: strerror(errno)))") }
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { close() }

    func close() {
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// What has arrived; empty when the other side is gone, nil while there is nothing.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count >= 0 { return Array(buffer[..<count]) }
        return errno == EAGAIN ? nil : []
    }

    func send(_ bytes: [UInt8]) throws {
        guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw HarnessError("cannot send: \(String(cString: strerror(errno)))")
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    // MARK: TCP on loopback

    /// A socket bound to a free port, and the port. When not listening, the port is only held and refuses.
    static func bind(listening: Bool = true) throws -> (TestSocket, UInt16) {
        let held = try TestSocket(adopting: socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(held.descriptor, $0, size) | getsockname(held.descriptor, $0, &size)
            }
        }
        guard result == 0, !listening || listen(held.descriptor, 8) == 0 else {
            throw HarnessError("cannot listen: \(String(cString: strerror(errno)))")
        }
        return (held, UInt16(bigEndian: address.sin_port))
    }

    func accept() throws -> TestSocket? {
        let descriptor = Glibc.accept(descriptor, nil, nil)
        return descriptor < 0 ? nil : try TestSocket(adopting: descriptor)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    // MARK: Sockets in the file system

    /// `connects`: as a client of a stream socket; otherwise a datagram socket is made there.
    static func unix(_ path: String, connects: Bool) throws -> TestSocket {
        let kind = connects ? SOCK_STREAM : SOCK_DGRAM
        let made = try TestSocket(adopting: socket(AF_UNIX, Int32(kind.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw HarnessError("the path of a socket is too long: \(path)")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                return connects
                    ? Glibc.connect(made.descriptor, $0, size) : Glibc.bind(made.descriptor, $0, size)
            }
        }
        guard result == 0 else { throw HarnessError("socket \(path): \(String(cString: strerror(errno)))") }
        return made
    }
}

/// The control socket, as other programs use it.
final class ControlConnection {
    let socket: TestSocket
    private var partial: [UInt8] = []

    init(stateDirectory: String) throws {
        socket = try TestSocket.unix("\(stateDirectory)/control", connects: true)
    }

    func send(line: String) throws { try socket.send(line + "\n") }

    func line(within span: Duration = .patience) throws -> String {
        try eventually(within: span, "a line from the control socket") {
            if let end = partial.firstIndex(of: 10) {
                defer { partial.removeFirst(end + 1) }
                return String(decoding: partial[..<end], as: UTF8.self)
            }
            guard let bytes = socket.receive() else { return nil }
            guard !bytes.isEmpty else { throw HarnessError("the control socket ended the connection") }
            partial += bytes
            return nil
        }
    }
}
