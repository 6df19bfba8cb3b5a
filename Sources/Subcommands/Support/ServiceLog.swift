import Glibc
import Platform

/// The newest lines of the daemon's log, as the journal keeps them.
enum ServiceLog {
    private static let programs = ["/usr/bin/journalctl", "/bin/journalctl"]
    private static let patience: Duration = .seconds(20)
    private static let limit = 4 << 20

    static func text() -> String {
        guard let program = programs.first(where: { access($0, X_OK) == 0 }) else {
            return "there is no journal here\n"
        }
        do {
            let loop = try EventLoop()
            var lines: [String] = []
            var size = 0
            let words = ["-u", "howalarming.service", "-n", "4000", "--no-pager", "-o", "short-iso-precise"]
            let child = try ChildProcess(program, words, output: .lines, on: loop)
            child.onLine = { _, line in
                size += line.utf8.count + 1
                if size <= limit { lines.append(line) }
            }
            child.onEnd = { _ in loop.stop() }
            loop.setTimer(after: patience) {
                child.kill()
                loop.stop()
            }
            loop.run()
            return lines.joined(separator: "\n") + "\n"
        } catch {
            return "the journal cannot be read: \(error)\n"
        }
    }
}

/// Logs of the time before the last restart, which the card keeps for cases in which nobody could ask for an archive:
/// `rootfs/usr/lib/howalarming/keep-log` writes them. Other machines have none.
struct KeptLogs {
    var directory = "/data/log"

    private static let limit = 1 << 20
    /// The system's log of the run before, and the kernel's last lines before a panic.
    private static let files = [("boot-before.txt", "log-before.txt"), ("panic.txt", "panic.txt")]

    /// The texts with their names in the archive; one that cannot be read says why.
    func all() -> [(name: String, text: String)] {
        Self.files.compactMap { file, name in
            do throws(SystemError) {
                let bytes = try FileReader.read("\(directory)/\(file)", limit: Self.limit)
                return (name, String(decoding: bytes, as: UTF8.self))
            } catch {
                return error.number == ENOENT ? nil : (name, "\(error)\n")
            }
        }
    }
}
