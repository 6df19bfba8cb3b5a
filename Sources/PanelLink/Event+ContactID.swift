package import AlarmModel

extension Event {
    /// What a receiver is told of it (SIA DC-05); nil: nothing.
    ///
    /// - Parameters: as in `subject`
    package func contactID(_ names: SiteNames, partitions: [PartitionState]) -> ContactID? {
        if flags.contains(.duress) { return ContactID(.new, 121, partition: partition, number: user) }
        let subject = subject(names, partitions: partitions)
        if let cause = cause(ofRestoring: subject, names) {
            guard let code = cause.contactID(isOfZone: zone != nil)?.code else { return nil }
            return ContactID(.restored, code, partition: partition, number: zone)
        }
        // The line that showed the partition disarmed was the opening.
        if code == EventCode.alarmOver.rawValue { return nil }
        // 652 closes, also where it ends an alarm that nobody disarmed.
        if subject == .alarmEndedByArming, code == "652" {
            return ContactID(.restored, 401, partition: partition, number: user)
        }
        guard let (qualifier, code) = subject.contactID(isOfZone: zone != nil) else { return nil }
        return ContactID(qualifier, code, partition: partition, number: code == 401 ? user : zone)
    }

    /// Whether there is a code for it at all.
    package var isForReceivers: Bool { contactID(SiteNames(), partitions: []) != nil }

    /// Which alarm is over; nil: it tells of none that is.
    private func cause(ofRestoring subject: NoticeSubject, _ names: SiteNames) -> NoticeSubject? {
        if subject == .zoneRestored { return zone.map { names.subject(ofZone: $0) } ?? .burglary }
        if subject == .tamperRestored { return .tamper }
        guard subject == .keyRestored else { return nil }
        return switch code {
        case "622", "632": .fire
        case "624": .medical
        case "626": .panic
        default: .otherAlarm
        }
    }
}

extension NoticeSubject {
    /// Qualifier and code; nil: it is no news for a station.
    fileprivate func contactID(isOfZone: Bool) -> (qualifier: ContactID.Qualifier, code: Int)? {
        switch self {
        case .medical: (.new, 100)
        case .fire: (.new, 110)
        case .panic: (.new, 120)
        case .burglary: (.new, 130)
        case .tamper: (.new, isOfZone ? 144 : 137)
        case .cutOff, .otherAlarm, .missedAlarm: (.new, 140)
        case .gas: (.new, 151)
        case .water: (.new, 154)
        case .carbonMonoxide: (.new, 162)
        case .powerLost: (.new, 308)
        case .keypadLockout: (.new, 421)
        case .wrongCode: (.new, 461)
        // An opening is new, a closing restored.
        case .alarmEnded, .disarmed: (.new, 401)
        case .armed: (.restored, 401)
        case .notArmed: (.new, 454)
        case .scheduleFailed: (.new, 455)
        case .troubleLight, .troubles, .storageFailed, .upsLost, .otherTrouble: (.new, 300)
        case .troublesOver, .storageBack, .upsRestored, .otherRecovery: (.restored, 300)
        case .powerCut: (.new, 301)
        case .powerBack: (.restored, 301)
        case .panelBatteryLow: (.new, 302)
        case .panelBatteryRestored: (.restored, 302)
        case .crashed: (.new, 305)
        case .bellTrouble: (.new, 321)
        case .bellRestored: (.restored, 321)
        case .panelLost, .keybusLost: (.new, 333)
        case .panelBack, .keybusBack: (.restored, 333)
        case .upsBatteryLow: (.new, 338)
        case .upsOnBattery: (.new, 342)
        case .upsMains: (.restored, 342)
        case .linkLost, .linksLost: (.new, 350)
        case .linkBack: (.restored, 350)
        case .stationTrouble: (.new, 354)
        case .stationRestored: (.restored, 354)
        case .fireDetectorTrouble: (.new, 373)
        case .fireDetectorRestored: (.restored, 373)
        case .detectorMissing: (.new, 381)
        case .detectorBack: (.restored, 381)
        case .detectorBatteryLow: (.new, 384)
        case .detectorBatteryRestored: (.restored, 384)
        // A test alarm, too, is a test and no alarm.
        case .test, .testAlarm: (.new, 602)
        // `contactID(_:partitions:)` asks for their cause.
        case .zoneRestored, .keyRestored, .tamperRestored: nil
        // No opening: nobody is known to have disarmed.
        case .sirenStopped, .alarmNoLongerReported, .alarmEndedByArming, .alarmNotExcluded: nil
        // What concerns people's phones, and what somebody at home can do something about.
        case .alarmUnaccepted, .channelLost, .channelBack, .phoneLost, .heartbeatLost, .heartbeatBack, .exitDelay,
            .entryDelay,
            .automaticArming, .armedWithBypass, .installerMode, .reminderNotArmed, .reminderOpen, .reminderBypassed,
            .reminderMaintenance, .reminderNobodyHome, .scheduleSoon, .scheduleDeclined, .seen, .news:
            nil
        }
    }
}
