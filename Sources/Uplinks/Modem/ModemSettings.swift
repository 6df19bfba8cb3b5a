package import AlarmModel

/// How the owner wants the modem to be used.
package struct ModemSettings: Codable, Equatable, Sendable {
    /// nil: the SIM asks for none.
    package var pin: Secret?
    package var subscription: ModemSubscription

    package init(pin: Secret? = nil, subscription: ModemSubscription) {
        self.pin = pin
        self.subscription = subscription
    }
}

/// What `ModemSession` orders or reports.
package enum ModemAction: Codable, Equatable, Sendable {
    case order(ModemOrder)
    /// The data connection stands, stands with other settings, or is gone (nil).
    case bearer(ModemBearer?)
    /// Something is wrong, something else is, or (nil) the modem does again what is wanted of it.
    case problem(ModemProblem?)
    /// Whether text messages can be sent now.
    case textsReady(Bool)
    /// The SIM refused the PIN, or a person gave leave to try again: to be kept across restarts, so that a restart costs
    /// no further try.
    case pinRefused(Bool)
}

/// The modem in one look.
package struct ModemReport: Codable, Equatable, Sendable {
    package enum Step: String, Codable, Equatable, Sendable, CustomStringConvertible {
        case absent, starting, unlocking, waitingForPerson, registering, idle, connecting, connected, disconnecting
        case resetting

        package var description: String {
            switch self {
            case .absent: "no modem"
            case .starting: "starting"
            case .unlocking: "opening the SIM"
            case .waitingForPerson: "waiting for somebody"
            case .registering: "looking for a network"
            case .idle: "registered, no data connection wanted"
            case .connecting: "connecting"
            case .connected: "connected"
            case .disconnecting: "disconnecting"
            case .resetting: "restarting"
            }
        }
    }

    package var step: Step
    /// nil: there is no modem.
    package var status: ModemStatus?
    package var isDataWanted: Bool
    /// Resets in the last 24 hours.
    package var resets: Int
    package var problem: ModemProblem?
}
