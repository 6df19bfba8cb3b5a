import Foundation

/// Runs python3 as an independent judge.
enum Python {
    static let isAvailable: Bool = (try? run("print(1)", input: "")) == "1\n"

    struct Failed: Error {
        var status: Int32
    }

    /// The program must read all of its input before it writes.
    static func run(_ program: String, input: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program]
        let standardInput = Pipe()
        let standardOutput = Pipe()
        process.standardInput = standardInput
        process.standardOutput = standardOutput
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let output = try standardOutput.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(status: process.terminationStatus) }
        return String(decoding: output, as: UTF8.self)
    }
}
