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
    ///   - before: what the partition of the line was doing before it, where that matters
    ///   - isWhileAway: found by a status report
    func event(
        _ line: DSCLine, before: PartitionStatus? = nil, isWhileAway: Bool = false, command: CommandID? = nil
    ) -> Event {
        let subject = Subject(of: line.message, names: names)
        let text = message(line, before: before)
        var event = Event(
            type: type(of: line, before: before), code: line.code, raw: raw(line),
            message: isWhileAway ? "while away: \(text)" : Self.sentence(text), time: now.wall,
            isTimeTrusted: now.isWallTrusted, partition: subject.partition,
            partitionName: subject.partition.flatMap { names.partition($0) }, zone: subject.zone,
            zoneName: subject.zone.flatMap { names.zone($0)?.name }, user: subject.user,
            userName: subject.user.flatMap { names.user($0) }, flags: isWhileAway ? .whileAway : [], command: command)
        if line.message == .duress { event.flags.insert(.duress) }
        if event.type == .disarmed, before?.isAlarm ?? false { event.flags.insert(.endsAlarm) }
        return event
    }

    /// An event that the box itself found out.
    func event(_ code: EventCode, _ type: EventType, _ message: String) -> Event {
        Event(
            type: type, code: code.rawValue, raw: code.rawValue, message: message, time: now.wall,
            isTimeTrusted: now.isWallTrusted)
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

    /// Some panels end an alarm without 655: the first line that shows the partition disarmed is the disarming.
    private func type(of line: DSCLine, before: PartitionStatus?) -> EventType {
        disarms(line.message, before) ? .disarmed : TPICode.eventType(for: line)
    }

    func disarms(_ message: DSCMessage, _ before: PartitionStatus?) -> Bool {
        guard case .partition(_, let line) = message, let before else { return false }
        switch line {
        case .ready, .notReady, .readyForce: return !before.isDisarmed && before != .notEnabled
        case .alarm, .disarmed, .exitDelay, .entryDelay, .armed: return false
        }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
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
