import Foundation
import Glibc

/// `howalarming-lab simulate phone`, told words one after the other. It keeps its keys in a file, so that it can be started
/// anew.
final class PhoneProcess {
    let name: String
    private(set) var program: Program
    private let directory: TestDirectory
    private let pushPort: UInt16
    private let pipe: TestSocket
    private let pipeFile: String
    private var startCount = 1
    /// Lines that a wait has gone past.
    private var passed = 0

    convenience init(in directory: TestDirectory, name: String, push: PushProcess) throws {
        try self.init(in: directory, name: name, phonesPort: push.phonesPort)
    }

    /// - Parameter phonesPort: of the service that it is at
    init(in directory: TestDirectory, name: String, phonesPort: UInt16) throws {
        self.name = name
        self.directory = directory
        pushPort = phonesPort
        pipeFile = "\(directory.path)/\(name).pipe"
        guard mkfifo(pipeFile, 0o600) == 0 else { throw HarnessError("no pipe for the phone") }
        // Both ends in one: the phone's reading neither waits for us nor ends.
        pipe = try TestSocket(adopting: open(pipeFile, O_RDWR | O_CLOEXEC))
        program = try Self.start("\(name)-1", name, directory, pushPort, pipeFile)
        try waitForLine("ready")
    }

    private static func start(
        _ label: String, _ name: String, _ directory: TestDirectory, _ port: UInt16, _ pipe: String
    ) throws -> Program {
        try Program(
            label,
            [
                "simulate", "phone", "--push", "127.0.0.1:\(port)", "--name", "\(name)'s phone", "--state",
                "\(directory.path)/\(name).keys", "--script", "-",
            ], in: directory, inputFile: pipe)
    }

    /// The app is killed and started again.
    func restart() throws {
        program.kill9()
        startCount += 1
        passed = 0
        program = try Self.start("\(name)-\(startCount)", name, directory, pushPort, pipeFile)
    }

    func say(_ words: String) throws {
        let bytes = Array("\(words)\n".utf8)
        guard write(pipe.descriptor, bytes, bytes.count) == bytes.count else {
            throw HarnessError("the phone does not listen: \(program.report)")
        }
    }

    /// The next line with this text; those before it are gone past.
    @discardableResult
    func waitForLine(_ text: String, within span: Duration = .patience) throws -> String {
        try eventually(within: span, "\(text) at the phone; \(program.report)") {
            guard program.isRunning else { throw HarnessError("the phone has ended: \(program.report)") }
            let lines = program.lines
            guard let index = lines.indices.dropFirst(passed).first(where: { lines[$0].contains(text) }) else {
                return nil
            }
            passed = index + 1
            return lines[index]
        }
    }

    /// Says the words, and gives the line with which the command ended.
    @discardableResult
    func command(_ words: String, within span: Duration = .patience) throws -> String {
        passed = program.lines.count
        try say(words)
        let pending = try waitForLine("pending", within: span)
        let mark = pending.replacing(" pending", with: " ")
        return try waitForLine(mark, within: span)
    }

    /// Outcomes of a busy box or house, after which a person gives the command again.
    private static let worthAnotherTry = [
        "failed storage", "failed stale-state", "denied stale-state", "denied challenge", "denied stale", "expired",
        "timeout",
    ]

    /// Gives a command, and gives it again while the box is too busy for it, as a person would.
    func obeyed(_ words: String) throws {
        var end = ""
        for number in 1...5 {
            end = try command(words)
            if end.hasSuffix(" ok") { return }
            // What was done and not known to be done is refused the next time.
            if number > 1, end.hasSuffix(" denied armed") { return }
            guard Self.worthAnotherTry.contains(where: end.hasSuffix) else { break }
            print("\(name) said '\(words)' and is answered '\(end)'")
            usleep(1_000_000)
        }
        throw HarnessError("\(end); \(program.report)")
    }

    /// Its own log, as it stands.
    func log() throws -> [String] {
        passed = program.lines.count
        try say("log")
        let begin = passed
        try waitForLine("log end")
        return Array(program.lines[begin..<passed])
    }

    func count(of text: String) -> Int { program.lines.count { $0.contains(text) } }
}
