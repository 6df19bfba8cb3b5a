/// A recorded or composed session: lines of the module (`< `), of the client (`> `), remarks and directives (`#! `).
///
/// Directives: `on-connect [rst]`, `one-segment N`, `split A,B`, `split-before-lf`, `no-crlf`, `hex H`,
/// `bare-crlf N`, `partial S`, `delay N`, `close`, `rst`, `down N`.
package struct Transcript: Codable, Equatable, Sendable {
    package enum Step: Codable, Equatable, Sendable {
        /// What follows is sent as soon as the socket opens; or the socket is refused.
        case onConnect(isRefused: Bool)
        /// Each element goes out in its own write.
        case send([[UInt8]])
        /// A line of the client, without its line end.
        case expect(String)
        case delay(Duration)
        case close
        case reset
        case down(Duration)
    }

    package struct NumberedStep: Codable, Equatable, Sendable {
        package var step: Step
        /// In the text, from 1.
        package var line: Int
    }

    package let steps: [NumberedStep]

    package init(parsing text: String) throws(TranscriptError) {
        var reader = TranscriptReader()
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            try reader.read(line.hasSuffix("\r") ? line.dropLast() : line, number)
        }
        steps = try reader.finish()
    }
}

package struct TranscriptError: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Reason: String, Hashable, Sendable {
        case unknownLine = "a line starts with \"< \", \"> \" or \"#\""
        case unknownDirective = "there is no such directive"
        case badValue = "the directive's value does not fit it"
        case noLineFollows = "the directive wants lines of the module below it"
    }
    /// From 1.
    package var line: Int
    package var reason: Reason

    package init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    package var description: String { "line \(line): \(reason.rawValue)" }
}

/// Reads a transcript line by line; directives change the line of the module below them.
private struct TranscriptReader {
    private var steps: [Transcript.NumberedStep] = []
    private var number = 0
    /// Lines still to come into this segment.
    private var wanted = 0
    private var segment: [UInt8] = []
    private var cuts: [Int] = []
    private var cutsBeforeLF = false
    private var hasLineEnd = true

    mutating func read(_ line: Substring, _ number: Int) throws(TranscriptError) {
        self.number = number
        if line.isEmpty { return }
        if line.hasPrefix("#!") {
            try directive(line.dropFirst(2).split(separator: " ").map(String.init))
        } else if line.hasPrefix("< ") {
            moduleLine(Array(line.dropFirst(2).utf8))
        } else if line.hasPrefix("> ") {
            try checkSegment()
            append(.expect(String(line.dropFirst(2))))
        } else if !line.hasPrefix("#") {
            throw TranscriptError(line: number, reason: .unknownLine)
        }
    }

    mutating func finish() throws(TranscriptError) -> [Transcript.NumberedStep] {
        try checkSegment()
        return steps
    }

    private mutating func append(_ step: Transcript.Step) {
        steps.append(Transcript.NumberedStep(step: step, line: number))
    }

    private func checkSegment() throws(TranscriptError) {
        guard wanted == 0, cuts.isEmpty, !cutsBeforeLF, hasLineEnd else {
            throw TranscriptError(line: number, reason: .noLineFollows)
        }
    }

    private mutating func moduleLine(_ text: [UInt8]) {
        let bytes = text + (hasLineEnd ? [13, 10] : [])
        hasLineEnd = true
        if wanted > 0 {
            segment += bytes
            wanted -= 1
            if wanted == 0 {
                append(.send([segment]))
                segment = []
            }
            return
        }
        var places = cuts.filter { $0 > 0 && $0 < bytes.count }
        if cutsBeforeLF, bytes.count > 1 { places.append(bytes.count - 1) }
        cuts = []
        cutsBeforeLF = false
        var pieces: [[UInt8]] = []
        var start = 0
        for place in places.sorted() + [bytes.count] where place > start {
            pieces.append(Array(bytes[start..<place]))
            start = place
        }
        append(.send(pieces))
    }

    private mutating func directive(_ words: [String]) throws(TranscriptError) {
        let value = words.count > 1 ? words[1] : nil
        switch words.first {
        case "on-connect":
            guard value == nil || value == "rst" else { throw TranscriptError(line: number, reason: .badValue) }
            append(.onConnect(isRefused: value == "rst"))
        case "one-segment": wanted = try count(value)
        case "split":
            cuts = (value ?? "").split(separator: ",").compactMap { Int($0) }
            if cuts.isEmpty { throw TranscriptError(line: number, reason: .badValue) }
        case "split-before-lf": cutsBeforeLF = true
        case "no-crlf": hasLineEnd = false
        case "hex":
            guard let bytes = [UInt8](hexadecimal: value ?? ""), !bytes.isEmpty else {
                throw TranscriptError(line: number, reason: .badValue)
            }
            append(.send([bytes]))
        case "bare-crlf":
            let ends = Array(repeating: [13, 10] as [UInt8], count: try count(value)).flatMap { $0 }
            append(.send([ends]))
        case "partial": append(.send([Array(words.dropFirst().joined(separator: " ").utf8)]))
        case "delay": append(.delay(try duration(value)))
        case "down": append(.down(try duration(value)))
        case "close": append(.close)
        case "rst": append(.reset)
        default: throw TranscriptError(line: number, reason: .unknownDirective)
        }
    }

    private func count(_ text: String?) throws(TranscriptError) -> Int {
        guard let value = text.flatMap({ Int($0) }), (1...1000).contains(value) else {
            throw TranscriptError(line: number, reason: .badValue)
        }
        return value
    }

    private func duration(_ text: String?) throws(TranscriptError) -> Duration {
        guard let span = text.flatMap({ ScriptWords.duration($0) }), span >= .zero else {
            throw TranscriptError(line: number, reason: .badValue)
        }
        return span
    }
}
