package import AlarmModel
import PhoneProtocol

/// What Home Assistant sends when somebody presses a button of a partition; the form that we announced.
package struct HomeAssistantCommand: Codable, Equatable, Sendable {
    /// The words are Home Assistant's. The panel has no others: what it lacks was not announced.
    package enum Action: String, Codable, Equatable, Sendable, CaseIterable {
        case disarm = "DISARM"
        case armHome = "ARM_HOME"
        case armAway = "ARM_AWAY"
        case armNight = "ARM_NIGHT"
        /// Although zones are open.
        case armForce = "ARM_CUSTOM_BYPASS"
        /// A panic alarm.
        case trigger = "TRIGGER"
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

    private static func partition(of topic: String, baseTopic: String) -> Int? {
        number(in: topic, after: baseTopic + "/partition/", before: "/set", upTo: 8)
    }

    /// One that is written in no other way than as a number from 1 on.
    static func number(in topic: String, after front: String, before back: String, upTo highest: Int) -> Int? {
        guard topic.utf8.count <= front.utf8.count + 2 + back.utf8.count, topic.hasPrefix(front), topic.hasSuffix(back),
            topic.utf8.count > front.utf8.count + back.utf8.count
        else { return nil }
        let text = topic.dropFirst(front.count).dropLast(back.count)
        return Int(text).flatMap { (1...highest).contains($0) && text == "\($0)" ? $0 : nil }
    }
}
