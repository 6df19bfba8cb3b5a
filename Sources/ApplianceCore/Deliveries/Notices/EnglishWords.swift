import AlarmModel
import Uplinks

/// What people are told in English.
enum EnglishWords {
    static func label(_ verb: ContactVerb) -> String {
        switch verb {
        case .seen: "Seen"
        case .status: "Status"
        case .log: "Log"
        case .arm: "Arm"
        case .disarm: "Disarm"
        case .bypass: "Bypass"
        }
    }

    /// Beside the schedule's warning, in the place of `disarm`.
    static let decline = "Not tonight"

    static let probe = NoticeWords(
        title: "notifications are on", text: "From now on this phone is told of alarms while the app is closed, too.")

    /// In a telephone call.
    static let speechOfTest = "This is a test call of the alarm system; there is no alarm"
    static let moreAlarms = "and % more"
    static let pressKey = "Press any key to confirm that you have heard this"
    /// In a text message.
    static let textWords = TextWords(
        alarm: "ALARM", alarms: "% ALARMS", more: "+% more", hint: "Answer OK if seen.")

    static func stillInAlarm(_ words: NoticeWords, in partition: String, _ facts: NoticeFacts) -> NoticeWords {
        guard !facts.isAlarmShown else {
            let text = "\(partition) is still in alarm\(since(facts.since)); nobody is known to have disarmed."
            return NoticeWords(title: "ALARM STILL ON", text: "\(words.text) \(text)")
        }
        let text = "Nobody is known to have ended the alarm on \(partition)\(since(facts.since))."
        return NoticeWords(title: "Alarm not ended", text: "\(words.text) \(text)")
    }

    static func words(_ subject: NoticeSubject, _ facts: NoticeFacts) -> NoticeWords {
        NoticeWords(title: title(subject), text: text(subject, facts))
    }

    static func title(_ subject: NoticeSubject) -> String {
        switch subject {
        case .burglary, .otherAlarm, .missedAlarm: "ALARM"
        case .fire: "FIRE"
        case .carbonMonoxide: "CARBON MONOXIDE"
        case .gas: "GAS"
        case .water: "WATER"
        case .medical: "MEDICAL ALARM"
        case .panic: "PANIC ALARM"
        case .tamper: "TAMPER ALARM"
        case .wrongCode: "WRONG CODE"
        case .keypadLockout: "KEYPADS LOCKED"
        case .cutOff: "ALARM SYSTEM CUT OFF"
        case .powerLost: "ALL POWER LOST"
        case .testAlarm: "TEST ALARM"
        case .alarmEnded: "Alarm ended"
        case .sirenStopped: "Siren stopped"
        case .alarmNoLongerReported: "Alarm no longer shown"
        case .alarmEndedByArming: "Armed after an alarm"
        case .alarmNotExcluded: "Alarm not excluded"
        case .alarmUnaccepted: "Alarm not delivered"
        case .exitDelay: "Arming"
        case .armed: "Armed"
        case .disarmed: "Disarmed"
        case .entryDelay: "Entry delay"
        case .automaticArming: "About to arm"
        case .armedWithBypass: "Armed with bypassed zones"
        case .installerMode: "Installer mode"
        case .notArmed, .scheduleFailed: "NOT ARMED"
        case .reminderNotArmed: "Not armed"
        case .reminderOpen: "Still open"
        case .reminderBypassed: "Still bypassed"
        case .reminderMaintenance: "Maintenance mode"
        case .reminderNobodyHome: "Nobody home"
        case .scheduleSoon: "About to arm"
        case .scheduleDeclined: "Stays disarmed"
        case .powerCut: "Power cut"
        case .powerBack: "Power is back"
        case .upsOnBattery: "UPS on battery"
        case .upsBatteryLow: "UPS battery low"
        case .upsMains: "UPS has mains again"
        case .zoneRestored, .keyRestored, .tamperRestored, .panelBatteryRestored, .bellRestored, .stationRestored,
            .fireDetectorRestored, .detectorBack, .detectorBatteryRestored, .troublesOver, .panelBack, .keybusBack,
            .storageBack, .linkBack, .channelBack, .heartbeatBack, .upsRestored, .otherRecovery:
            "Restored"
        case .panelBatteryLow, .bellTrouble, .stationTrouble, .fireDetectorTrouble, .detectorMissing,
            .detectorBatteryLow, .troubleLight, .troubles, .panelLost, .keybusLost, .storageFailed, .crashed, .linkLost,
            .linksLost, .channelLost, .phoneLost, .heartbeatLost, .upsLost,
            .otherTrouble:
            "Trouble"
        case .test: "Test"
        case .seen: "Seen"
        case .news: "News"
        }
    }

    private static func text(_ subject: NoticeSubject, _ facts: NoticeFacts) -> String {
        let place = facts.place ?? "The alarm system"
        switch subject {
        case .burglary, .otherAlarm: return scene(facts)
        case .fire: return scene(facts) + " Leave the house and call the fire brigade."
        case .carbonMonoxide: return scene(facts) + " Open the windows, leave the house, call the fire brigade."
        case .gas: return scene(facts) + " No flame and no switch: leave the house and call for help."
        case .water: return scene(facts) + " Water where none should be."
        case .medical: return scene(facts) + " Somebody has pressed the key for medical help."
        case .panic: return scene(facts) + " Somebody has pressed the panic key."
        case .tamper: return scene(facts) + " A part of the alarm system was opened or cut."
        case .wrongCode: return scene(facts) + " Somebody has entered a wrong code at a keypad."
        case .keypadLockout: return scene(facts) + " Too many wrong codes were entered at a keypad."
        case .testAlarm:
            return "This is a test: nothing has happened. An alarm sounds like this."
        case .alarmEnded: return ended(facts)
        case .sirenStopped:
            return "\(place) is still armed, and nobody is known to have disarmed.\(began(facts)) Look at the house."
        case .alarmNoLongerReported:
            return "The panel no longer shows the alarm on \(place). Nobody is known to have disarmed: look at the "
                + "house.\(began(facts))"
        case .alarmEndedByArming:
            return "\(place) was armed again\(at(facts.time)). Nobody is known to have disarmed after the alarm."
                + began(facts)
        case .missedAlarm: return missed(facts, place)
        case .alarmNotExcluded: return told(facts) + " Look at the keypad: it shows whether there was an alarm."
        case .alarmUnaccepted:
            return "For a minute no service took this alarm for anybody's phone. Do not count on others knowing of it: "
                + "look at the house, and call whoever should know."
        case .entryDelay:
            return "Somebody has come in\(at(facts.time)). If the partition is not disarmed now, the alarm follows."
        case .armed:
            return "\(place) is \(facts.mode.map(mode) ?? "armed")\(by(facts.user)).\(stillOpen(facts))"
        case .disarmed: return "\(place) is disarmed\(by(facts.user))."
        case .zoneRestored: return "\(place) is quiet again."
        case .notArmed: return "\(place) could not be armed: it is not armed. Look for open zones and arm it again."
        case .reminderNotArmed: return "\(place) is not armed\(at(facts.time)). Arm it, or leave it so."
        case .reminderNobodyHome: return "\(place) is not armed, and nobody is home. Arm it, or leave it so."
        case .powerCut: return "The panel runs on its battery\(since(facts.time)). It holds for some hours."
        case .powerBack: return "The panel has mains power again."
        case .test:
            return "If you can read this, alarms will reach you here."
        case .cutOff: return told(facts) + " The box hears of no alarm until it is back: have somebody look."
        case .powerLost: return told(facts) + " Soon nothing tells of an alarm any more: have somebody look."
        case .armedWithBypass, .reminderBypassed: return told(facts) + " What is bypassed sets off no alarm."
        case .scheduleFailed: return told(facts) + " Look for open zones and arm it yourself."
        case .panelBatteryLow: return told(facts) + " Have it replaced: in a power cut the panel needs it."
        case .bellTrouble: return told(facts) + " The siren may stay silent: have its cable looked at."
        case .stationTrouble: return told(facts) + " Ask the station whether it hears the panel."
        case .fireDetectorTrouble: return told(facts) + " It may miss a fire: have the detectors looked at."
        case .detectorMissing: return told(facts) + " Check its battery, and that it is where it belongs."
        case .detectorBatteryLow: return told(facts) + " Replace it."
        case .troubleLight, .troubles: return told(facts) + " Press *2 at a keypad: it shows which."
        case .panelLost:
            return told(facts) + " The box hears of no alarm until it is back: check the module's power and network."
        case .keybusLost: return told(facts) + " The box hears of no alarm until it does: check the module's cable."
        case .storageFailed:
            return told(facts) + " Messages still go out, but nothing new is kept: replace the card if this lasts."
        case .keyRestored, .tamperRestored, .exitDelay, .automaticArming, .installerMode,
            .panelBatteryRestored, .bellRestored, .stationRestored, .fireDetectorRestored, .detectorBack,
            .detectorBatteryRestored, .troublesOver, .panelBack, .keybusBack, .storageBack, .crashed, .linkLost,
            .linkBack, .linksLost, .channelLost, .channelBack, .phoneLost, .heartbeatLost, .heartbeatBack,
            .upsOnBattery, .upsBatteryLow, .upsMains, .upsLost, .upsRestored, .otherTrouble, .otherRecovery, .seen,
            .news, .reminderOpen, .reminderMaintenance, .scheduleSoon, .scheduleDeclined:
            return told(facts)
        }
    }

    /// As the journal has it.
    private static func told(_ facts: NoticeFacts) -> String {
        facts.message.last.map { ".!?".contains($0) } ?? true ? facts.message : facts.message + "."
    }

    /// `Ground floor, armed away, 16:40:21.`
    private static func scene(_ facts: NoticeFacts) -> String {
        var parts = [facts.zone == nil ? nil : facts.partition, facts.mode.map(mode), facts.time].compactMap { $0 }
        if !facts.causes.isEmpty { parts.append("began with \(facts.causes.joined(separator: ", "))") }
        if parts.isEmpty { return facts.message + "." }
        let text = parts.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst() + "."
    }

    /// ` The alarm began at 03:10:00 with Kitchen window.`
    private static func began(_ facts: NoticeFacts) -> String {
        var text = facts.since.map { " at \($0)" } ?? ""
        if !facts.causes.isEmpty { text += " with \(facts.causes.joined(separator: ", "))" }
        return text.isEmpty ? "" : " The alarm began\(text)."
    }

    private static func missed(_ facts: NoticeFacts, _ place: String) -> String {
        let window = facts.window.map { " between \($0.from) and \($0.to), while the box did not hear the panel" }
        let now = facts.alarmOn == nil ? "It is over now" : "Nobody is known to have disarmed"
        guard facts.zone == nil else {
            return "There was an alarm of \(place). The box only heard that it is quiet again: look at the house."
        }
        return "There was an alarm on \(place)\(window ?? ""). The panel does not say which zones. \(now): look at "
            + "the house."
    }

    private static func ended(_ facts: NoticeFacts) -> String {
        var text = "\(facts.partition ?? "The house") was disarmed\(at(facts.time))"
        text += facts.user.map { " by \($0)." } ?? "."
        if let lasted = facts.lasted { text += " The alarm lasted \(span(lasted))." }
        if !facts.causes.isEmpty { text += " It began with \(facts.causes.joined(separator: ", "))." }
        if let other = facts.alarmOn, other != facts.partition { text += " \(other) is still in alarm." }
        return text
    }

    private static func by(_ user: String?) -> String { user.map { ", by \($0)" } ?? "" }

    private static func stillOpen(_ facts: NoticeFacts) -> String {
        guard !facts.open.isEmpty else { return "" }
        return " Still open: \(facts.open.joined(separator: ", ")). What is open may not raise an alarm."
    }

    private static func at(_ time: String?) -> String { time.map { " at \($0)" } ?? "" }
    private static func since(_ time: String?) -> String { time.map { " since \($0)" } ?? "" }

    private static func span(_ lasted: Duration) -> String {
        let seconds = max(0, lasted.milliseconds / 1000)
        return seconds < 120 ? "\(seconds) s" : "\(seconds / 60) min"
    }

    private static func mode(_ mode: ArmMode) -> String {
        switch mode {
        case .away: "armed away"
        case .stay: "armed stay"
        case .zeroEntryAway: "armed away without entry delay"
        case .zeroEntryStay: "armed stay without entry delay"
        }
    }
}
