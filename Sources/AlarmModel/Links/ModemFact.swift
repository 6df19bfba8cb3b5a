/// What the machine tells of the modem.
package enum ModemFact: Codable, Equatable, Sendable {
    /// Whether the service that drives modems (ModemManager) answers. Without it there is no modem either.
    case service(isThere: Bool)
    /// The modem as it is now; nil: there is none. With several the one that came first.
    case modem(ModemStatus?)
    case done(ModemTask)
    case failed(ModemTask, ModemFailure)
    /// The network took the text message.
    case textSent(TextID)
    case textFailed(TextID, ModemFailure)
    /// A text has come in; each is told once. The sender's number can be forged. At most 32 letters of each.
    case textReceived(number: String, text: String)
    case call(CallID, VoiceCallFact)
}

/// Why the modem did not do what it was told.
package struct ModemFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, Hashable, Sendable {
        /// The SIM did not take the PIN.
        case wrongPIN
        /// There is no modem that could, or no service that drives it.
        case noModem
        /// The service may not do this for us.
        case notAllowed
        case timedOut
        case other
    }

    package var kind: Kind
    /// The service's own words: printable, one line, at most 200 characters, no secret.
    package var words: String

    package init(_ kind: Kind, _ words: String = "") {
        self.kind = kind
        self.words = words
    }

    package var description: String {
        let plain =
            switch kind {
            case .wrongPIN: "the SIM refused the PIN"
            case .noModem: "there is no modem"
            case .notAllowed: "the modem service does not allow it"
            case .timedOut: "the modem did not answer in time"
            case .other: "the modem reported a failure"
            }
        return words.isEmpty ? plain : "\(plain) (\(words))"
    }
}
