/// One alarm of a partition: when it began, what raised it, and how it ended.
///
/// Every statement about an alarm reads this record. The panel's status lines (650…657) describe only what siren and
/// partition do: the siren's time runs out (652), a door opens (651), an entry delay starts (657), and the incident is
/// still open. The record is part of the panel's state, so it survives restarts and lost sessions.
///
/// Unknown to it: who acknowledged a notice about the alarm (the outbox knows), and what a partition of the numbers 2 to 8
/// went through while nobody listened (the panel has an alarm memory light for partition 1 only).
package struct Incident: Codable, Equatable, Sendable {
    /// A zone with the time of its first alarm line (601) of this incident.
    package struct Zone: Codable, Equatable, Sendable {
        package var number: Int
        package var time: WallTime

        package init(number: Int, time: WallTime) {
            self.number = number
            self.time = time
        }
    }

    package enum Ending: String, Codable, Equatable, Sendable {
        /// Ended by a person: 655, 750, 751, a partition that was armed shows readiness, or the panel accepted a disarm
        /// command of the appliance.
        case disarmed
        /// The panel no longer shows the alarm of a partition that was not armed. Nobody is known to have disarmed.
        case noLongerReported = "no-longer-reported"
        /// The partition was armed again. Nobody is known to have disarmed.
        case armedAgain = "armed-again"
    }

    package struct End: Codable, Equatable, Sendable {
        package var ending: Ending
        package var time: WallTime
        /// Person who disarmed, named by the panel (750) or by the command; nil while unknown.
        package var person: String?

        package init(_ ending: Ending, at time: WallTime, person: String? = nil) {
            self.ending = ending
            self.time = time
            self.person = person
        }
    }

    /// Time of the first sign. Of an unheard alarm: the time at which the appliance learned of it.
    package var since: WallTime
    /// False when the wall clock was not trusted at `since`.
    package var isSinceTrusted: Bool
    /// Time at which the panel was heard last before an unheard alarm; nil if the alarm was heard.
    package var unheardSince: WallTime?
    /// True if the partition was armed as the alarm began; nil if the appliance did not know.
    package var wasArmed: Bool?
    /// In the order of their alarms.
    package var zones: [Zone] = []
    /// The key or smoke circuit that raised it.
    package var key: Trouble?
    /// The panel showed the alarm at its keypads: 654 came, or the memory light went on. False for a silent zone, which sends
    /// 601 alone, until somebody silences it.
    package var isShown = false
    /// Time of the last line that raised it: 601, or 654 behind no 601.
    package var lastRaised: WallTime
    /// Time at which the panel stopped its siren (652) while the partition stayed armed.
    package var sirenStopped: WallTime?
    package var end: End?

    package init(
        since: WallTime, isSinceTrusted: Bool = true, wasArmed: Bool?, unheardSince: WallTime? = nil, zones: [Int] = []
    ) {
        self.since = since
        self.isSinceTrusted = isSinceTrusted
        self.wasArmed = wasArmed
        self.unheardSince = unheardSince
        lastRaised = since
        self.zones = zones.map { Zone(number: $0, time: since) }
    }

    /// True until the incident has an end.
    package var isOpen: Bool { end == nil }

    package mutating func add(zone number: Int, at time: WallTime) {
        lastRaised = time
        sirenStopped = nil
        guard (1...64).contains(number), !zones.contains(where: { $0.number == number }) else { return }
        zones.append(Zone(number: number, time: time))
    }
}
