import Foundation

/// A new directory, removed with everything in it when the test is over.
final class TestDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "howalarming-e2e-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file that only we can read; its path.
    ///
    /// No program that another test starts meanwhile inherits it: a script that somebody holds open cannot be run.
    func write(_ name: String, _ text: String) throws -> String {
        let file = "\(path)/\(name)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw HarnessError("\(file) cannot be written (error \(errno))") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
        return file
    }

    func read(_ name: String) -> String {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    func contains(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }
}
