import AlarmModel
import CommandKit
import Glibc
import PhoneProtocol
import Platform

/// One line from standard input and lines to standard output, where a service manager has put a connection there.
enum StandardLine {
    private static let patience = Duration.seconds(10)

    /// Answers one request of the daemon's. A connection that ends without a word only looked whether somebody is there.
    ///
    /// - Parameters:
    ///   - request: nil: the line is none, and `refusal` is the answer
    ///   - complaint: what cannot be done where there is no loop
    ///   - work: begins it, and lives until it has stopped the loop
    /// - Returns: how the process ends
    static func serve<Request>(
        _ request: ([UInt8]) -> Request?, limit: Int, refusal: JSON, complaint: String, on console: Console,
        work: (Request, EventLoop) -> AnyObject
    ) -> Int32 {
        do throws(SystemError) {
            // Who asked may have left: the work decides what that means.
            _ = signal(SIGPIPE, SIG_IGN)
            let loop = try EventLoop()
            guard let line = read(limit: limit), !line.isEmpty else { return ExitStatus.done }
            guard let request = request(line) else {
                write(refusal.utf8)
                return ExitStatus.failed
            }
            let work = work(request, loop)
            loop.run()
            withExtendedLifetime(work) {}
            return ExitStatus.done
        } catch {
            console.complain("\(complaint): \(error)")
            return ExitStatus.failed
        }
    }

    /// Empty: the connection ended without a word. nil: none came in time, or one that is longer than `limit`.
    static func read(limit: Int) -> [UInt8]? {
        var input: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        let end = SystemClock.bootTime() + patience
        while input.count <= limit {
            var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let rest = (end - SystemClock.bootTime()).milliseconds
            guard rest > 0, poll(&entry, 1, Int32(clamping: rest)) > 0 else { return nil }
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { return input.isEmpty ? [] : nil }
            input += buffer[..<count]
            if let line = input.firstIndex(of: 0x0A) { return Array(input[..<line]) }
        }
        return nil
    }

    /// With its end.
    ///
    /// - Returns: whether somebody is there
    @discardableResult static func write(_ line: [UInt8]) -> Bool {
        let bytes = line + [0x0A]
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress.map { $0 + done }, bytes.count - done)
            }
            guard count > 0 else { return false }
            done += count
        }
        return true
    }
}
