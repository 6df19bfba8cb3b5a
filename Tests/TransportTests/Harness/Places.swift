import AlarmModel
import Glibc
import Platform
import Testing

/// A directory that is gone, with the files in it, when the test is over.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/transport-test-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
        try #require(made)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func write(_ name: String, _ text: String) throws -> String {
        let file = "\(path)/\(name)"
        try AtomicFile.write(file, Array(text.utf8))
        return file
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
}

/// An authority of the test's own, and servers that it vouches for.
struct TestAuthority {
    let authority: Authority
    let directory: TemporaryDirectory
    /// The authority's certificate as a file, for `authorityFile`.
    let file: String

    init() throws {
        authority = try Authority()
        directory = try TemporaryDirectory()
        file = try directory.write("ca.pem", authority.certificatePEM)
    }

    /// A server's certificate and key; `localhost` and 127.0.0.1 unless other names are given.
    func identity(_ names: [String] = ["localhost", "127.0.0.1"]) throws -> TLSIdentity {
        try authority.issue(.init(names: names))
    }

    /// The same as files, for programs of others.
    func files(_ names: [String] = ["localhost", "127.0.0.1"]) throws -> (chain: String, key: String) {
        let identity = try identity(names)
        return (
            try directory.write("chain.pem", identity.certificateChainPEM),
            try directory.write("key.pem", identity.privateKeyPEM)
        )
    }
}

let localhost = IPAddress(bytes: [127, 0, 0, 1]) ?? { preconditionFailure("four bytes") }()

/// A port of 127.0.0.1 that was free a moment ago, for programs that cannot choose one themselves.
func freePort() throws -> UInt16 {
    let loop = try EventLoop()
    let listener = try Listener(loopback: Endpoint(address: localhost, port: 0), on: loop) { _ in }
    defer { listener.close() }
    return listener.port
}
