package import AlarmModel
import PhoneProtocol

/// What Home Assistant sends when somebody presses a button of a partition; the form that we announced.
package struct HomeAssistantCommand: Codable, Hashable, Sendable {
    /// The words are Home Assistant's. The panel has no others: what it lacks was not announced.
    package enum Action: String, Codable, Hashable, Sendable, CaseIterable {
        case disarm = "DISARM"
        case armHome = "ARM_HOME"
        case armAway = "ARM_AWAY"
        case armNight = "ARM_NIGHT"
    }
    package var partition: Int
    package var action: Action
    /// As typed; nil when there is none.
    package var code: Secret?

    /// - Parameters:
    ///   - topic: where it came, `BASE/partition/N/set` with N 1…8
    ///   - payload: `{"action": …, "code": …}`
    /// - Returns: nil for anything else
    package init?(topic: String, payload: String, baseTopic: String) {
        guard let partition = Self.partition(of: topic, baseTopic: baseTopic),
            let json = try? JSON(parsing: Array(payload.utf8), limits: JSON.Limits(depth: 2, bytes: Self.sizeLimit)),
            let action = json["action"]?.stringValue.flatMap(Action.init)
        else { return nil }
        self.partition = partition
        self.action = action
        switch json["code"] {
        // A template writes a missing code as None.
        case nil, .null, .string(""), .string("None"): code = nil
        case .string(let text) where text.utf8.count <= 32: code = Secret(text)
        case .integer(let digits) where digits >= 0: code = Secret(String(digits))
        case .string, .integer, .bool, .number, .array, .object: return nil
        }
    }

    /// Bytes of a command.
    package static let sizeLimit = 512

    static func partition(of topic: String, baseTopic: String) -> Int? {
        let front = baseTopic + "/partition/"
        let back = "/set"
        guard topic.utf8.count == front.utf8.count + 1 + back.utf8.count, topic.hasPrefix(front), topic.hasSuffix(back),
            let number = Int(topic.dropFirst(front.count).dropLast(back.count)), (1...8).contains(number)
        else { return nil }
        return number
    }
}
