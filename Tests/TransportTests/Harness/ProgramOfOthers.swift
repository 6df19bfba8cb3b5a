import Glibc
import Platform
import Testing

/// A program that runs beside a test on the loop of its runner; ended with the test.
final class ProgramOfOthers {
    private let child: ChildProcess
    /// What it wrote to standard output, line by line.
    private(set) var lines: [String] = []
    /// What it wrote to standard error.
    private(set) var complaints: [String] = []
    private(set) var end: ChildProcess.End?

    init(_ path: String, _ arguments: [String], environment: [String] = [], on loop: EventLoop) throws {
        child = try ChildProcess(path, arguments, environment: environment, output: .lines, on: loop)
        child.onLine = { [weak self] source, line in
            switch source {
            case .output: self?.lines.append(line)
            case .error: self?.complaints.append(line)
            }
        }
        child.onEnd = { [weak self] in self?.end = $0 }
    }

    func terminate() { child.terminate() }
    func signal(_ number: Int32) { child.signal(number) }
    deinit { child.kill() }
}

/// Programs that `tools/lib/independents` has unpacked below `.build/independents`.
enum Independents {
    static let place: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(4)
        return parts.joined(separator: "/") + "/.build/independents"
    }()
    static let root = "\(place)/root"
    static var python: String { "\(place)/python/bin/python" }
    static let advice = "start 'tools/lib/independents' first; tools/test does"

    /// A program from a Debian package, where it was unpacked or where it is installed.
    static func program(_ path: String) -> String {
        access("\(root)\(path)", X_OK) == 0 ? "\(root)\(path)" : path
    }

    /// Whether it can run here. Where tests must not be skipped, one that cannot run fails.
    static func has(_ path: String) -> Bool { isMustRun || access(program(path), X_OK) == 0 }
    /// Whether the Python environment has a package; `name` as `tools/lib/independents` marks it.
    static func hasPython(_ name: String) -> Bool { isMustRun || access("\(place)/\(name).done", R_OK) == 0 }

    private static var isMustRun: Bool { getenv("CI").map { String(cString: $0) } == "true" }
}
