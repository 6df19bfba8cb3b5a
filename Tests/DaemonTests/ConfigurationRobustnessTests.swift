import ApplianceCore
import Testing
import YAMLConfiguration

@Suite struct ConfigurationRobustnessTests {
    /// Reads the bytes as the main file and as the secrets file; every problem must lie within the file.
    private func exercise(_ bytes: [UInt8]) {
        let lines = bytes.count { $0 == 10 || $0 == 13 } + 2 + bytes.count / 2
        var files = FakeFiles(["main": "panel: {host: a}\nsecrets: s\n"])
        files.files["s"] = ConfigurationFile(bytes: bytes, mode: 0o644)
        files.files["c"] = ConfigurationFile(bytes: bytes, mode: 0o644)
        for file in ["c", "main"] {
            let result = ConfigurationReader.read(file: file, files: files)
            if result.configuration == nil, result.errorCount == 0 {
                Issue.record("invalid without an error: \(bytes)")
            }
            if result.configuration != nil, result.errorCount > 0 { Issue.record("valid with an error: \(bytes)") }
            for problem in result.problems where problem.line ?? 1 < 1 || problem.line ?? 1 > lines {
                Issue.record("a problem outside the file: \(problem)")
            }
        }
    }

    @Test("the file that is cut and changed here is valid")
    func theFileThatIsCutAndChangedHereIsValid() throws {
        let result = ConfigurationReader.read(bytes: try ConfigurationSample.dense(), name: "c")
        #expect(result.errorCount == 0 && result.configuration?.phones.channels.count == 8, "\(result.problems)")
    }

    @Test("a file cut anywhere is read or refused")
    func aFileCutAnywhereIsReadOrRefused() throws {
        for file in [try ConfigurationSample.dense(), try ConfigurationSample.legacy()] {
            for end in 0..<file.count { exercise(Array(file.prefix(end))) }
        }
    }

    @Test("a file with any byte changed is read or refused")
    func aFileWithAnyByteChangedIsReadOrRefused() throws {
        let signs = Array(":{}[]&*!|>'\"%@`#-?, \t\n\r0~".utf8) + [0x00, 0x07, 0x80, 0xC3, 0xFF, 0xFE]
        for file in [try ConfigurationSample.dense(), try ConfigurationSample.legacy()] {
            for index in file.indices {
                var changed = file
                changed[index] = signs[(index * 7) % signs.count]
                exercise(changed)
                changed[index] = file[index] ^ UInt8(truncatingIfNeeded: 1 << (index % 8))
                exercise(changed)
                changed.remove(at: index)
                exercise(changed)
            }
        }
    }

    @Test("random bytes and random YAML signs are read or refused")
    func randomBytesAndRandomYAMLSignsAreReadOrRefused() {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        func next() -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33)
        }
        let words = [
            "panel", "zones", "1", ": ", ":", "- ", "{", "}", "[", "]", "\n", "\n  ", "\n    ", "'", "\"", "host", "~",
            "password", "timing", "? ", ", ", "|", ">", "#", "&a", "*a", "!t", "---", "...", "\u{FEFF}", "999999999999",
        ]
        for _ in 0..<3000 {
            exercise((0..<next() % 40).map { _ in UInt8(truncatingIfNeeded: next()) })
            exercise((0..<next() % 30).flatMap { _ in Array(words[next() % words.count].utf8) })
        }
    }

    @Test("a file of the largest size is refused or read in bounded time")
    func aFileOfTheLargestSizeIsRefusedOrReadInBoundedTime() {
        exercise(Array(String(repeating: "a", count: 1 << 20).utf8))
        exercise(Array(("zones: {" + String(repeating: "1: a, ", count: 49_000) + "}").utf8))
        exercise(Array((0..<49_000).flatMap { Array("pasword\($0 % 7): x\n".utf8) }))
        exercise(Array(("users:\n" + (1...9999).map { "  \($0): name\n" }.joined()).utf8))
    }
}
