package import AlarmModel

/// A line by which the panel names the user who armed or disarmed (TPI 700 and 750); it may come after the change itself.
package enum UserChange: String, Codable, Equatable, Sendable {
    case armed, disarmed

    /// nil: the event is no such line.
    package init?(_ event: Event) {
        switch event.code {
        case "700": self = .armed
        case "750": self = .disarmed
        default: return nil
        }
    }
}
