import Foundation

/// What a process asks of the kernel, as `strace` sees it.
final class SystemCallTrace {
    struct Call: Sendable {
        var thread: Int32
        /// As strace writes it, without the thread.
        var text: String

        var name: String { String(text.prefix { $0 != "(" }) }
        /// Of a file or a connection, where it is about one.
        var descriptor: Int? { Int(text.drop { $0 != "(" }.dropFirst().prefix(while: \.isNumber)) }
    }

    /// Some systems let a plain user watch nothing but what his watcher itself has started.
    static let isPossible =
        geteuid() == 0
        || (try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8))?.first ?? "0" == "0"

    private let strace: Program
    private let directory: TestDirectory
    private static let file = "system-calls"

    /// Begins now; all threads are watched when this returns.
    init(of program: Program, in directory: TestDirectory) throws {
        self.directory = directory
        strace = try Program(
            "strace",
            ["-f", "-qq", "-s", "48", "-o", "\(directory.path)/\(Self.file)", "-p", "\(program.processID)"],
            in: directory, executable: "/usr/bin/strace")
        let tasks = "/proc/\(program.processID)/task"
        let mark = "TracerPid:\t\(strace.processID)\n"
        let areWatched = Deadline.wait(.patience) {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
            return !threads.isEmpty
                && threads.allSatisfy { thread in
                    (try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8))?.contains(mark) ?? false
                }
        }
        guard areWatched else { throw HarnessError("strace does not watch it. \(strace.report)") }
    }

    /// All calls since then, in the order in which they began.
    func end() throws -> [Call] {
        try strace.terminate()
        var calls: [Call] = []
        for line in directory.read(Self.file).split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let thread = Int32(parts[0]) else { continue }
            let text = parts[1].trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("<... ") {
                // The end of one that was begun before, because another thread said something in between.
                guard let begun = calls.lastIndex(where: { $0.thread == thread }) else { continue }
                calls[begun].text += text
            } else {
                calls.append(Call(thread: thread, text: text))
            }
        }
        return calls
    }
}
