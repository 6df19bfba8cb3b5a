/// What an event tells people: it chooses the title, the picture beside it, the sound and the text in each language.
/// `docs/notices.txt` shows them all.
package enum NoticeSubject: String, Codable, Hashable, Sendable, CaseIterable {
    // Alarms
    case burglary, fire, carbonMonoxide, gas, water, medical, panic, tamper
    case wrongCode, keypadLockout, cutOff, powerLost, otherAlarm
    /// The appliance learned of an alarm afterwards, by the panel's memory light.
    case missedAlarm
    /// Asked for by somebody who wants to hear what an alarm sounds like.
    case testAlarm
    // While an alarm lasts, and its end
    case zoneRestored, keyRestored, tamperRestored, sirenStopped
    /// The incident ended with a disarming.
    case alarmEnded
    /// An end without a known disarming: the panel stopped reporting the alarm, or armed again.
    case alarmNoLongerReported, alarmEndedByArming
    /// An armed partition without a memory light was not heard for a while.
    case alarmNotExcluded
    /// No service accepts it for anybody.
    case alarmUnaccepted
    // Arming
    case exitDelay, armed, disarmed, entryDelay, automaticArming, armedWithBypass, installerMode, notArmed
    // Reminders, and the schedule that arms
    case reminderNotArmed, reminderOpen, reminderBypassed, reminderMaintenance, reminderNobodyHome
    case scheduleSoon, scheduleDeclined, scheduleFailed
    // The panel's troubles and their ends
    case powerCut, powerBack, panelBatteryLow, panelBatteryRestored, bellTrouble, bellRestored
    case stationTrouble, stationRestored, fireDetectorTrouble, fireDetectorRestored
    case detectorMissing, detectorBack, detectorBatteryLow, detectorBatteryRestored
    case troubleLight, troubles, troublesOver
    // The box's own
    case panelLost, panelBack, keybusLost, keybusBack, storageFailed, storageBack, crashed
    case upsOnBattery, upsBatteryLow, upsMains, upsLost, upsRestored
    case linkLost, linkBack, linksLost, channelLost, channelBack, phoneLost, heartbeatLost, heartbeatBack
    // All others
    case otherTrouble, otherRecovery, test, seen, news

    /// What kind of news it is.
    private enum Tone { case alarm, good, other }

    private var tone: Tone {
        switch self {
        case .burglary, .fire, .carbonMonoxide, .gas, .water, .medical, .panic, .tamper, .wrongCode, .keypadLockout,
            .cutOff, .powerLost, .otherAlarm, .missedAlarm, .testAlarm:
            .alarm
        case .zoneRestored, .keyRestored, .tamperRestored, .powerBack, .panelBatteryRestored, .bellRestored,
            .stationRestored, .fireDetectorRestored, .detectorBack, .detectorBatteryRestored, .troublesOver,
            .panelBack, .keybusBack, .storageBack, .linkBack, .channelBack, .heartbeatBack, .upsMains, .upsRestored,
            .otherRecovery:
            .good
        case .alarmEnded, .alarmNoLongerReported, .alarmEndedByArming, .alarmNotExcluded, .alarmUnaccepted,
            .sirenStopped, .exitDelay, .armed, .disarmed, .entryDelay, .automaticArming, .armedWithBypass,
            .installerMode, .notArmed, .reminderNotArmed, .reminderOpen, .reminderBypassed, .reminderMaintenance,
            .reminderNobodyHome, .scheduleSoon, .scheduleDeclined, .scheduleFailed, .powerCut, .panelBatteryLow,
            .bellTrouble, .stationTrouble,
            .fireDetectorTrouble, .detectorMissing, .detectorBatteryLow, .troubleLight, .troubles, .panelLost,
            .keybusLost, .storageFailed, .crashed, .linkLost, .linksLost, .channelLost, .phoneLost, .heartbeatLost,
            .upsOnBattery, .upsBatteryLow, .upsLost, .otherTrouble, .test, .seen, .news:
            .other
        }
    }

    /// An alarm is going on, or sounds like one.
    package var isAlarm: Bool { tone == .alarm }

    /// Something that was wrong is right again. It is never told as such while a partition is in alarm.
    package var isGoodNews: Bool { tone == .good }
}

/// The languages in which people are told, by their two letters (ISO 639).
package enum NoticeLanguage: String, Codable, Hashable, Sendable, CaseIterable {
    case english = "en"
    case german = "de"

    /// English for a language that is not known.
    package init(code: String) { self = Self(rawValue: code) ?? .english }
}
