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
            socket = try UnixSocketPlace.socket(isBlocking: false)
            let deadline = SystemClock.bootTime() + span
            // EAGAIN: more clients wait than the listener's backlog holds, and no event tells when there is room again.
            while place.address.with({ connect(socket.number, $0, $1) }) != 0 {
                guard errno == EAGAIN || errno == EINTR, SystemClock.bootTime() < deadline else {
                    throw .last("connect", place.path)
                }
                // Only the caller's thread waits, which is never the loop's, and only up to the deadline.
                usleep(20_000)
            }
        } catch {
            let isAbsent = [ENOENT, ECONNREFUSED, ENOTDIR].contains(error.number)
            throw isAbsent ? .nobodyAnswers(error) : error.number == EAGAIN ? .timedOut : .failed(error)
        }
    }

    /// Sends the bytes and a line feed.
    package func writeLine(_ line: [UInt8], within span: Duration = .seconds(5)) throws(UnixClientError) {
        let bytes = line + [UInt8(ascii: "\n")]
        let deadline = SystemClock.bootTime() + span
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                let rest = UnsafeRawBufferPointer(rebasing: all[done...])
                return uninterrupted { send(socket.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL)) }
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
        let count = uninterrupted { recv(socket.number, &buffer, buffer.count, 0) }
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
package enum UnixClientError: Error, Hashable, Sendable, CustomStringConvertible {
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
