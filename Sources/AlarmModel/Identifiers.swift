/// A connection that the core named when it ordered `open`, or a control client that the shell accepted.
package struct ConnectionID: Codable, Hashable, Comparable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
    package static func < (a: ConnectionID, b: ConnectionID) -> Bool { a.number < b.number }
}

/// A batch, numbered by the core from 1 in the order in which batches are to be committed.
package struct BatchID: Codable, Equatable, Comparable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
    package static func < (a: BatchID, b: BatchID) -> Bool { a.number < b.number }
    package var next: BatchID { BatchID(number + 1) }
}

/// A read that the core ordered from the store.
package struct QueryID: Codable, Equatable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// A command of a person, from the moment it is accepted until its outcome is stored.
package struct CommandID: Codable, Hashable, Comparable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
    package static func < (a: CommandID, b: CommandID) -> Bool { a.number < b.number }
}

/// The place of an event in the journal: 1, 2, 3 … without gaps; it exists only once the event is committed.
package struct SequenceNumber: Codable, Hashable, Comparable, Sendable {
    package var number: Int64

    package init(_ number: Int64) { self.number = number }
    package static let zero = SequenceNumber(0)
    package static func < (a: SequenceNumber, b: SequenceNumber) -> Bool { a.number < b.number }
    package var next: SequenceNumber { SequenceNumber(number + 1) }
}

/// Names an event that could not be stored when it was sent; its row repeats the mark when it is stored later.
package struct UnstoredMark: Codable, Hashable, Sendable {
    /// Eight hexadecimal digits, new at each start of the daemon.
    package var boot: String
    package var counter: UInt64

    package init(boot: String, counter: UInt64) {
        self.boot = boot
        self.counter = counter
    }
    package var text: String { "\(boot)-\(counter)" }

    /// From its text; nil when that is none.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 8, let counter = UInt64(parts[1]) else { return nil }
        self.init(boot: String(parts[0]), counter: counter)
    }
}

/// A link. Until several are configured every connection names `any`.
package enum Link: Codable, Equatable, Sendable {
    case any
    case interface(String)
}
