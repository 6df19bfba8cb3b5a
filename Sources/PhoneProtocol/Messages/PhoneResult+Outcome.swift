package import AlarmModel

/// The one table from outcomes to the wire's words (docs/pairing.md 6 and 7.4).
extension PhoneResult {
    package init(_ outcome: Outcome) {
        switch outcome {
        case .done: self.init(Word.ok)
        case .refused(let reason): self.init(.denied, why: reason.wireWord)
        case .failed(let reason): self.init(.failed, why: reason.wireWord)
        case .notConfirmed: self.init(Word.timeout)
        case .expired: self.init(Word.expired)
        }
    }
}

extension Reason {
    /// One small word for apps, which have their own sentences in their own languages.
    package var wireWord: String {
        switch self {
        case .notReady: "notready"
        case .alreadyArmed: "armed"
        case .wrongCode, .noCode: "code"
        case .lockedOut: "lockout"
        case .installerMode: "installer"
        case .partitionBusy: "busy"
        case .keybusDown: "keybus"
        case .panelStale: "stale-state"
        case .panelRefused: "panel-refused"
        case .notSupported: "unsupported"
        case .badRequest: "request"
        case .unknownZone: "zone"
        case .unknownPartition: "partition"
        case .bypassWhileArmed: "bypass-armed"
        case .bypassNeedsCode: "bypass-code"
        case .storageFailed: "storage"
        case .queueFull: "queue"
        case .stopping: "stopping"
        case .staleChallenge: "challenge"
        case .notAllowed: "role"
        case .unknownVerb: "verb"
        case .tooManyCommands: "rate"
        case .conditionChanged: "cond"
        case .codeWithheld: "code-withheld"
        }
    }
}
