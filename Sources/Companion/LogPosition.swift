import AlarmModel
import PhoneProtocol

/// A place in the journal of the box: which journal, and which row. A higher journal is newer than all of a lower one.
public struct LogPosition: Codable, Equatable, Comparable, Sendable, CustomStringConvertible {
    /// Grows by one whenever the box starts a new journal; eight hexadecimal digits on the wire.
    public var log: UInt32
    /// From 1, without gaps; 0 is the place before the first row.
    public var seq: Int64

    public init(log: UInt32, seq: Int64) {
        self.log = log
        self.seq = seq
    }

    public var description: String { "\(logText).\(seq)" }

    public static func < (a: LogPosition, b: LogPosition) -> Bool { (a.log, a.seq) < (b.log, b.seq) }

    /// Eight hexadecimal digits.
    var logText: String { log.padded(8, radix: 16) }

    /// Both as a message carries them; nil unless they are exactly that.
    init?(log: String?, seq: String?) {
        guard let log = Self.log(log), let seq = Decimal.read(seq) else { return nil }
        self.init(log: log, seq: seq)
    }

    static func log(_ text: String?) -> UInt32? {
        guard let text, text.utf8.count == 8, let number = Hex.number(text) else { return nil }
        return UInt32(exactly: number)
    }
}

/// Whole numbers as texts, as the messages carry them: digits only, at most 2⁵³.
enum Decimal {
    static func read(_ text: String?) -> Int64? {
        guard let text, (1...16).contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int64(text), number <= 1 << 53
        else { return nil }
        return number
    }
}
