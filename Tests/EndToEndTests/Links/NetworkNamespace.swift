import Glibc

/// A network namespace of the test's own. It is gone when nobody is in it and nobody holds it, even if the test crashes.
///
/// A thread enters and leaves it, and programs that it starts meanwhile are in it, so a test with namespaces must not
/// suspend: its function is not `async`.
final class NetworkNamespace {
    private let descriptor: Int32
    private let directory: TestDirectory

    /// Namespaces are root's.
    static let isPossible = geteuid() == 0

    init(in directory: TestDirectory) throws {
        self.directory = directory
        let home = try Self.current()
        defer { close(home) }
        guard Self.call("unshare", Self.newNetwork) == 0 else { throw HarnessError("no network namespace") }
        descriptor = try Self.current()
        guard Self.call("setns", home, Self.newNetwork) == 0 else { throw HarnessError("no way back") }
        try run("ip link set lo up")
    }

    deinit { close(descriptor) }

    /// Where other programs find it.
    var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// Runs `body` within it.
    func inside<Value>(_ body: () throws -> Value) throws -> Value {
        let home = try Self.current()
        defer { close(home) }
        guard Self.call("setns", descriptor, Self.newNetwork) == 0 else { throw HarnessError("no way in") }
        defer {
            precondition(Self.call("setns", home, Self.newNetwork) == 0, "a thread may go back to where it came from")
        }
        return try body()
    }

    /// Runs lines of shell within it, up to the first that fails.
    func run(_ script: String) throws {
        let result = try inside {
            try Program.run(
                ["-ec", "PATH=/usr/sbin:/usr/bin:/sbin:/bin\n" + script], in: directory, executable: "/bin/sh")
        }
        guard result.status == 0 else { throw HarnessError("\(script): \(result.errors)") }
    }

    private static let newNetwork: Int32 = 0x4000_0000

    private static func current() throws -> Int32 {
        let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw HarnessError("no descriptor of the network namespace") }
        return descriptor
    }

    // glibc shows these to GNU sources only.
    private static func call(_ name: String, _ first: Int32, _ second: Int32 = 0) -> Int32 {
        typealias Call = @convention(c) (Int32, Int32) -> Int32
        guard let symbol = dlsym(nil, name) else { return -1 }
        return unsafeBitCast(symbol, to: Call.self)(first, second)
    }
}
