/// What the broker or the command tube may ask for, each only where the configuration names it (docs/pairing.md 10).
///
/// None of them quiets a siren but `disarm`.
package enum HouseVerb: String, Codable, Equatable, Sendable, CaseIterable {
    case status, arm, disarm, fire, medical, police
    /// Leave a zone out of the next arming, and take it in again.
    case bypass
    /// Press a command output of the panel.
    case output
    case chime
    /// Arm although zones are open.
    case force
    /// Raise an alarm as the panic key does.
    case panic

    /// Weakens the house, or acts on what nobody here knows: only over a connection and by a broker that are trusted.
    package var needsTrust: Bool {
        switch self {
        case .bypass, .output, .force, .panic: true
        case .status, .arm, .disarm, .fire, .medical, .police, .chime: false
        }
    }
}
