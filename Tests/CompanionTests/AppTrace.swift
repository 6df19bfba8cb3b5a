import Glibc
import PhoneProtocol
import Testing

/// Where the lives of pages are written, for a run of the same calls against core.wasm.
enum AppTrace {
    static let folder: String? = getenv("HOWALARMING_APP_TRACE").map { String(cString: $0) }
    static var isWanted: Bool { folder != nil }

    /// One file for a life, one line for a call.
    static func write(_ trace: [JSON], _ name: String) throws {
        guard let folder else { return }
        let path = "\(folder)/\(name).trace"
        let file = try #require(fopen(path, "w"))
        for line in trace { #expect(fputs(line.text + "\n", file) >= 0) }
        #expect(fclose(file) == 0)
    }
}
