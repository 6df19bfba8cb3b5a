/// Something the panel told us, or did not: never guessed, and old knowledge is marked as old.
package enum Reading<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    /// The panel has not said.
    case unknown
    /// True now, as far as the panel tells.
    case known(Value)
    /// Was true when the link to the panel was lost.
    case stale(Value)

    /// The value only while it is current.
    package var current: Value? {
        switch self {
        case .known(let value): value
        case .unknown, .stale: nil
        }
    }

    /// The value whether current or stale.
    package var last: Value? {
        switch self {
        case .known(let value), .stale(let value): value
        case .unknown: nil
        }
    }

    /// The same reading once the link is lost.
    package var aged: Reading {
        switch self {
        case .known(let value): .stale(value)
        case .unknown, .stale: self
        }
    }
}
