/// What somebody in the house asks for by the broker or by the command tube.
enum HouseOrderKind: Codable, Equatable, Sendable, CaseIterable {
    case arm
    case disarm
    case wrongCode
    /// Kept by the broker, so that it comes again with each connection.
    case retained
    /// What nobody may ask for there.
    case forbidden
    case nonsense

    /// Whether it may be carried out, once.
    var isValid: Bool {
        switch self {
        case .arm, .disarm: true
        case .wrongCode, .retained, .forbidden, .nonsense: false
        }
    }

    /// As Home Assistant writes it.
    func payload(_ code: String) -> String {
        switch self {
        case .arm: "{\"action\":\"ARM_AWAY\",\"code\":\"\(code)\"}"
        case .disarm: "{\"action\":\"DISARM\",\"code\":\"\(code)\"}"
        case .wrongCode: "{\"action\":\"DISARM\",\"code\":\"0000\"}"
        case .retained: "{\"action\":\"ARM_HOME\",\"code\":\"\(code)\"}"
        case .forbidden: "{\"action\":\"TRIGGER\",\"code\":\"\(code)\"}"
        case .nonsense: "ARM_AWAY"
        }
    }

    /// As HowAlarming's programs write it.
    var job: String {
        switch self {
        case .arm: "arm"
        case .disarm, .wrongCode: "disarm"
        case .retained, .forbidden: "fire"
        case .nonsense: "\u{7F}"
        }
    }
}
