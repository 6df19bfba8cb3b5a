package import AlarmModel

extension Event {
    /// Subject of the notice about the event, by its type and by its code (docs/envisalink.md 2).
    ///
    /// - Parameters:
    ///   - names: of the house; they say what a zone watches
    ///   - partitions: as they are now; which zones caused the alarm of a partition
    package func subject(_ names: SiteNames, partitions: [PartitionState]) -> NoticeSubject {
        if flags.contains(.testAlarm) { return .testAlarm }
        if flags.contains(.endsAlarm) { return subjectOfEnd }
        if flags.contains(.sirenStopped) { return .sirenStopped }
        if let own = EventCode(rawValue: code) { return Self.subject(own, type) }
        return switch code {
        case "601": zone.map { names.subject(ofZone: $0) } ?? .burglary
        case "602": .zoneRestored
        case "603", "829": .tamper
        case "604", "830": .tamperRestored
        case "605": .detectorMissing
        case "606": .detectorBack
        case "621", "631": .fire
        case "622", "624", "626", "632": .keyRestored
        case "623": .medical
        case "625": .panic
        case "654": subjectOfPartition(names, partitions)
        case "656": .exitDelay
        case "657": .entryDelay
        case "658": .keypadLockout
        case "659", "672": .notArmed
        case "670": type == .alarm ? .wrongCode : Self.subject(type)
        case "674": .automaticArming
        case "680": .installerMode
        case "702": .armedWithBypass
        case "800": .panelBatteryLow
        case "801": .panelBatteryRestored
        case "802": .powerCut
        case "803": .powerBack
        case "806": .bellTrouble
        case "807": .bellRestored
        case "814": .stationTrouble
        case "815": .stationRestored
        case "832": .detectorBatteryLow
        case "833": .detectorBatteryRestored
        case "840": .troubleLight
        case "842": .fireDetectorTrouble
        case "843": .fireDetectorRestored
        case "849": type == .recovery ? .troublesOver : raw == "84902" ? .powerCut : .troubles
        default: Self.subject(type)
        }
    }

    /// The key for help whose alarm this is.
    package var pressedKey: Trouble? {
        switch code {
        case "621": .fireKey
        case "623": .auxiliaryKey
        case "625": .panicKey
        default: nil
        }
    }

    private func subjectOfPartition(_ names: SiteNames, _ partitions: [PartitionState]) -> NoticeSubject {
        partitions.first { $0.number == partition }?.incident?.subject(names) ?? .otherAlarm
    }

    private var subjectOfEnd: NoticeSubject {
        switch type {
        case .disarmed: .alarmEnded
        case .armed: .alarmEndedByArming
        case .command, .info, .response, .alarm, .recovery, .fault, .unknown: .alarmNoLongerReported
        }
    }

    private static func subject(_ code: EventCode, _ type: EventType) -> NoticeSubject {
        switch code {
        case .panelOffline, .panelRefused: type == .alarm ? .cutOff : .panelLost
        case .panelOnline: type == .recovery ? .panelBack : .news
        case .keybusLost: type == .alarm ? .cutOff : .keybusLost
        case .keybusRestored: .keybusBack
        case .powerLost: .powerLost
        case .alarmUnheard: .missedAlarm
        case .alarmOver: .alarmNoLongerReported
        case .alarmNotExcluded: .alarmNotExcluded
        case .alarmUnaccepted: .alarmUnaccepted
        case .storeFailed, .storeDamaged, .eventsDropped: .storageFailed
        case .storeRestored: .storageBack
        case .started, .safeMode: type == .fault ? .crashed : subject(type)
        case .linkLost: .linkLost
        case .linkRestored: .linkBack
        case .linksLost: type == .alarm ? .cutOff : .linksLost
        case .pushOffline: .channelLost
        case .pushOnline: .channelBack
        case .phoneLost: .phoneLost
        case .deadManPingFailed: .heartbeatLost
        case .deadManPingRestored: .heartbeatBack
        case .upsOnBattery: .upsOnBattery
        case .upsBatteryLow: .upsBatteryLow
        case .upsMains: .upsMains
        case .upsLost: .upsLost
        case .upsRestored: .upsRestored
        case .test: .test
        case .seen: .seen
        case .reminderNotArmed: .reminderNotArmed
        case .reminderOpen: .reminderOpen
        case .reminderBypassed: .reminderBypassed
        case .reminderMaintenance: .reminderMaintenance
        case .reminderNobodyHome: .reminderNobodyHome
        case .scheduleSoon: .scheduleSoon
        case .scheduleDeclined: .scheduleDeclined
        case .scheduleFailed: .scheduleFailed
        case .scheduleWaits: subject(type)
        case .stopped, .command, .unreadableRow, .storeRestoredFromBackup, .configurationChanged, .reboot, .update,
            .stick, .testResult, .camera, .historyMail,
            .maintenance, .panelNoise, .clock, .linkSwitched, .linkBudget, .modem, .textMessage, .textAnswer, .call,
            .phones, .phoneLocked,
            .phoneDenied, .phoneNoise, .pushRefused, .cardRestored, .consolePIN, .consoleDenied, .consoleLocked:
            subject(type)
        }
    }

    private static func subject(_ type: EventType) -> NoticeSubject {
        switch type {
        case .alarm: .otherAlarm
        case .fault, .unknown: .otherTrouble
        case .recovery: .otherRecovery
        case .armed: .armed
        case .disarmed: .disarmed
        case .info, .command, .response: .news
        }
    }
}

extension Incident {
    /// The gravest of what its zones watch and its key calls for.
    ///
    /// - Parameter names: of the house; they say what a zone watches
    package func subject(_ names: SiteNames) -> NoticeSubject {
        var subjects = zones.map { names.subject(ofZone: $0.number) }
        switch key {
        case .fireKey, .smoke: subjects.append(.fire)
        case .auxiliaryKey: subjects.append(.medical)
        case .panicKey: subjects.append(.panic)
        case .ac, .battery, .bell, .phoneLine, .failureToCommunicate, .tamper, .fireTrouble, .clock, .service,
            .zoneFault, .zoneTamper, .zoneBattery, .keybus, nil:
            break
        }
        return NoticeSubject.gravest(subjects) ?? .otherAlarm
    }
}
