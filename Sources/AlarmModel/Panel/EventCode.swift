/// Codes of events that the box itself writes. Codes of the panel are three digits and never stand here.
package enum EventCode: String, Codable, Hashable, Sendable, CaseIterable {
    /// The daemon started; the message says after what kind of end.
    case started = "START"
    /// The daemon was told to stop and closed the panel session.
    case stopped = "STOP"
    /// The session with the panel is up and its state is known again.
    case panelOnline = "PANEL_ONLINE"
    /// The session with the panel is lost; all state is stale from now on.
    case panelOffline = "PANEL_OFFLINE"
    /// The module refused us in a way that only a person can change (wrong password, other firmware).
    case panelRefused = "PANEL_REFUSED"
    /// The module lives but cannot reach the panel (502 014).
    case keybusLost = "KEYBUS_LOST"
    case keybusRestored = "KEYBUS_OK"
    /// The panel's memory light shows an alarm that the appliance did not hear.
    case alarmUnheard = "ALARM_UNHEARD"
    /// End of an unheard alarm that was over as the appliance learned of it.
    case alarmOver = "ALARM_OVER"
    /// A partition without a memory light is armed behind a time in which the appliance did not hear the panel.
    case alarmNotExcluded = "ALARM_NOT_EXCLUDED"
    /// The panel has lost mains and battery while the house is armed.
    case powerLost = "POWER_LOST"
    /// An action of a person and its outcome.
    case command = "COMMAND"
    case storeFailed = "STORE_FAILED"
    case storeRestored = "STORE_OK"
    /// A damaged journal was set aside and a new one begun.
    case storeDamaged = "STORE_DAMAGED"
    /// Stands in for a row of the journal that could not be read; the row itself is kept.
    case unreadableRow = "UNREADABLE"
    case storeRestoredFromBackup = "STORE_RESTORED"
    /// Three crashes within five minutes: the snapshot was ignored, suspect rows were set aside.
    case safeMode = "SAFE_MODE"
    case configurationChanged = "CONFIG"
    /// Somebody at the box asked for a restart of the machine.
    case reboot = "REBOOT"
    /// A new version of the software: asked for, started, proved, or given up.
    case update = "UPDATE"
    /// Something was done with a USB stick: a backup, a copy of the journal, a support archive.
    case stick = "STICK"
    case maintenance = "MAINTENANCE"
    /// Pictures were taken in an alarm, or a camera gave none.
    case camera = "CAMERA"
    /// The month's history was mailed, or could not be.
    case historyMail = "HISTORY_MAIL"
    /// Events were dropped because neither disk nor memory had room; the message says how many.
    case eventsDropped = "EVENTS_DROPPED"
    /// Something that does not fit the panel's protocol, counted and summed up.
    case panelNoise = "PANEL_NOISE"
    case clock = "CLOCK"
    /// A link is lost, or works again.
    case linkLost = "LINK_LOST"
    case linkRestored = "LINK_OK"
    /// No link works.
    case linksLost = "LINKS_LOST"
    /// Another link carries the channels to people now.
    case linkSwitched = "LINK_SWITCHED"
    /// A metered link has carried more than was planned for a month.
    case linkBudget = "LINK_BUDGET"
    /// What the modem needs from a person.
    case modem = "MODEM"
    /// A text message as the last resort, and what became of it.
    case textMessage = "SMS"
    /// A text message came in: "ok", or what means nothing here.
    case textAnswer = "SMS_ANSWER"
    case call = "CALL"
    /// The service that watches for this box's signs of life could not be told.
    case deadManPingFailed = "HEARTBEAT_FAILED"
    case deadManPingRestored = "HEARTBEAT_OK"
    /// The UPS that the box runs on has no mains; its battery is low; it has mains again.
    case upsOnBattery = "UPS_BATTERY"
    case upsBatteryLow = "UPS_LOW"
    case upsMains = "UPS_MAINS"
    /// Nobody says any more how the UPS is.
    case upsLost = "UPS_LOST"
    case upsRestored = "UPS_OK"
    /// A phone was paired, renamed, given other roles, revoked; a person was added or changed.
    case phones = "PHONES"
    /// A phone cannot be reached any more: the push service does not know its address.
    case phoneLost = "PHONE_LOST"
    /// A phone's acting verbs are refused for a while, after bad signatures or by an admin.
    case phoneLocked = "PHONE_LOCKED"
    /// A command of a phone that was refused before anything was tried.
    case phoneDenied = "PHONE_DENIED"
    /// Much input that nobody sealed: counted, dropped, told once an hour.
    case phoneNoise = "PHONE_NOISE"
    /// The push service is out of reach or refuses us; phones hear nothing that way.
    case pushOffline = "PUSH_OFFLINE"
    case pushOnline = "PUSH_ONLINE"
    /// A message was given up.
    case pushRefused = "PUSH_REFUSED"
    /// An alarm that no service accepts for any person.
    case alarmUnaccepted = "ALARM_UNACCEPTED"
    /// A person has seen the alarm.
    case seen = "SEEN"
    /// A notice to try the way to a phone.
    case test = "TEST"
    /// Who got the last test alarm, and after how long.
    case testResult = "TEST_RESULT"
    /// A phone knows more of this journal than the box: the card was restored from a copy.
    case cardRestored = "CARD_RESTORED"
    /// The PIN of the serial console was set, changed or reset.
    case consolePIN = "CONSOLE_PIN"
    /// Wrong PINs at the serial console.
    case consoleDenied = "CONSOLE_DENIED"
    /// So many of them that it takes none for a while.
    case consoleLocked = "CONSOLE_LOCKED"
    /// What people are reminded of: a partition is not armed at the time of day that its owner named.
    case reminderNotArmed = "REMIND_NOT_ARMED"
    /// A door stands open.
    case reminderOpen = "REMIND_OPEN"
    /// Zones are still bypassed.
    case reminderBypassed = "REMIND_BYPASSED"
    /// The maintenance mode is still on, or has ended by itself.
    case reminderMaintenance = "REMIND_MAINTENANCE"
    /// Nobody has been home for a while, and a partition is not armed.
    case reminderNobodyHome = "REMIND_NOBODY_HOME"
    /// The schedule is about to arm.
    case scheduleSoon = "SCHEDULE_SOON"
    /// It does not: somebody has declined, or it is a day without.
    case scheduleDeclined = "SCHEDULE_DECLINED"
    /// It should have armed and did not.
    case scheduleFailed = "SCHEDULE_FAILED"
    /// What has a time of day waits for the clock, or goes on.
    case scheduleWaits = "SCHEDULE_WAITS"
}

extension EventCode {
    /// Told like arming to those who may arm: it says what is open, bypassed or not armed.
    package var isReminder: Bool {
        switch self {
        case .reminderNotArmed, .reminderOpen, .reminderBypassed, .reminderMaintenance, .reminderNobodyHome,
            .scheduleSoon, .scheduleDeclined:
            true
        default: false
        }
    }
}
