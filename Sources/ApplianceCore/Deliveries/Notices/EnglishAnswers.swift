import AlarmModel
import PhoneProtocol

/// What contacts are answered in English.
enum EnglishAnswers {
    static func words(_ answer: ContactAnswer) -> NoticeWords { NoticeWords(title: title(answer), text: text(answer)) }

    private static func title(_ answer: ContactAnswer) -> String {
        switch answer {
        case .code(let code): "code \(code.revealed)"
        case .paired: "paired"
        case .notUnderstood: "not understood"
        case .notAllowed, .noCodes(_, isAllowed: false): "not allowed"
        case .help: "help"
        case .seen: "seen"
        case .status: "status"
        case .log: "log"
        case .notRepeated: "not repeated"
        case .noCodes, .storageFails, .tooManyCommands, .clockInDoubt, .codesLocked, .wrongCode: "not done"
        case .outcome: "outcome"
        }
    }

    private static func text(_ answer: ContactAnswer) -> String {
        switch answer {
        case .code(let code): "Type \(code.revealed) at the box. If you did not ask for this, do nothing."
        case .paired: "Alarms and troubles of this house arrive here from now on."
        case .notUnderstood(let error): error.description
        case .notAllowed(let verb):
            "'\(verb.rawValue)' is not allowed for this account; nothing was done. It can be allowed "
                + "with \(Hint.allow.atBox)."
        case .noCodes(let verb, _):
            "'\(verb.rawValue)' needs one-time codes, and you have none; nothing was done. They are set up "
                + "with \(Hint.codes.atBox). Use a paired phone or the keypad."
        case .help(let allowed): ContactCommand.help(allowed)
        case .seen:
            "The alarm counts as seen by you: it is not repeated to you. The others are told, and get it until they "
                + "have seen it, too."
        case .status(let house): status(house)
        case .log(let lines): lines.isEmpty ? "The journal is empty." : lines.joined(separator: "\n")
        case .storageFails: "The storage of the box fails; nothing was done."
        case .tooManyCommands: "Too many commands within a minute; wait a little, then try again."
        case .notRepeated:
            "Your command came again after the box was restarted; it is not done twice. 'log' says how it ended."
        case .clockInDoubt:
            "The clock of the box is not set by the network now, so a one-time code cannot be checked; nothing was "
                + "done. Use a paired phone or the keypad."
        case .codesLocked:
            "Your codes are locked for a while after five wrong ones; nothing was done. Use a paired phone or the "
                + "keypad. The lock ends with \(Hint.lift.atBox)."
        case .wrongCode(let span):
            "The code is wrong, too old, or was used before; nothing was done. "
                + (span.map { "That was the fifth: for \($0.words) no code of yours counts." }
                    ?? "Wait for the next code of your authenticator app, then try again.")
        case .outcome(let words): words
        }
    }

    /// For the journal, too.
    static func status(_ house: HouseStatus?) -> String {
        guard let house else { return "The panel cannot be reached: what the house does is not known." }
        var lines = house.partitions.map { part in
            "\(part.name ?? "Partition \(part.number)"): \(part.status.map(words) ?? "not known")"
        }
        func zones(_ what: String, _ zones: [HouseStatus.Zone]) {
            let names = zones.map { $0.name ?? "zone \($0.number)" }
            if !names.isEmpty { lines.append("\(what): \(names.joined(separator: ", "))") }
        }
        zones("Open", house.open)
        zones("Bypassed", house.bypassed)
        if !house.troubles.isEmpty {
            lines.append("Troubles: \(house.troubles.map(name).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    private static func name(_ trouble: Trouble) -> String {
        switch trouble {
        case .ac: "power cut"
        case .battery: "battery of the panel"
        case .bell: "line to the siren"
        case .phoneLine: "phone line"
        case .failureToCommunicate: "monitoring station not reached"
        case .tamper: "tamper"
        case .fireTrouble: "fire detector faulty"
        case .clock: "clock of the panel"
        case .service: "service needed"
        case .zoneFault: "a zone is faulty"
        case .zoneTamper: "tamper at a zone"
        case .zoneBattery: "battery of a detector"
        case .keybus: "link from the module to the panel"
        case .fireKey: "fire key"
        case .auxiliaryKey: "key for help"
        case .panicKey: "panic key"
        case .smoke: "smoke detector at the keypad"
        }
    }

    /// In a sentence about the partition.
    private static func words(_ status: PartitionStatus) -> String {
        switch status {
        case .notEnabled: "not used"
        case .disarmed: "disarmed"
        case .ready: "disarmed, ready"
        case .readyForce: "disarmed, ready to be armed by force"
        case .notReady: "disarmed, not ready"
        case .exitDelay: "arming"
        case .armed(let mode): mode.map { "armed (\($0.rawValue))" } ?? "armed"
        case .entryDelay: "armed, entry delay"
        case .alarm: "IN ALARM"
        }
    }
}
