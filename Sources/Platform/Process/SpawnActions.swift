import CLinux
import Glibc

/// What posix_spawn is told about descriptors and signals.
struct SpawnActions {
    private var pipes: [(ChildProcess.Source, Descriptor)] = []
    /// The ends that the child gets; closed here once it has started.
    private var childEnds: [(Int32, Descriptor)] = []
    private let output: ChildProcess.Output
    /// What the child reads; nil for nothing.
    private let input: Descriptor?
    /// Our end of a pipe that the child reads; nil when its input is fixed.
    let inputEnd: Descriptor?
    private static let inputLimit = 1024 * 1024

    init(output: ChildProcess.Output, input: ChildProcess.Input) throws(SystemError) {
        self.output = output
        switch input {
        case .bytes(let bytes):
            self.input = bytes.isEmpty ? nil : try Self.file(with: bytes)
            inputEnd = nil
        case .open:
            var ends: [Int32] = [0, 0]
            _ = try checked("pipe2") { ha_pipe(&ends) }
            self.input = Descriptor(owning: ends[0])
            inputEnd = Descriptor(owning: ends[1])
        }
        switch output {
        case .inherited, .discarded: break
        case .lines:
            try addPipe(.output, STDOUT_FILENO)
            try addPipe(.error, STDERR_FILENO)
        }
    }

    /// A file in memory: unlike a pipe it takes everything at once, whether or not the child ever reads, and it ends.
    private static func file(with bytes: [UInt8]) throws(SystemError) -> Descriptor {
        guard bytes.count <= inputLimit else { throw SystemError(call: "write", number: EFBIG, subject: "") }
        let file = Descriptor(owning: try checked("memfd_create") { ha_memory_file("input") })
        var done = 0
        while done < bytes.count {
            done += try checked("write") {
                bytes.withUnsafeBytes { write(file.number, $0.baseAddress.map { $0 + done }, bytes.count - done) }
            }
        }
        _ = try checked("lseek") { lseek(file.number, 0, SEEK_SET) }
        return file
    }

    private mutating func addPipe(_ source: ChildProcess.Source, _ target: Int32) throws(SystemError) {
        var ends: [Int32] = [0, 0]
        _ = try checked("pipe2") { ha_pipe(&ends) }
        pipes.append((source, Descriptor(owning: ends[0])))
        childEnds.append((target, Descriptor(owning: ends[1])))
    }

    mutating func takePipes() -> [(ChildProcess.Source, Descriptor)] {
        let taken = pipes
        pipes = []
        return taken
    }

    /// Returns the process number.
    mutating func spawn(
        _ path: String, _ arguments: [String], environment: [String], ownGroup: Bool = false
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input.number, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        for (target, end) in childEnds { posix_spawn_file_actions_adddup2(&actions, end.number, target) }
        if output == .discarded {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit that our signals are blocked and SIGPIPE is ignored.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let group = ownGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | group)

        var process: pid_t = 0
        let result = Self.withStrings([path] + arguments) { arguments in
            Self.withStrings(environment + Self.inherited(without: environment)) { environment in
                posix_spawn(&process, path, &actions, &attributes, arguments, environment)
            }
        }
        childEnds = []
        guard result == 0 else { throw SystemError(call: "posix_spawn", number: result, subject: path) }
        return process
    }

    /// Our environment without what is set anew.
    private static func inherited(without names: [String]) -> [String] {
        var entries: [String] = []
        var next = ha_environment()
        while let place = next, let entry = place.pointee {
            let text = String(cString: entry)
            let name = text.prefix { $0 != "=" } + "="
            if !names.contains(where: { $0.hasPrefix(name) }) { entries.append(text) }
            next = place + 1
        }
        return entries
    }

    private static func withStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { preconditionFailure("a list with an end is not empty") }
            return body(base)
        }
    }
}
