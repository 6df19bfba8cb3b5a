import AlarmModel

/// The identity of a journal: grows whenever a journal is made anew, so that phones can tell its numbers from those of
/// the one before. Kept in `log.number` beside the journal, and in the journal.
package struct LogNumber: Codable, Equatable, Comparable, Sendable, CustomStringConvertible {
    package var number: UInt32

    package init(_ number: UInt32) { self.number = number }

    /// Eight hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 8, let number = UInt32(text, radix: 16) else { return nil }
        self.number = number
    }

    package var description: String { number.padded(8, radix: 16) }

    package static func < (a: LogNumber, b: LogNumber) -> Bool { a.number < b.number }

    /// Stays at the highest number there is.
    package func advanced(by step: UInt32 = 1) -> LogNumber {
        let (sum, overflow) = number.addingReportingOverflow(step)
        return LogNumber(overflow ? .max : sum)
    }

    package static let fileName = "log.number"

    /// nil when the file is missing or holds something else.
    package static func stored(in directory: String) -> LogNumber? {
        guard let bytes = try? StateFile.read("\(directory)/\(fileName)") else { return nil }
        return LogNumber(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    package func store(in directory: String) throws(StoreError) {
        try StateFile.write(Array("\(self)\n".utf8), to: "\(directory)/\(Self.fileName)")
    }
}
