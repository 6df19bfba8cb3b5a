import AlarmModel
import PhoneLink

/// Who or what a fact of the box is about, where its code alone does not say it.
enum EventAbout: Codable, Equatable, Sendable {
    case channel(ChannelKind)
    case address(AddressID)
    case person(PersonID)
    case phone(PhoneID)
    case link(String)

    /// As the journal keeps it. Of people, addresses and phones it keeps nothing beside the sentence.
    var stored: EventSubject? {
        switch self {
        case .link(let name): .link(name)
        case .channel(let kind): .channel(kind.rawValue)
        case .address, .person, .phone: nil
        }
    }
}

/// What comes and goes: a fault and its end are one subject.
struct StormSubject: Codable, Equatable, Sendable {
    /// Of the fault, also where this is its end.
    var code: String
    var partition: Int?
    var zone: Int?
    /// What a flapping zone tells of its opening hides no fault of it.
    var priority: PriorityClass
    var about: EventAbout?

    /// nil: never held back.
    init?(_ event: Event, about: EventAbout?) {
        guard event.priority != .alarm, !event.isAboutIncidentOrArming,
            event.flags.isDisjoint(with: [.duress, .maintenance])
        else { return nil }
        if let code = EventCode(rawValue: event.code) {
            guard let fault = code.stormCode else { return nil }
            self.code = fault.rawValue
        } else {
            guard event.priority == .fault || event.flags.contains(.flapping) else { return nil }
            code = Self.faultCode(event)
        }
        partition = event.partition
        zone = event.zone
        priority = event.priority
        self.about = about
    }

    /// The panel numbers the end of a trouble by one more than the trouble; the troubles as a whole have one code, and
    /// so has each change of a flapping zone.
    private static func faultCode(_ event: Event) -> String {
        if event.priority != .fault { return "flapping" }
        guard event.type == .recovery, event.code != "849", let number = Int(event.code) else { return event.code }
        return (number - 1).padded(3)
    }
}

extension EventCode {
    /// Under which code it is counted, if an outsider can cause it again and again; nil for what people do at the box
    /// or by a signed command, and for what a start tells.
    fileprivate var stormCode: EventCode? {
        switch self {
        case .panelOnline, .panelOffline, .panelRefused: .panelOffline
        case .keybusLost, .keybusRestored: .keybusLost
        case .storeFailed, .storeRestored: .storeFailed
        case .linkLost, .linkRestored, .linksLost: .linkLost
        case .deadManPingFailed, .deadManPingRestored: .deadManPingFailed
        case .pushOffline, .pushOnline: .pushOffline
        case .upsOnBattery, .upsMains: .upsOnBattery
        case .upsLost, .upsRestored: .upsLost
        case .alarmUnheard, .alarmOver, .alarmNotExcluded: nil
        case .powerLost, .upsBatteryLow, .unreadableRow, .eventsDropped, .panelNoise, .clock, .linkSwitched,
            .linkBudget, .modem, .textMessage, .textAnswer, .call, .camera, .phoneLost, .phoneLocked, .phoneDenied,
            .phoneNoise, .pushRefused, .alarmUnaccepted, .cardRestored, .consoleDenied, .consoleLocked, .scheduleWaits:
            self
        case .started, .stopped, .command, .storeDamaged, .storeRestoredFromBackup, .safeMode, .configurationChanged,
            .reboot, .update, .stick, .maintenance, .phones, .seen, .test, .testResult, .consolePIN, .reminderNotArmed,
            .reminderOpen, .reminderBypassed, .reminderMaintenance, .reminderNobodyHome, .scheduleSoon,
            .scheduleDeclined, .scheduleFailed, .historyMail:
            nil
        }
    }
}

extension Event {
    /// An alarm's end or its siren's, what was armed or disarmed, and an arming that failed: never held back, however many
    /// faults came before.
    fileprivate var isAboutIncidentOrArming: Bool {
        if !flags.isDisjoint(with: [.endsAlarm, .sirenStopped]) || type == .armed || type == .disarmed { return true }
        return code == "659" || code == "672" || code == EventCode.alarmNotExcluded.rawValue
    }
}
