/// How a command of Home Assistant's ended: the event types of its entity "Last answer".
package enum HomeAssistantAnswer: String, Codable, Equatable, Sendable, CaseIterable {
    case done, refused, failed
    /// Sent, and the panel has not said that it did it.
    case notConfirmed = "not_confirmed"
    /// Refused for a while, after wrong codes.
    case locked
}
