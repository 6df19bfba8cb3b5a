import AlarmModel
import Glibc
import Platform
import Testing

extension Duration {
    /// Longest wait for something that must happen, however busy the machine is; it ends with what is waited for.
    static let patience = Duration.seconds(120)
}

extension EventLoop {
    /// Runs until somebody stops the loop; false when nobody did in time.
    func runBounded(_ span: Duration = .patience) -> Bool {
        var isInTime = true
        let token = setTimer(after: span) {
            isInTime = false
            self.stop()
        }
        run()
        cancel(token)
        return isInTime
    }
}

/// A directory that is gone when the test is over.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/platform-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        var names: [String] = []
        if let directory = opendir(path) {
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { names.append(name) }
            }
            closedir(directory)
        }
        for name in names where unlink("\(path)/\(name)") != 0 { rmdir("\(path)/\(name)") }
        rmdir(path)
    }

    /// Makes a chain of directories whose path is longer than a socket address.
    func deep() throws -> String {
        let name = String(repeating: "d", count: 150)
        try #require(mkdir("\(path)/\(name)", 0o700) == 0)
        return "\(path)/\(name)"
    }
}

let loopback = Endpoint(address: localhost, port: 0)
let localhost = IPAddress(bytes: [127, 0, 0, 1]) ?? IPAddress("127.0.0.1") ?? { preconditionFailure("four bytes") }()

/// A connected pair over loopback: the accepted end and the end that dialed.
struct Pair {
    let accepted: Stream
    let dialed: Stream
    let listener: Listener

    static func make(on loop: EventLoop) throws -> Pair {
        var accepted: Stream?
        var dialed: Stream?
        let listener = try Listener(loopback: loopback, on: loop) {
            accepted = $0
            if dialed != nil { loop.stop() }
        }
        let attempt = Connector(on: loop).open(Endpoint(address: localhost, port: listener.port)) { result in
            dialed = try? result.get()
            if accepted != nil { loop.stop() }
        }
        try #require(loop.runBounded())
        attempt.cancel()
        return Pair(accepted: try #require(accepted), dialed: try #require(dialed), listener: listener)
    }
}
