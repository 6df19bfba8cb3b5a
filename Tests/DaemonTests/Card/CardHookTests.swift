import Foundation
import PhoneProtocol
import Platform
import Testing

@testable import Card

@Suite("The card's own programs, for hooks")
struct CardHookTests {
    private static let house = """
        site: {time_zone: UTC}
        panel:
          host: 192.168.1.50
          password: user
          code_master: '4821'

        """

    private static func sha256(_ text: String) -> String { Hex.encode(Digest.sha256(Array(text.utf8))) }

    private func bench(_ programs: String, _ files: [String: String] = [:]) throws -> CardBench {
        let bench = try CardBench()
        try bench.put("card/howalarming.yaml", Self.house + "hooks:\n  programs:\n" + programs)
        if !files.isEmpty {
            try FileManager.default.createDirectory(
                atPath: bench.path("card/hooks"), withIntermediateDirectories: true)
        }
        for (name, text) in files { try bench.put("card/hooks/\(name)", text) }
        return bench
    }

    @Test("a script whose hash is right is there to be run, read only, and nothing is remarked")
    func aScriptWhoseHashIsRightIsThere() throws {
        let script = "#!/bin/sh\ncat\n"
        let bench = try bench(
            "    - {program: lights, sha256: \(Self.sha256(script).uppercased())}\n", ["lights": script])
        let report = try bench.run()
        #expect(report.problems.isEmpty, "\(report.problems)")
        #expect(bench.text("run/howalarming-hooks/lights") == script)
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path("run/howalarming-hooks/lights"))
        #expect(attributes[.posixPermissions] as? Int == 0o555)
        #expect(try bench.names("run/howalarming-hooks") == ["lights"])
    }

    @Test("what is not what the configuration names is refused, with the reason beside its place and in the report")
    func whatIsNotWhatTheConfigurationNamesIsRefused() throws {
        let script = "#!/bin/sh\ncat\n"
        let other = "\u{7F}ELF\u{1}\u{1}\u{1}" + String(repeating: "\0", count: 60)
        let hash = Self.sha256(script)
        let bench = try bench(
            """
                - lights
                - {program: camera, sha256: \(String(repeating: "0", count: 64))}
                - {program: gone, sha256: \(hash)}
                - {program: other, sha256: \(Self.sha256(other))}
                - {program: text, sha256: \(Self.sha256("hello\n"))}

            """, ["lights": script, "camera": script, "other": other, "text": "hello\n"])
        let report = try bench.run()
        #expect(report.errors.isEmpty && report.problems.count == 5)
        let reasons = [
            "lights": "does not name its SHA-256; now it is \(hash)", "camera": "its SHA-256 is \(hash), and not",
            "gone": "there is no file hooks/gone on the card", "other": "another processor",
            "text": "neither a program of Linux nor a script",
        ]
        for (name, reason) in reasons {
            #expect(bench.text("run/howalarming-hooks/\(name)") == nil)
            #expect(bench.text("run/howalarming-hooks/\(name).refused")?.contains(reason) == true, "\(name)")
            #expect(report.problems.contains { $0.what.contains("'\(name)'") && $0.what.contains(reason) }, "\(name)")
        }
    }

    @Test("a program that is refused later is not left runnable, and one that is good again has no reason beside it")
    func aProgramThatIsRefusedLaterIsNotLeftRunnable() throws {
        let script = "#!/bin/sh\ncat\n"
        let bench = try bench("    - {program: lights, sha256: \(Self.sha256(script))}\n", ["lights": script])
        try bench.run()
        try bench.put("card/hooks/lights", "#!/bin/sh\nrm -r /\n")
        try bench.run()
        #expect(try bench.names("run/howalarming-hooks") == ["lights.refused"])
        try bench.put("card/hooks/lights", script)
        try bench.run()
        #expect(try bench.names("run/howalarming-hooks") == ["lights"])
    }

    @Test("programs of this machine run, those of other processors do not, and eight are the most")
    func programsOfThisMachineRun() throws {
        let own = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe")).prefix(64))
        #expect(HookPrograms.fault(own) == nil)
        var other = own
        other[18] ^= 1
        #expect(HookPrograms.fault(other)?.contains("another processor") == true)
        #expect(HookPrograms.fault([])?.contains("neither") == true)
        #expect(HookPrograms.fault(Array("#!/bin/bash\n".utf8)) != nil)
        let script = "#!/bin/sh\n"
        let names = (1...9).map { "p\($0)" }
        let bench = try bench(
            names.map { "    - {program: \($0), sha256: \(Self.sha256(script))}\n" }.joined(),
            Dictionary(uniqueKeysWithValues: names.map { ($0, script) }))
        #expect(try bench.run().problems.count == 1)
        #expect(bench.text("run/howalarming-hooks/p8") == script && bench.text("run/howalarming-hooks/p9") == nil)
    }

    @Test("while the card has errors, the programs of the configuration that holds go on")
    func whileTheCardHasErrors() throws {
        let script = "#!/bin/sh\ncat\n"
        let bench = try bench("    - {program: lights, sha256: \(Self.sha256(script))}\n", ["lights": script])
        try bench.run()
        try FileManager.default.removeItem(atPath: bench.path("run/howalarming-hooks"))
        try bench.put("card/howalarming.yaml", "panel: [\n")
        #expect(try !bench.run().errors.isEmpty)
        #expect(bench.text("run/howalarming-hooks/lights") == script)
    }
}
