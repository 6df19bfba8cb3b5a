package import AlarmModel

/// What the driver orders.
package enum PanelAction: Codable, Equatable, Sendable {
    /// Open a connection to the module; answered by `connected` or `connectFailed`.
    case connect
    /// Give up the attempt or connection; nothing more is heard of it.
    case close
    case send([UInt8])
    /// A fact for the journal.
    case event(Event)
    /// An order is over.
    case outcome(CommandID, Outcome)
    /// A line for `panel trace`, already redacted; never a duress line.
    case trace(TraceLine)
    case log(LogEntry)
}

package struct TraceLine: Codable, Equatable, Sendable {
    package enum Direction: String, Codable, Equatable, Sendable {
        case fromPanel = "<"
        case toPanel = ">"
        /// A remark of the driver: rejected input, connection made or lost.
        case remark = "#"
    }
    package var direction: Direction
    package var text: String

    package init(_ direction: Direction, _ text: String) {
        self.direction = direction
        self.text = text
    }
}
