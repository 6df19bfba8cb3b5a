import AlarmModel
import PhoneProtocol
import Platform

/// Firefox's remote control, as far as the demo needs it: one order after the other, over a connection to the browser.
/// Confined to one thread.
final class Marionette {
    /// What an order brought: its value, or why it was refused.
    struct Answer: Equatable, Sendable {
        var number: Int64
        var refusal: String?
    }

    private let stream: Stream
    private var reader = MarionetteReader()
    private var number: Int64 = 0
    private(set) var answers: [Answer] = []

    /// - Parameter onNews: called when there is something to look at
    init(_ stream: Stream, onNews: @escaping () -> Void) {
        self.stream = stream
        stream.onReceived = { [weak self] bytes in
            guard let self else { return }
            reader.append(bytes)
            while let message = reader.next() { answers += Self.answer(message).map { [$0] } ?? [] }
            onNews()
        }
        stream.onClosed = { _ in onNews() }
    }

    /// Gives the order's number, which is its answer's.
    func order(_ name: String, _ parameters: JSON) -> Int64 {
        number += 1
        stream.send(
            MarionetteReader.framed(.array([.integer(0), .integer(number), .string(name), parameters])))
        return number
    }

    func close() { stream.close() }

    /// `[1, NUMBER, ERROR or null, VALUE]`; the greeting is none.
    private static func answer(_ message: JSON) -> Answer? {
        guard let parts = message.arrayValue, parts.count == 4, let number = parts[1].integerValue else { return nil }
        let error = parts[2].objectValue == nil ? nil : parts[2]["message"]?.stringValue ?? "no reason is given"
        return Answer(number: number, refusal: error)
    }
}

/// Messages of Firefox's remote control: a length, a colon, JSON; in pieces of any size.
struct MarionetteReader: Sendable {
    private var pending: [UInt8] = []
    private static let limits = JSON.Limits(depth: 64, bytes: 1024 * 1024)

    mutating func append(_ bytes: [UInt8]) { pending += bytes }

    /// The next whole message; nil until more bytes come, and for ever after something else.
    mutating func next() -> JSON? {
        guard let colon = pending.firstIndex(of: UInt8(ascii: ":")),
            let count = Int(String(decoding: pending[..<colon], as: UTF8.self)),
            (0...Self.limits.bytes).contains(count), pending.count > colon + count
        else { return nil }
        let text = Array(pending[(colon + 1)...(colon + count)])
        pending.removeFirst(colon + 1 + count)
        return try? JSON(parsing: text, limits: Self.limits)
    }

    static func framed(_ message: JSON) -> [UInt8] {
        let text = message.utf8
        return Array("\(text.count):".utf8) + text
    }
}
