extension SiteNames {
    /// What an alarm of the zone means; the words of `device_class` are Home Assistant's.
    package func subject(ofZone number: Int) -> NoticeSubject {
        guard let zone = zone(number) else { return .burglary }
        if zone.isFire { return .fire }
        return switch zone.deviceClass {
        case "smoke", "heat": .fire
        case "carbon_monoxide": .carbonMonoxide
        case "gas": .gas
        case "moisture": .water
        case "tamper": .tamper
        default: .burglary
        }
    }
}

extension NoticeSubject {
    /// Kinds of alarm besides a burglary.
    package static let kindsOfAlarm: Set<Self> = [.fire, .carbonMonoxide, .gas, .water, .medical, .panic, .tamper]

    /// Of several alarms at once; nil: none of these is among them.
    package static func gravest(_ subjects: [NoticeSubject]) -> NoticeSubject? {
        [.fire, .carbonMonoxide, .gas, .panic, .medical, .burglary, .water].first { subjects.contains($0) }
    }
}
