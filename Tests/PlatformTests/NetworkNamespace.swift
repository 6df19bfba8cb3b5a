import Glibc
import Testing

/// A network namespace of the test's own. It is gone when nobody is in it and nobody holds it, even if the test crashes.
///
/// A thread enters and leaves it; a test that does so must not suspend, so its function is not `async`.
final class NetworkNamespace {
    private let descriptor: Int32

    /// Namespaces are root's.
    static let isPossible = geteuid() == 0

    init() throws {
        let home = try Self.current()
        defer { close(home) }
        try #require(Self.unshare(Self.newNetwork) == 0)
        descriptor = try Self.current()
        try #require(Self.enter(home, Self.newNetwork) == 0)
        try run("ip link set lo up")
    }

    deinit { close(descriptor) }

    /// What other programs of this process's children can open to find it.
    var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// Runs `body` within it.
    func inside<Value>(_ body: () throws -> Value) throws -> Value {
        let home = try Self.current()
        defer { close(home) }
        try #require(Self.enter(descriptor, Self.newNetwork) == 0)
        defer { precondition(Self.enter(home, Self.newNetwork) == 0, "a thread may go back to where it came from") }
        return try body()
    }

    /// Runs lines of shell within it; a failure is the test's.
    func run(_ script: String) throws {
        try inside {
            let words = ["sh", "-ec", "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n" + script]
            let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
            defer { for argument in arguments { free(argument) } }
            var process: pid_t = 0
            try #require(posix_spawn(&process, "/bin/sh", nil, nil, arguments + [nil], environ) == 0)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            try #require(status == 0, "\(script)")
        }
    }

    private static let newNetwork: Int32 = 0x4000_0000

    private static func current() throws -> Int32 {
        let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        return descriptor
    }

    // glibc shows these to GNU sources only.
    private static func unshare(_ what: Int32) -> Int32 {
        typealias Call = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare") else { return -1 }
        return unsafeBitCast(symbol, to: Call.self)(what)
    }

    private static func enter(_ namespace: Int32, _ kind: Int32) -> Int32 {
        typealias Call = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, "setns") else { return -1 }
        return unsafeBitCast(symbol, to: Call.self)(namespace, kind)
    }
}
