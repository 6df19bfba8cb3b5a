import AlarmModel

extension MQTTTransport {
    /// Tells whether anybody is at home, if that has changed.
    mutating func tell(_ presence: Presence, into actions: inout [TransportAction]) {
        guard self.presence != presence else { return }
        self.presence = presence
        actions.append(.presence(presence))
    }
}

extension Presence {
    /// Bytes that are looked at.
    private static let sizeLimit = 64

    /// `home` or `not_home`, as Home Assistant calls the states of people and groups; letters may be large and blanks may
    /// stand around them. Anything else says nothing.
    package init(payload: [UInt8]) {
        guard payload.count <= Self.sizeLimit, let text = String(validating: payload, as: UTF8.self) else {
            self = .unknown
            return
        }
        let words = text.split { $0.isWhitespace }
        guard words.count == 1, words[0].utf8.allSatisfy({ $0 < 0x80 }) else {
            self = .unknown
            return
        }
        self = Presence(rawValue: words[0].lowercased()) ?? .unknown
    }
}
