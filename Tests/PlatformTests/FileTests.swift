import Glibc
import Platform
import Testing

@Suite struct FileTests {
    @Test("a file is replaced as a whole, with the mode asked for, and nothing is left beside it")
    func aFileIsReplacedAsAWhole() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try AtomicFile.write(path, [1, 2, 3])
        try AtomicFile.write(path, [], mode: 0o640)
        #expect(try FileReader.read(path, limit: 10) == [])
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        try AtomicFile.write(path, bytes, mode: 0o640)
        #expect(try FileReader.read(path, limit: bytes.count) == bytes)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(rmdir(directory.path) != 0)
        unlink(path)
        #expect(rmdir(directory.path) == 0)
    }

    @Test("a write that fails leaves the old content")
    func aWriteThatFailsLeavesTheOldContent() throws {
        let directory = try TemporaryDirectory()
        #expect(mkdir("\(directory.path)/file", 0o700) == 0)
        let error = thrown(SystemError.self) { try AtomicFile.write("\(directory.path)/file", [1]) }
        #expect(error?.call == "rename")
        #expect(rmdir("\(directory.path)/file") == 0)
        #expect(rmdir(directory.path) == 0)
    }

    @Test("a file that is too long or not there is an error")
    func aFileThatIsTooLongOrNotThereIsAnError() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/file"
        try AtomicFile.write(path, [1, 2, 3])
        #expect(try FileReader.read(path, limit: 3) == [1, 2, 3])
        #expect(throws: SystemError(call: "read", number: EFBIG, subject: path)) { try FileReader.read(path, limit: 2) }
        #expect(throws: SystemError(call: "open", number: ENOENT, subject: path + "x")) {
            try FileReader.read(path + "x", limit: 2)
        }
    }
}
