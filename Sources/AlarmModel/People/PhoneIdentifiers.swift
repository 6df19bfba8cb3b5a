/// A paired phone: the eight bytes that its pairing gave (docs/pairing.md 4), as a number. Never used twice.
package struct PhoneID: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }

    /// 16 hexadecimal digits.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 16, let number = UInt64(text, radix: 16) else { return nil }
        self.number = number
    }

    /// Big-endian; nil unless there are eight.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 8 else { return nil }
        number = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) } }

    package var description: String { number.padded(16, radix: 16) }

    package static func < (a: PhoneID, b: PhoneID) -> Bool { a.number < b.number }
}

/// A person of the house, numbered from 1.
package struct PersonID: Codable, Equatable, Comparable, Sendable {
    package var number: Int

    package init(_ number: Int) { self.number = number }
    package static func < (a: PersonID, b: PersonID) -> Bool { a.number < b.number }
}

/// One address of a person, numbered from 1 by the core; never used twice.
package struct AddressID: Codable, Hashable, Comparable, Sendable {
    package var number: Int64

    package init(_ number: Int64) { self.number = number }
    package static func < (a: AddressID, b: AddressID) -> Bool { a.number < b.number }
}

/// Names one message to one address, the same on every resend (docs/push.md A.16): the boot mark, "-", a counter.
package struct MessageID: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
    package var text: String

    package init(_ text: String) { self.text = text }
    package init(boot: String, counter: UInt64) { text = "\(boot)-\(counter)" }
    package var description: String { text }
    package static func < (a: MessageID, b: MessageID) -> Bool { a.text < b.text }
}
