import AlarmModel

/// What lasts from one event to another, as the codes of both say: outages, batteries, troubles of the panel.
package enum HistoryTrouble: UInt8, Hashable, Sendable, CaseIterable {
    // What may be there or not
    case box, panel, keybus, internet, link, channel, storage, heartbeats, mains, upsMains, upsServer
    // What is wrong with a part
    case panelBattery, upsBattery, detectorBattery, otherBattery, detectorMissing, fireDetectors, tamper, bell, station

    /// Shown as the share of the time in which it was there; the others only with how often and how long.
    var isWay: Bool {
        switch self {
        case .box, .panel, .keybus, .internet, .link, .channel, .storage, .heartbeats, .mains, .upsMains, .upsServer:
            true
        case .panelBattery, .upsBattery, .detectorBattery, .otherBattery, .detectorMissing, .fireDetectors, .tamper,
            .bell, .station:
            false
        }
    }

    /// Not every house has it, and the journal says so only when it fails.
    var isOptional: Bool {
        switch self {
        case .link, .channel, .heartbeats, .upsMains, .upsServer: true
        case .box, .panel, .keybus, .internet, .storage, .mains, .panelBattery, .upsBattery, .detectorBattery,
            .otherBattery, .detectorMissing, .fireDetectors, .tamper, .bell, .station:
            false
        }
    }

    /// Of each link and channel one.
    var isNamed: Bool { self == .link || self == .channel }

    /// As a heading of what is there or not, and as a fault.
    var words: String {
        switch self {
        case .box: "The box itself (was stopped)"
        case .panel: "The panel, from the box"
        case .keybus: "The module's line to the panel"
        case .internet: "The internet, by any link"
        case .link: "The link"
        case .channel: "Messages by"
        case .storage: "The box's card"
        case .heartbeats: "The service of signs of life"
        case .mains: "The panel's mains power"
        case .upsMains: "The box's mains power (UPS)"
        case .upsServer: "The UPS's server"
        case .panelBattery: "Battery of the panel low"
        case .upsBattery: "Battery of the UPS low"
        case .detectorBattery: "Battery of a detector low"
        case .otherBattery: "Battery of a device or key low"
        case .detectorMissing: "A detector is missing"
        case .fireDetectors: "Trouble of fire detectors"
        case .tamper: "Tamper of the system"
        case .bell: "Trouble of the siren"
        case .station: "The panel's own station not reached"
        }
    }

    struct Change: Equatable {
        var trouble: HistoryTrouble
        var begins: Bool

        init(_ trouble: HistoryTrouble, begins: Bool) {
            self.trouble = trouble
            self.begins = begins
        }
    }

    /// By a code of the panel (docs/envisalink.md 2.2).
    static func change(panelCode code: Int) -> Change? {
        switch code {
        case 605, 606: Change(.detectorMissing, begins: code == 605)
        case 800, 801: Change(.panelBattery, begins: code == 800)
        case 802, 803: Change(.mains, begins: code == 802)
        case 806, 807: Change(.bell, begins: code == 806)
        case 814, 815: Change(.station, begins: code == 814)
        case 821...828: Change(.otherBattery, begins: code % 2 == 1)
        case 829, 830: Change(.tamper, begins: code == 829)
        case 832, 833: Change(.detectorBattery, begins: code == 832)
        case 842, 843: Change(.fireDetectors, begins: code == 842)
        default: nil
        }
    }

    /// By an event of ours. The box's own start and stop are not among them.
    static func changes(_ code: EventCode, about subject: EventSubject?) -> [Change] {
        switch (code, subject) {
        case (.linkLost, .link?): return [Change(.link, begins: true)]
        // The first link that is back.
        case (.linkRestored, .link?): return [Change(.link, begins: false), Change(.internet, begins: false)]
        case (.pushOffline, .channel?): return [Change(.channel, begins: true)]
        case (.pushOnline, .channel?): return [Change(.channel, begins: false)]
        default: return changes(code)
        }
    }

    private static func changes(_ code: EventCode) -> [Change] {
        switch code {
        case .panelOffline, .panelRefused: [Change(.panel, begins: true)]
        case .panelOnline: [Change(.panel, begins: false)]
        case .keybusLost: [Change(.keybus, begins: true)]
        case .keybusRestored: [Change(.keybus, begins: false)]
        case .linksLost: [Change(.internet, begins: true)]
        case .linkRestored: [Change(.internet, begins: false)]
        case .storeFailed: [Change(.storage, begins: true)]
        case .storeRestored: [Change(.storage, begins: false)]
        case .deadManPingFailed: [Change(.heartbeats, begins: true)]
        case .deadManPingRestored: [Change(.heartbeats, begins: false)]
        case .upsOnBattery: [Change(.upsMains, begins: true)]
        case .upsBatteryLow: [Change(.upsBattery, begins: true)]
        case .upsMains: [Change(.upsMains, begins: false), Change(.upsBattery, begins: false)]
        case .upsLost: [Change(.upsServer, begins: true)]
        case .upsRestored: [Change(.upsServer, begins: false)]
        case .alarmUnheard, .alarmOver, .alarmNotExcluded, .alarmUnaccepted, .started, .stopped, .powerLost, .command,
            .storeDamaged,
            .unreadableRow,
            .storeRestoredFromBackup,
            .safeMode, .configurationChanged, .reboot, .update, .stick, .maintenance, .camera, .historyMail,
            .eventsDropped, .panelNoise, .clock, .linkLost, .linkSwitched, .linkBudget, .modem, .textMessage,
            .textAnswer, .call, .phones, .phoneLost, .phoneLocked, .phoneDenied, .phoneNoise, .pushOffline, .pushOnline,
            .pushRefused, .seen, .test,
            .testResult, .cardRestored, .consolePIN, .consoleDenied, .consoleLocked, .reminderNotArmed,
            .reminderOpen, .reminderBypassed, .reminderMaintenance, .reminderNobodyHome, .scheduleSoon,
            .scheduleDeclined, .scheduleFailed, .scheduleWaits:
            []
        }
    }

    /// The daemon keeps it in memory only: after a start it says anew what still is so.
    var endsWithStart: Bool {
        switch self {
        case .keybus, .internet, .link, .channel, .storage, .heartbeats, .upsServer: true
        case .box, .panel, .mains, .upsMains, .panelBattery, .upsBattery, .detectorBattery, .otherBattery,
            .detectorMissing, .fireDetectors, .tamper, .bell, .station:
            false
        }
    }
}
