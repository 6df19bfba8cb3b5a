import Foundation
import Glibc

/// The real `howalarming` as a process of its own. What it prints goes into files, so that it never has to wait for the
/// test. Killed by its number when the test lets go of it.
final class Program {
    let name: String
    let processID: pid_t
    private let directory: TestDirectory
    private var exit: Int32?

    /// How it ended: its status, or 128 + the signal.
    struct Result {
        var status: Int32
        var output: String
        var errors: String
        var lines: [String] { Program.lines(of: output) }
    }

    /// The simulators and the demo: `howalarming-lab`, beside the bundle of the tests.
    static let laboratory = built("howalarming-lab")

    /// Where the build has put the program: beside the bundle of the tests, or where HOWALARMING_BINARY says.
    static let path = ProcessInfo.processInfo.environment["HOWALARMING_BINARY"] ?? built("howalarming")

    static func built(_ name: String) -> String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let candidates = [own, CommandLine.arguments.first ?? ""].map {
            URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent(name).path
        }
        return candidates.first { access($0, X_OK) == 0 } ?? name
    }

    private static func usual(for arguments: [String]) -> String {
        ["simulate", "demo"].contains(arguments.first) ? laboratory : path
    }

    /// `name` names the files of its output in the directory, so it is used once.
    ///
    /// - Parameters:
    ///   - input: what it reads on standard input
    ///   - inputFile: where it reads that from instead; a pipe must have somebody at its other end
    ///   - executable: another program than `howalarming`, or `howalarming-lab` for what is its
    init(
        _ name: String, _ arguments: [String], in directory: TestDirectory, environment: [String: String] = [:],
        input: String? = nil, inputFile: String = "/dev/null", executable: String? = nil
    ) throws {
        self.name = name
        self.directory = directory
        let executable = executable ?? Self.usual(for: arguments)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(
            &actions, STDIN_FILENO, try input.map { try directory.write("\(name).in", $0) } ?? inputFile, O_RDONLY, 0)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "\(directory.path)/\(name).out", flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "\(directory.path)/\(name).err", flags, 0o600)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A group of its own: Ctrl-C at the terminal is for the tests, which then let go.
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        Self.coreFilesAreOff()
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let words = ([executable] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, executable, &actions, &attributes, words, settings)
        guard error == 0 else {
            throw HarnessError("\(executable) cannot be started (error \(error)); build it with 'swift build'")
        }
        processID = process
    }

    /// Deliberate crashes leave no core files behind.
    private static func coreFilesAreOff() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    deinit {
        guard isRunning else { return }
        Glibc.kill(processID, SIGKILL)
        waitpid(processID, nil, 0)
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: [String], in directory: TestDirectory, environment: [String: String] = [:],
        input: String? = nil, executable: String? = nil, within span: Duration = .patience
    ) throws -> Result {
        let name = "command-\(UUID().uuidString.prefix(8))"
        let program = try Program(
            name, arguments, in: directory, environment: environment, input: input, executable: executable)
        let status = try program.waitForExit(within: span)
        return Result(status: status, output: program.output, errors: program.errors)
    }

    // MARK: What it says

    var output: String { directory.read("\(name).out") }
    var errors: String { directory.read("\(name).err") }
    /// Whole lines of its output so far.
    var lines: [String] { Program.lines(of: output) }

    /// The first line of its output that contains the text.
    func waitForLine(containing text: String, within span: Duration = .patience) throws -> String {
        var found: String?
        let isInTime = try Deadline.wait(span) {
            found = lines.first { $0.contains(text) }
            if found == nil, !isRunning {
                // It may have said so between the look and its end.
                found = lines.first { $0.contains(text) }
                guard found != nil else { throw HarnessError("it ended before it said \"\(text)\". \(report)") }
            }
            return found != nil
        }
        guard isInTime, let found else { throw HarnessError("it did not say \"\(text)\" in time. \(report)") }
        return found
    }

    /// The end of both its outputs.
    var report: String {
        "\(name) (\(processID)) said: …\(output.suffix(1500)) and on standard error: …\(errors.suffix(1500))"
    }

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    // MARK: Its end

    var isRunning: Bool {
        guard exit == nil else { return false }
        var status: Int32 = 0
        guard waitpid(processID, &status, WNOHANG) == processID else { return true }
        exit = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
        return false
    }

    func signal(_ number: Int32) {
        if isRunning { Glibc.kill(processID, number) }
    }

    func waitForExit(within span: Duration = .patience) throws -> Int32 {
        _ = Deadline.wait(span) { !isRunning }
        guard let exit else { throw HarnessError("it did not end in time. \(report)") }
        return exit
    }

    /// SIGTERM; its exit status.
    @discardableResult
    func terminate(within span: Duration = .patience) throws -> Int32 {
        signal(SIGTERM)
        return try waitForExit(within: span)
    }

    /// SIGKILL, and waits until it is gone.
    func kill9() {
        signal(SIGKILL)
        _ = try? waitForExit()
    }
}
