import AlarmModel
package import PhoneProtocol

/// One line of a stream of topics: `{id, time, event, topic, …}`.
package enum NtfyLine: Codable, Equatable, Sendable {
    package struct Message: Codable, Equatable, Sendable {
        /// The server's; unique there.
        package var id: String
        /// Seconds since 1970 by the server's clock.
        package var time: Int64
        package var topic: String
        package var text: String

        package init(id: String, time: Int64, topic: String, text: String) {
            self.id = id
            self.time = time
            self.topic = topic
            self.text = text
        }
    }

    /// The stream stands; what follows first was sent before. The server's clock.
    case open(time: Int64)
    case keepalive(time: Int64)
    case message(Message)
    /// Something that a box has no use for: a hint to poll, a message with a file, an order to an app's screen.
    case other
    case unusable(Why)

    package enum Why: String, Codable, Equatable, Sendable, CustomStringConvertible {
        case notAnObject, noEvent, noID, noTopic, noText, encoded

        package var description: String {
            switch self {
            case .notAnObject: "it is no object"
            case .noEvent: "it does not say what it is"
            case .noID: "it has no id"
            case .noTopic: "it has no topic"
            case .noText: "it has no text"
            case .encoded: "its text is not plain"
            }
        }
    }

    static let textLimit = 16_384

    package init(_ json: JSON) {
        guard json.objectValue != nil else {
            self = .unusable(.notAnObject)
            return
        }
        let time = json["time"]?.integerValue ?? 0
        switch json["event"]?.stringValue {
        case nil: self = .unusable(.noEvent)
        case "open": self = .open(time: time)
        case "keepalive": self = .keepalive(time: time)
        case "message": self = Self.message(json, time: time)
        default: self = .other
        }
    }

    private static func message(_ json: JSON, time: Int64) -> NtfyLine {
        guard let id = json["id"]?.stringValue, NtfySettings.isTopic(id) else {
            return .unusable(.noID)
        }
        guard let topic = json["topic"]?.stringValue, NtfySettings.isTopic(topic) else {
            return .unusable(.noTopic)
        }
        if json["attachment"]?.objectValue != nil { return .other }
        guard json["encoding"]?.stringValue ?? "" == "" else { return .unusable(.encoded) }
        guard let text = json["message"]?.stringValue, text.utf8.count <= textLimit else {
            return .unusable(.noText)
        }
        return .message(Message(id: id, time: time, topic: topic, text: text))
    }
}
