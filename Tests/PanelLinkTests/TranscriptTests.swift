import PanelLink
import Testing

@Suite("Transcripts")
struct TranscriptTests {
    @Test("every DSC transcript reads without rejection, but for the lines that are wrong on purpose")
    func everyDSCTranscriptReadsWithoutRejection() throws {
        for name in Transcript.names where name.hasPrefix("dsc") {
            let transcript = try Transcript(name)
            let items = transcript.connections.flatMap { PanelLinkTests.items($0) }
            let rejected = items.compactMap(\.rejection)
            #expect(!items.isEmpty)
            #expect(rejected.count == (name == "dsc-11-hostile-stream" ? 2 : 0), "\(name): \(rejected)")
        }
    }

    @Test("the hostile stream gives these messages and nothing else")
    func theHostileStreamGivesTheseMessagesAndNothingElse() throws {
        let connections = try Transcript("dsc-11-hostile-stream").connections
        #expect(connections.count == 2)
        let hostile = try #require(connections.first)
        #expect(
            items(hostile) == [
                .line(DSCLine(code: "609", data: "001")), .line(DSCLine(code: "610", data: "001")),
                .line(DSCLine(code: "650", data: "1")), .line(DSCLine(code: "510", data: "81")),
                .line(DSCLine(code: "609", data: "002")), .rejected(.badChecksum("610****")),
                .rejected(.malformed("\\xFF\\x00\\x80\\x7F*")), .line(DSCLine(code: "610", data: "002")),
                .line(DSCLine(code: "699", data: "1")), .line(DSCLine(code: "609", data: "")),
                .line(DSCLine(code: "609", data: "00112")),
            ])
        let polite = try #require(connections.last)
        #expect(items(polite) == [.line(DSCLine(code: "505", data: "3"))])
    }

    @Test("a Honeywell greeting is rejected input that still shows what it is")
    func aHoneywellGreetingIsRejectedInputThatStillShowsWhatItIs() throws {
        let items = items(try #require(try Transcript("hw-01-login-idle").connections.first))
        #expect(items.first == .rejected(.malformed("Login:")))
        #expect(items.compactMap(\.line).isEmpty)
    }

    @Test("the bytes of a transcript are cut as its directives say")
    func theBytesOfATranscriptAreCutAsItsDirectivesSay() throws {
        let steps = try Transcript("dsc-11-hostile-stream").steps
        #expect(steps.first == .module([Array("6".utf8), Array("090".utf8), Array("0130\r\n".utf8)]))
        #expect(steps.dropFirst().first == .module([Array("61000128\r\n6501CC\r\n51081FF\r\n".utf8)]))
        #expect(steps.dropFirst(2).first == .module([Array("60900231\r".utf8), [10]]))
        #expect(steps.suffix(3).first == .down(.seconds(40)))
    }

    @Test("a transcript cut anywhere, or into single bytes, is read the same", arguments: Transcript.names)
    func aTranscriptCutAnywhere(name: String) throws {
        for bytes in try Transcript(name).connections {
            let whole = items(bytes)
            #expect(items(bytes.indices.map { bytes[$0...$0] }) == whole)
            for cut in bytes.indices where items([bytes[..<cut], bytes[cut...]]) != whole {
                Issue.record("\(name) cut at byte \(cut) reads differently")
            }
        }
    }

    @Test("a changed byte costs its own line at most, and never in silence", arguments: Transcript.names)
    func aChangedByteCostsItsOwnLineAtMost(name: String) throws {
        for bytes in try Transcript(name).connections {
            let lines = Lines(bytes)
            for position in bytes.indices {
                for value in (0..<8).map({ bytes[position] ^ (1 << $0) }) + [0x00, 0xFF, 0x0A, 0x0D]
                where value != bytes[position] {
                    if let problem = lines.problem(changing: position, to: value) {
                        Issue.record("\(name), byte \(position) to \(value): \(problem)")
                    }
                }
            }
        }
    }
}

/// A stream with what each of its lines gives by itself.
private struct Lines {
    let bytes: [UInt8]
    let ranges: [Range<Int>]
    let items: [[LineReader.Item]]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var ranges: [Range<Int>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == 10 {
            ranges.append(start..<index + 1)
            start = index + 1
        }
        if start < bytes.count { ranges.append(start..<bytes.count) }
        self.ranges = ranges
        items = ranges.map { PanelLinkTests.items([bytes[$0]]) }
    }

    /// Reads the changed line with three lines before and behind it.
    func problem(changing position: Int, to value: UInt8) -> String? {
        guard let changed = ranges.firstIndex(where: { $0.contains(position) }) else { return "no line there" }
        let window = max(0, changed - 3)..<min(ranges.count, changed + 4)
        var stream = Array(bytes[ranges[window.lowerBound].lowerBound..<ranges[window.upperBound - 1].upperBound])
        let offset = ranges[window.lowerBound].lowerBound
        stream[position - offset] = value
        // A line whose end is gone becomes one with the next.
        let lastChanged = bytes[position] == 10 ? min(changed + 1, ranges.count - 1) : changed
        let before = items[window.lowerBound..<changed].joined()
        let behind =
            lastChanged + 1 < window.upperBound ? Array(items[(lastChanged + 1)..<window.upperBound].joined()) : []
        let read = PanelLinkTests.items(stream)
        guard read.count >= before.count + behind.count, read.starts(with: before),
            read.suffix(behind.count) == behind[...]
        else { return "another line was touched" }

        let own = read.dropFirst(before.count).dropLast(behind.count)
        let expected = items[changed...lastChanged].joined().compactMap(\.line?.message)
        for message in own.compactMap(\.line?.message) where !expected.contains(message) {
            return "read as another message: \(message)"
        }
        let isUnended = lastChanged == ranges.count - 1 && stream.last != 10
        let text = bytes[ranges[changed]].indices.map { $0 == position ? value : bytes[$0] }
        let isBlank = text.allSatisfy { [0, 10, 13, 32].contains($0) }
        return own.isEmpty && !isBlank && !isUnended ? "lost without a trace" : nil
    }
}
