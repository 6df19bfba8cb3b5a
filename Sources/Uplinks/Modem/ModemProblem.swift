package import AlarmModel

/// What keeps the modem from doing what is wanted.
package enum ModemProblem: Codable, Equatable, Sendable, CustomStringConvertible {
    case noService
    case noModem
    case pinMissing
    /// The SIM refused the configured PIN; no further try is made with it.
    case pinRefused(triesLeft: Int?)
    /// One try is left before the SIM asks for its PUK: it is left to a person.
    case lastTry
    case pukNeeded
    case modemLocked
    case noSIM
    case broken
    case noNetwork
    case denied
    case emergencyOnly
    case roamingNotAllowed
    case notAllowed
    case failed(ModemTask, ModemFailure)

    /// What happened.
    package var description: String {
        switch self {
        case .noService: "the modem service (ModemManager) does not answer"
        case .noModem: "no modem is found"
        case .pinMissing: "the SIM asks for a PIN and none is configured"
        case .pinRefused(let left):
            "the SIM refused the configured PIN" + (left.map { " (tries left: \($0))" } ?? "")
        case .lastTry: "the SIM would lock itself with one more wrong PIN, so none is tried"
        case .pukNeeded: "the SIM is locked and asks for its PUK"
        case .modemLocked: "the modem is locked to another provider or SIM"
        case .noSIM: "the modem finds no SIM"
        case .broken: "the modem reports that it does not work"
        case .noNetwork: "the modem finds no mobile network"
        case .denied: "the mobile network refuses the SIM"
        case .emergencyOnly: "the mobile network allows emergency calls only"
        case .roamingNotAllowed: "only a foreign network is there and roaming is not allowed"
        case .notAllowed: "the modem service does not let us use the modem"
        case .failed(let task, let failure):
            switch task {
            case .find: "looking for modems failed: \(failure)"
            case .unlock: "opening the SIM failed: \(failure)"
            case .enable: "switching the modem on failed: \(failure)"
            case .connect: "connecting failed: \(failure)"
            case .disconnect: "disconnecting failed: \(failure)"
            case .reset: "restarting the modem failed: \(failure)"
            }
        }
    }

    /// What to do next.
    package var remedy: String {
        switch self {
        case .noService: "see why with: systemctl status ModemManager"
        case .noModem: "check that the modem is plugged in and has enough power"
        case .pinMissing: "configure the SIM's PIN, or switch the PIN off in a phone"
        case .pinRefused: "correct the PIN in the configuration and reload it"
        case .lastTry: "put the SIM into a phone, enter the right PIN there, correct the configuration and reload it"
        case .pukNeeded: "put the SIM into a phone and enter the PUK from the provider's papers"
        case .modemLocked: "have the provider unlock the modem, or use the SIM that it belongs to"
        case .noSIM: "put the SIM in, gold contacts as drawn on the modem, and press it home"
        case .broken: "it is restarted by itself; when that does not help, replace the modem"
        case .noNetwork: "check the antenna, or move the box nearer to a window"
        case .denied, .emergencyOnly: "ask the provider whether the SIM is active and its account paid"
        case .roamingNotAllowed: "allow roaming in the configuration if the costs are acceptable"
        case .notAllowed: "install the access rule for ModemManager that comes with HowAlarming"
        case .failed(.connect, _): "check the access point name (APN), user and password; it is tried again by itself"
        case .failed: "it is tried again by itself"
        }
    }

    /// The same but for the words of others and for numbers.
    func isLike(_ other: ModemProblem) -> Bool {
        switch (self, other) {
        case (.failed(let task, let failure), .failed(let otherTask, let otherFailure)):
            task == otherTask && failure.kind == otherFailure.kind
        case (.pinRefused, .pinRefused): true
        case (_, _): self == other
        }
    }

    /// Only a person can change it; waiting and restarting do not help.
    package var needsPerson: Bool {
        switch self {
        case .pinMissing, .pinRefused, .lastTry, .pukNeeded, .modemLocked, .roamingNotAllowed: true
        case .noService, .noModem, .noSIM, .broken, .noNetwork, .denied, .emergencyOnly, .notAllowed, .failed: false
        }
    }
}
