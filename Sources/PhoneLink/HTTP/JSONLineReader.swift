package import PhoneProtocol

/// Reads a stream of JSON values, one on each line, from bytes in pieces of any size. A line that is too long or no JSON
/// is left out and told; empty lines are a sign of life and nothing else.
package struct JSONLineReader: Codable, Equatable, Sendable {
    package enum Item: Equatable, Sendable {
        case value(JSON)
        case skipped(StreamSkip)
    }

    let lineLimit: Int
    private var pending: [UInt8] = []
    private var position = 0
    private var searched = 0
    private var isSkipping = false

    /// - Parameter lineLimit: bytes of a line without its end
    package init(lineLimit: Int = 65_536) { self.lineLimit = max(1, lineLimit) }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0 {
            pending.removeFirst(position)
            searched -= position
            position = 0
        }
        pending.append(contentsOf: bytes)
    }

    /// The next value or gap; nil until more bytes come. What follows the last line end is not a value yet.
    package mutating func next() -> Item? {
        while true {
            guard let end = pending[searched...].firstIndex(of: 0x0A) else {
                searched = pending.count
                // A carriage return may still belong to the line's end.
                guard pending.count - position > lineLimit + 1 || isSkipping else { return nil }
                position = pending.count
                if isSkipping { return nil }
                isSkipping = true
                return .skipped(.tooLong(lineLimit, beginning: ""))
            }
            var line = pending[position..<end]
            if line.last == 0x0D { line.removeLast() }
            position = end + 1
            searched = position
            if isSkipping {
                isSkipping = false
                continue
            }
            guard line.count <= lineLimit else { return .skipped(.tooLong(lineLimit, beginning: "")) }
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            do {
                return .value(try JSON(parsing: Array(line)))
            } catch {
                return .skipped(.notJSON(error))
            }
        }
    }
}

/// What of a stream could not be used.
package enum StreamSkip: Codable, Equatable, Sendable, CustomStringConvertible {
    /// Longer than so many bytes, with the first few thousand of an event's data.
    case tooLong(Int, beginning: String)
    case notJSON(JSONError)

    package var description: String {
        switch self {
        case .tooLong(let limit, _): "a message was longer than \(limit) bytes and was left out"
        case .notJSON(let error): "a line was no JSON and was left out: \(error)"
        }
    }
}
