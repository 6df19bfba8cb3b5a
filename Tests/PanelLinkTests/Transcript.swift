import Foundation

/// A replayable session of Transcripts/ (its README.txt explains the form).
struct Transcript: Sendable, CustomStringConvertible {
    enum Step: Equatable, Sendable {
        /// A connection is made; `reset`: the module refuses it.
        case connect(reset: Bool)
        /// The module sends these segments.
        case module([[UInt8]])
        /// The client sends these bytes.
        case client([UInt8])
        case delay(Duration)
        /// The module ends the connection.
        case close, reset
        /// Nothing listens for so long.
        case down(Duration)
    }

    struct Problem: Error {
        var text: String
    }

    static let names = [
        "dsc-01-login-status", "dsc-02-arm-stay-disarm", "dsc-03-arm-away-code-asked", "dsc-05-bypass", "dsc-06-errors",
        "dsc-07-troubles", "dsc-09-timestamps-broadcasts", "dsc-10-login-failures", "dsc-11-hostile-stream",
        "dsc-12-panic-key", "dsc-13-silent-zone", "dsc-14-smoke-while-disarmed", "hw-01-login-idle",
    ]

    let name: String
    private(set) var steps: [Step] = []
    var description: String { name }

    /// What the module sends over each connection, one after the other.
    var connections: [[UInt8]] {
        var connections: [[UInt8]] = []
        for step in steps {
            switch step {
            case .connect: connections.append([])
            case .module(let segments):
                if connections.isEmpty { connections.append([]) }
                connections[connections.count - 1] += segments.joined()
            case .client, .delay, .close, .reset, .down: break
            }
        }
        return connections.filter { !$0.isEmpty }
    }

    init(_ name: String) throws {
        self.name = name
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Transcripts")
        let text = try String(contentsOf: folder.appendingPathComponent("\(name).txt"), encoding: .utf8)
        var form = LineForm()
        for line in text.split(separator: "\n") {
            switch line.prefix(2) {
            case "< ": add(line.dropFirst(2), &form)
            case "> ": steps.append(.client(Array(line.dropFirst(2).utf8) + [13, 10]))
            case "#!": try obey(line.dropFirst(2).split(separator: " ").map(String.init), &form)
            case "# ": break
            default: throw Problem(text: "\(name): \(line)")
            }
        }
    }

    /// How the next lines of the module go out.
    private struct LineForm {
        var cuts: [Int] = []
        var isLineFeedApart = false
        var hasLineEnd = true
        var linesInSegment = 0
        var joined: [UInt8] = []
    }

    private mutating func add(_ text: Substring, _ form: inout LineForm) {
        let bytes = Array(text.utf8) + (form.hasLineEnd ? [13, 10] : [])
        form.hasLineEnd = true
        if form.linesInSegment > 0 {
            form.joined += bytes
            form.linesInSegment -= 1
            if form.linesInSegment == 0 {
                steps.append(.module([form.joined]))
                form.joined = []
            }
            return
        }
        let cuts = form.cuts + (form.isLineFeedApart ? [bytes.count - 1] : [])
        form.cuts = []
        form.isLineFeedApart = false
        let edges = [0] + cuts + [bytes.count]
        steps.append(.module(zip(edges, edges.dropFirst()).map { Array(bytes[$0..<$1]) }))
    }

    private mutating func obey(_ words: [String], _ form: inout LineForm) throws {
        let value = words.count > 1 ? words[1] : ""
        switch words.first {
        case "on-connect": steps.append(.connect(reset: value == "rst"))
        case "one-segment": form.linesInSegment = try number(value)
        case "split": form.cuts = try value.split(separator: ",").map { try number(String($0)) }
        case "split-before-lf": form.isLineFeedApart = true
        case "no-crlf": form.hasLineEnd = false
        case "hex":
            let digits = Array(value)
            steps.append(
                .module([
                    try stride(from: 0, to: digits.count, by: 2).map { index in
                        guard let byte = UInt8(String(digits[index...min(index + 1, digits.count - 1)]), radix: 16)
                        else { throw Problem(text: "\(name): hex \(value)") }
                        return byte
                    }
                ]))
        case "bare-crlf": for _ in 0..<(try number(value)) { steps.append(.module([[13, 10]])) }
        case "partial": steps.append(.module([Array(value.utf8)]))
        case "delay": steps.append(.delay(try seconds(value)))
        case "down": steps.append(.down(try seconds(value)))
        case "close": steps.append(.close)
        case "rst": steps.append(.reset)
        default: throw Problem(text: "\(name): unknown directive \(words)")
        }
    }

    private func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw Problem(text: "\(name): \(text) is not a number") }
        return number
    }

    private func seconds(_ text: String) throws -> Duration {
        guard let seconds = Double(text) else { throw Problem(text: "\(name): \(text) is not a time") }
        return .milliseconds(Int((seconds * 1000).rounded()))
    }
}
