import Glibc

/// A plain TCP client that speaks in lines; every wait is bounded.
final class LineClient {
    enum End: Error { case closed, timedOut, refused(Int32) }

    private let socket: Int32
    private var input: [UInt8] = []

    init(port: UInt16) throws {
        let number = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw End.refused(errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let error = errno
            close(number)
            throw End.refused(error)
        }
        socket = number
    }

    deinit { close(socket) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    func sendLine(_ line: String) { send(Array("\(line)\r\n".utf8)) }

    /// A command of the TPI with its checksum.
    func sendCommand(_ payload: String) {
        let sum = payload.utf8.reduce(0) { ($0 + Int($1)) % 256 }
        sendLine(payload + (sum < 16 ? "0" : "") + String(sum, radix: 16, uppercase: true))
    }

    /// The next line without its end.
    func readLine(within span: Duration = .patience) throws -> String {
        let deadline = Deadline(span)
        while true {
            if let end = input.firstIndex(of: 10) {
                let line = input[..<end]
                input.removeFirst(end + 1)
                return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            }
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard !deadline.isOver, poll(&entry, 1, deadline.milliseconds) > 0 else { throw End.timedOut }
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { throw End.closed }
            input += buffer[..<count]
        }
    }

    /// Lines up to the first that begins with the text, which is the last of them.
    func readLines(upTo prefix: String, within span: Duration = .patience) throws -> [String] {
        var lines: [String] = []
        while lines.last?.hasPrefix(prefix) != true { lines.append(try readLine(within: span)) }
        return lines
    }
}
