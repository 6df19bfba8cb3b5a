/// Who would notice that this box is dead, because its signs of life stop.
package enum Watcher: Equatable, Sendable {
    /// It gets heartbeats.
    case phone(PhoneID)
    /// The service that the dead-man ping goes to.
    case service
    /// An alarm receiver, by polls and messages.
    case receiver

    package var text: String {
        switch self {
        case .phone(let id): "phone \(id)"
        case .service: "service"
        case .receiver: "receiver"
        }
    }

    /// nil: it is none that this version knows.
    package init?(_ text: String) {
        switch text {
        case "service": self = .service
        case "receiver": self = .receiver
        default:
            guard text.hasPrefix("phone "), let id = PhoneID(text.dropFirst(6)) else { return nil }
            self = .phone(id)
        }
    }
}

/// The signs of life that somebody took in a month, as they are stored.
package struct WatchRecord: Codable, Equatable, Sendable {
    /// The text of a `Watcher`; a later version may know others.
    package var watcher: String
    /// `WallTime.month`
    package var month: Int
    package var count: Int
    /// In seconds, between two signs of which the second is of this month.
    package var longestGap: Int64
    package var last: WallTime

    package init(watcher: String, month: Int, count: Int = 1, longestGap: Int64 = 0, last: WallTime) {
        self.watcher = watcher
        self.month = month
        self.count = count
        self.longestGap = longestGap
        self.last = last
    }
}
