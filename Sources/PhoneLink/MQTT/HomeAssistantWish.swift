/// What Home Assistant asks for, by the topic that we announced for it.
package enum HomeAssistantWish: Equatable, Sendable {
    /// The buttons of a partition.
    case panel(HomeAssistantCommand)
    case chime(partition: Int, isOn: Bool)
    /// Output 1…4.
    case output(partition: Int, number: Int)
    case bypass(zone: Int, isOn: Bool)

    /// - Parameter topic: `BASE/partition/N/set`, `…/chime`, `…/output` with N 1…8, or `BASE/zone/N/bypass` with N 1…64
    /// - Returns: nil for anything else
    package init?(topic: String, payload: String, baseTopic: String) {
        switch Place(topic, baseTopic) {
        case .set:
            guard let command = HomeAssistantCommand(topic: topic, payload: payload, baseTopic: baseTopic) else {
                return nil
            }
            self = .panel(command)
        case .chime(let partition):
            guard let isOn = Self.isOn(payload) else { return nil }
            self = .chime(partition: partition, isOn: isOn)
        case .output(let partition):
            guard let number = Self.outputs.first(where: { payload == "\($0)" }) else { return nil }
            self = .output(partition: partition, number: number)
        case .bypass(let zone):
            guard let isOn = Self.isOn(payload) else { return nil }
            self = .bypass(zone: zone, isOn: isOn)
        case nil: return nil
        }
    }

    /// Of each partition.
    static let outputs = 1...4

    private static func isOn(_ payload: String) -> Bool? { ["ON": true, "OFF": false][payload] }

    /// Whether commands come there.
    static func comes(at topic: String, baseTopic: String) -> Bool { Place(topic, baseTopic) != nil }

    private enum Place {
        case set(Int), chime(Int), output(Int), bypass(Int)

        init?(_ topic: String, _ base: String) {
            func number(_ kind: String, _ end: String, upTo highest: Int) -> Int? {
                HomeAssistantCommand.number(in: topic, after: "\(base)/\(kind)/", before: "/\(end)", upTo: highest)
            }
            if let partition = number("partition", "set", upTo: 8) {
                self = .set(partition)
            } else if let partition = number("partition", "chime", upTo: 8) {
                self = .chime(partition)
            } else if let partition = number("partition", "output", upTo: 8) {
                self = .output(partition)
            } else if let zone = number("zone", "bypass", upTo: 64) {
                self = .bypass(zone)
            } else {
                return nil
            }
        }
    }
}
