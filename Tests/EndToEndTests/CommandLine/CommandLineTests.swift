import AlarmModel
import Foundation
import Testing

/// `kept.txt` holds command lines with their exit status, and what the programs say to them on both outputs.
@Suite("what the programs say to a command line stays, letter by letter", .timeLimit(.minutes(5)))
struct CommandLineTests {
    private struct Kept {
        var words: [String]
        var status: Int32
        var text: String
    }

    private static func kept() throws -> [Kept] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("kept.txt")
        let text = try String(contentsOf: file, encoding: .utf8)
            .replacingOccurrences(of: "VERSION", with: Product.version)
        var all: [Kept] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if line.hasPrefix("$ "), line.hasSuffix("]"), let mark = line.lastIndex(of: "[") {
                let words = line[..<mark].split(separator: " ").dropFirst().map(String.init)
                let status = try #require(Int32(line[line.index(after: mark)...].dropLast()))
                all.append(Kept(words: words, status: status, text: ""))
            } else {
                all[all.count - 1].text += "\(line)\n"
            }
        }
        return all
    }

    @Test("every help text, and every refusal of what cannot be understood")
    func everyHelpTextAndEveryRefusalOfWhatCannotBeUnderstood() throws {
        let all = try Self.kept()
        #expect(all.count > 150)
        let directory = try TestDirectory()
        for kept in all {
            let program = kept.words[0] == "howalarming" ? Program.path : Program.built(kept.words[0])
            let result = try Program.run(Array(kept.words.dropFirst()), in: directory, executable: program)
            #expect(result.status == kept.status, "\(kept.words)")
            #expect(result.output + result.errors == kept.text, "\(kept.words)")
        }
    }
}
