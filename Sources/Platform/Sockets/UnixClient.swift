import AlarmModel
import Glibc

/// A blocking client of a Unix socket that speaks in lines: for subcommands that only ask. It waits where it is called,
/// so it has no place on the loop's thread.
package final class UnixClient {
    private let socket: Descriptor
    private let path: String
    private var input: [UInt8] = []
    /// Bytes of `input` in which no line end was found.
    private var searched = 0
    private var hasEnded = false
    private static let longestLine = 4 * 1024 * 1024

    /// The path of the directory may be of any length.
    package init(
        directory: String, name: String, within span: Duration = .seconds(5)
    ) throws(UnixClientError) {
        do throws(SystemError) {
            let place = try UnixSocketPlace(directory: directory, name: name)
            path = place.path
            socket = try UnixSocketPlace.socket(isBlocking: true)
            let deadline = SystemClock.bootTime() + span
            // While more clients wait than the listener's backlog holds, the kernel waits for room, up to this long.
            try Self.limitWaiting(of: socket, to: span, path)
            while place.address.with({ connect(socket.number, $0, $1) }) != 0 {
                guard errno == EINTR, SystemClock.bootTime() < deadline else { throw .last("connect", place.path) }
            }
        } catch {
            let isAbsent = [ENOENT, ECONNREFUSED, ENOTDIR].contains(error.number)
            throw isAbsent ? .nobodyAnswers(error) : error.number == EAGAIN ? .timedOut : .failed(error)
        }
    }

    /// unix(7): a connect that waits for room ends with EAGAIN then.
    private static func limitWaiting(of socket: Descriptor, to span: Duration, _ path: String) throws(SystemError) {
        let microseconds = max(1, span.nanoseconds / 1000)
        var limit = timeval(tv_sec: Int(microseconds / 1_000_000), tv_usec: Int(microseconds % 1_000_000))
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = try checked("setsockopt", path) { setsockopt(socket.number, SOL_SOCKET, SO_SNDTIMEO, &limit, size) }
    }

    /// Sends the bytes and a line feed.
    package func writeLine(_ line: [UInt8], within span: Duration = .seconds(5)) throws(UnixClientError) {
        let bytes = line + [UInt8(ascii: "\n")]
        let deadline = SystemClock.bootTime() + span
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[done...])
                return uninterrupted { send(socket.number, rest.baseAddress, rest.count, flags) }
            }
            if count >= 0 {
                done += count
            } else if errno == EAGAIN {
                guard Poll.wait(for: socket.number, events: Int16(POLLOUT), until: deadline) else { throw .timedOut }
            } else if errno == EPIPE || errno == ECONNRESET {
                // The server has closed; why, it may have said in a line that is still to be read.
                return
            } else {
                throw .failed(.last("send", path))
            }
        }
    }

    /// The next line without its line feed; nil at the end. `span` nil waits for ever.
    /// A last line without a line feed is not a line.
    package func readLine(within span: Duration? = .seconds(5)) throws(UnixClientError) -> [UInt8]? {
        let deadline = span.map { SystemClock.bootTime() + $0 }
        while true {
            if let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(input[..<end])
                input.removeFirst(end + 1)
                searched = 0
                return line
            }
            searched = input.count
            guard searched <= Self.longestLine else { throw .lineTooLong }
            guard !hasEnded else { return nil }
            guard Poll.wait(for: socket.number, events: Int16(POLLIN), until: deadline) else { throw .timedOut }
            try receive()
        }
    }

    private func receive() throws(UnixClientError) {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = uninterrupted { recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT)) }
        if count > 0 {
            input += buffer[..<count]
        } else if count == 0 || errno == ECONNRESET {
            hasEnded = true
        } else if errno != EAGAIN {
            throw .failed(.last("recv", path))
        }
    }
}

/// Why a question to the daemon was not answered.
package enum UnixClientError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No daemon: there is no socket, or nobody behind it.
    case nobodyAnswers(SystemError)
    case timedOut
    case lineTooLong
    case failed(SystemError)

    package var description: String {
        switch self {
        case .nobodyAnswers(let error): "no daemon answers (\(error))"
        case .timedOut: "the daemon did not answer in time"
        case .lineTooLong: "the daemon's answer is longer than this program takes"
        case .failed(let error): error.description
        }
    }
}
