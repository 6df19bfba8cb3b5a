import AlarmModel
import ApplianceCore

/// The newest inputs of the core, kept as they are: only a failure asks for words.
struct RecentInputs: Sendable {
    private static let limit = 40
    private var ring: [(at: BootTime, input: Input)] = []
    private var next = 0

    mutating func note(_ input: Input, at now: BootTime) {
        if ring.count < Self.limit {
            ring.append((now, input))
        } else {
            ring[next] = (now, input)
            next = (next + 1) % Self.limit
        }
    }

    /// Oldest first.
    var words: [String] {
        (ring[next...] + ring[..<next]).map { "\(($0.at - .zero).milliseconds) ms: \(Self.words(of: $0.input))" }
    }

    private static func words(of input: Input) -> String {
        guard case .received(_, let bytes) = input else { return String("\(input)".prefix(420)) }
        return String(decoding: bytes.filter { $0 != 13 }.map { $0 == 10 ? UInt8(ascii: "|") : $0 }, as: UTF8.self)
    }
}
