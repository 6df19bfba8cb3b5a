import AlarmModel

/// Turns lines of the panel and findings of the session into events for the journal.
struct EventWriter {
    let now: Moment
    private let settings: PanelSettings
    var names: SiteNames { settings.names }

    init(settings: PanelSettings, now: Moment) {
        self.now = now
        self.settings = settings
    }

    /// The event of a line.
    ///
    /// - Parameters:
    ///   - change: the partition of the line before and after the state took the line up; empty for other lines
    ///   - isWhileAway: found by a status report
    func event(
        _ line: DSCLine, _ change: PartitionChange = PartitionChange(), isWhileAway: Bool = false,
        command: CommandID? = nil
    ) -> Event {
        let subject = Subject(of: line.message, names: names)
        let text = message(line, change, isOwn: command != nil)
        var event = Event(
            type: type(of: line, change, isOwn: command != nil), code: line.code, raw: raw(line),
            message: isWhileAway ? "while away: \(text)" : Self.sentence(text), time: now.wall,
            isTimeTrusted: now.isWallTrusted, partition: subject.partition,
            partitionName: subject.partition.flatMap { names.partition($0) }, zone: subject.zone,
            zoneName: subject.zone.flatMap { names.zone($0)?.name }, user: subject.user,
            userName: subject.user.flatMap { names.user($0) }, flags: isWhileAway ? .whileAway : [], command: command)
        if line.message == .duress { event.flags.insert(.duress) }
        if change.ended != nil { event.flags.insert(.endsAlarm) }
        if change.stopsSiren { event.flags.insert(.sirenStopped) }
        return event
    }

    /// An event that the box itself found out.
    func event(_ code: EventCode, _ type: EventType, _ message: String) -> Event {
        Event(
            type: type, code: code.rawValue, raw: code.rawValue, message: message, time: now.wall,
            isTimeTrusted: now.isWallTrusted)
    }

    /// An alarm of partition 1 of which only the memory light tells.
    func unheardAlarm(_ alarm: GapWatch.UnheardAlarm) -> Event {
        var words =
            alarm.isInGap
            ? ", while the box did not hear the panel; the panel does not say which zones"
            : "; the panel's memory light shows it, no line says which zones"
        if alarm.mayBeOfEarlier { words += ". It may be the silent alarm that you have been told of" }
        return ofPartition(
            1, .alarmUnheard, .alarm, "Alarm: \(partition(1))\(words)", alarm.isInGap ? .whileAway : [])
    }

    /// Turns the event of a restored zone (602) into that of its alarm, which nobody heard. Its code is our own: whoever goes
    /// by the panel's would take it for a restoring.
    func makeUnheardAlarm(_ event: inout Event) {
        let place = [event.zone.map(zone), event.partition.map(partition)].compactMap { $0 }.joined(separator: ", ")
        event.code = EventCode.alarmUnheard.rawValue
        event.type = .alarm
        event.message = "Alarm: \(place), of which the box only heard that the zone is quiet again"
        event.flags.insert(.whileAway)
    }

    /// The end of an alarm of partition 1 that no line told.
    func alarmOver(_ ending: Incident.Ending, isInGap: Bool) -> Event {
        let (type, words): (EventType, String) =
            switch ending {
            case .disarmed: (.disarmed, "is disarmed now")
            case .noLongerReported: (.info, "is disarmed now")
            case .armedAgain: (.armed, "was armed again")
            }
        return ofPartition(
            1, .alarmOver, type, "The alarm is over: \(partition(1)) \(words)",
            isInGap ? [.whileAway, .endsAlarm] : .endsAlarm)
    }

    /// - Parameter opened: zones that were open in the gap
    func alarmNotExcluded(_ number: Int, opened: [Int]) -> Event {
        var words = "Whether there was an alarm while the box did not hear the panel is not known: "
        words += "\(partition(number)) is armed"
        let zones = opened.map { names.zone($0)?.name ?? "zone \($0)" }
        if !zones.isEmpty { words += ", and was open meanwhile: \(zones.joined(separator: ", "))" }
        return ofPartition(number, .alarmNotExcluded, .fault, words, .whileAway)
    }

    private func ofPartition(
        _ number: Int, _ code: EventCode, _ type: EventType, _ message: String, _ flags: EventFlags
    ) -> Event {
        var event = event(code, type, message)
        event.partition = number
        event.partitionName = names.partition(number)
        event.flags = flags
        return event
    }

    /// 849 stopped coming: the panel sends no line that ends these.
    func troublesEnded(_ troubles: [Trouble]) -> Event {
        let list = troubles.map(\.text).joined(separator: ", ")
        return Event(
            type: .recovery, code: "849", raw: "849",
            message: "No longer reported by the panel: \(list)", time: now.wall, isTimeTrusted: now.isWallTrusted)
    }

    func raw(_ line: DSCLine) -> String {
        // What fits no rule may hold a secret anywhere.
        if case .unknown = line.message {
            return Redactor(secrets: settings.secrets).text(Redaction.printable(Array(line.raw.utf8)))
        }
        return line.raw
    }

    private func type(of line: DSCLine, _ change: PartitionChange, isOwn: Bool) -> EventType {
        // A code that the appliance sent: nobody stands at a keypad.
        if isOwn, case .invalidCode = line.message { return .info }
        if change.ended == .disarmed || change.disarms(line.message) { return .disarmed }
        // 652 in an incident says that the siren stopped, not that somebody armed.
        if case .partition(_, .armed) = line.message, change.isStillArmed { return .info }
        return TPICode.eventType(for: line)
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}

/// A partition before and after the state took a line up.
struct PartitionChange {
    var before: PartitionState?
    var after: PartitionState?

    /// The ending of an incident that the line ended; nil if it ended none.
    var ended: Incident.Ending? {
        guard before?.openIncident != nil else { return nil }
        return after?.incident?.end?.ending
    }

    /// 652 of a partition that is in an incident, or was armed so before: nobody armed. The panel says it again behind an
    /// entry delay, and when somebody leaves a keypad (673).
    var isStillArmed: Bool {
        if after?.isInAlarm ?? false { return true }
        return switch before?.status.last {
        case .entryDelay: true
        case .armed(let mode): after?.status.last == .armed(mode)
        case .alarm, .disarmed, .ready, .readyForce, .notReady, .exitDelay, .notEnabled, nil: false
        }
    }

    var stopsSiren: Bool {
        before?.openIncident?.sirenStopped == nil && after?.openIncident?.sirenStopped != nil
    }

    /// 650, 651, 653 of a partition that was armed, without a 655: somebody disarmed. In an incident its ending decides.
    func disarms(_ message: DSCMessage) -> Bool {
        guard case .partition(_, let line) = message, let before, ended == nil else { return false }
        switch line {
        case .ready, .notReady, .readyForce:
            switch before.status.last {
            case .armed, .exitDelay, .entryDelay: return true
            case .disarmed, .ready, .readyForce, .notReady, .alarm, .notEnabled, nil: return false
            }
        case .alarm, .disarmed, .exitDelay, .entryDelay, .armed: return false
        }
    }
}

/// Whom and what a line speaks of.
struct Subject {
    var partition: Int?
    var zone: Int?
    var user: Int?

    init(of message: DSCMessage, names: SiteNames) {
        switch message {
        case .zoneAlarm(let partition, let zone, _), .zoneTamper(let partition, let zone, _):
            self.partition = (1...8).contains(partition) ? partition : nil
            self.zone = zone
        case .zoneFault(let zone, _), .zoneOpen(let zone, _), .zoneLowBattery(let zone, _):
            self.zone = zone
            partition = names.zone(zone)?.partition
        case .partition(let partition, _), .keypadLockout(let partition), .failedToArm(let partition),
            .outputInProgress(let partition), .chime(let partition, _), .invalidCode(let partition),
            .functionNotAvailable(let partition), .failureToArm(let partition), .busy(let partition),
            .autoArming(let partition), .specialClosing(let partition), .partialClosing(let partition),
            .specialOpening(let partition), .troubleLED(let partition, _), .outputPressed(let partition, _):
            self.partition = partition
        case .userClosing(let partition, let user), .userOpening(let partition, let user):
            self.partition = partition
            self.user = user
        case .acknowledged, .commandError, .systemError, .login, .leds, .flashingLEDs, .time, .phoneRing,
            .temperature, .zoneTimers, .bypassed, .duress, .keyAlarm, .smoke, .installerMode, .trouble,
            .eventBufferNearlyFull, .troubles, .codeRequired, .serialModule, .unknown:
            break
        }
    }
}

extension PanelSettings {
    /// Everything that must not be seen anywhere.
    var secrets: [Secret] { [password] + [masterCode, installerCode].compactMap { $0 } }
}
