import AlarmModel
import PhoneLink

/// What the box itself runs on, as a UPS says by its server: asks for it and tells people when it changes.
///
/// Guarantees: what the server says is information: nothing is stopped, started or restarted because of it, and no link
/// is left; each change is told once, over restarts, too; a server that is away or lies costs a question now and then.
/// Knows nothing of the panel but what the step shows, and nothing of channels.
struct Power: Machine, Codable, Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case line(LineAction)
        /// The UPS has said how it is; nil: nobody is asked any more.
        case feeds(UPSReading?)
    }

    /// nil: none is configured.
    private(set) var client: UPSClient?
    /// What people were told; nil: nothing yet of this UPS.
    private(set) var record: UPSRecord?
    /// Since when nothing was heard of it.
    private var silentSince = BootTime.zero
    private var seed: UInt64 = 0
    var actions: [Action] = []

    private enum CodingKeys: String, CodingKey { case client, record, silentSince, seed }

    // MARK: Life

    mutating func start(_ start: Start, _ step: inout Step) {
        seed = start.seed &+ 256
        begin(start.snapshot?.ups, &step)
    }

    /// - Parameter known: what people were told before
    private mutating func begin(_ known: UPSRecord?, _ step: inout Step) {
        guard let settings = step.configuration.ups else { return }
        record = known?.place == settings.place ? known : nil
        silentSince = step.now.boot
        client = UPSClient(settings: settings, seed: seed)
        drive(&step) { $0.start(at: $1, into: &$2) }
    }

    mutating func reconfigure(from old: UPSSettings?, _ step: inout Step) {
        guard old != step.configuration.ups else { return }
        let known = record
        stop(&step)
        (client, record) = (nil, nil)
        actions.append(.feeds(nil))
        begin(known, &step)
    }

    mutating func stop(_ step: inout Step) {
        drive(&step) { $0.stop(at: $1, into: &$2) }
        actions.append(.line(.ended))
    }

    // MARK: What happens

    mutating func take(_ fact: LineFact, _ step: inout Step) {
        drive(&step) { client, now, actions in
            switch fact {
            case .connected(let connection, let slot):
                client.connected(connection, slot: slot, at: now, into: &actions)
            case .failed(let failure, let slot): client.connectFailed(failure, slot: slot, at: now, into: &actions)
            case .secured: break
            case .received(let connection, let bytes):
                client.received(connection, bytes, at: now, into: &actions)
            case .closed(let connection, let end): client.closed(connection, end, at: now, into: &actions)
            }
        }
    }

    mutating func timerFired(_ step: inout Step) {
        drive(&step) { $0.timerFired(at: $1, into: &$2) }
        tellSilence(&step)
    }

    var nextDeadline: BootTime? { [client?.nextDeadline, lossDue].compactMap { $0 }.min() }

    /// When its silence is told.
    private var lossDue: BootTime? {
        guard let client, record?.isLost != true else { return nil }
        return silentSince + client.settings.lostPatience
    }

    private mutating func drive(
        _ step: inout Step, _ act: (inout UPSClient, Moment, inout [TransportAction]) -> Void
    ) {
        guard var driven = client else { return }
        let before = driven.readAt
        var orders: [TransportAction] = []
        act(&driven, step.now, &orders)
        client = driven
        for order in orders {
            if case .log(let entry) = order {
                step.log(
                    LogEntry(entry.level, "the server of the UPS: \(entry.message)", entry.fields))
            } else {
                actions.append(.line(.transport(order)))
            }
        }
        guard let reading = driven.reading, driven.readAt != before else { return }
        silentSince = step.now.boot
        tell(reading, driven.settings, &step)
        actions.append(.feeds(reading))
    }

    // MARK: What is told

    private mutating func tell(_ reading: UPSReading, _ settings: UPSSettings, _ step: inout Step) {
        var known = record ?? UPSRecord(place: settings.place)
        let words = UPSWords(name: settings.name, reading: reading, isPanelCut: step.isPanelCut)
        if known.isLost { step.note(.recovery, .upsRestored, words.found) }
        switch (known.supply, reading.supply) {
        case (.mains, .mains), (.battery, .battery), (.low, .low), (.low, .battery): break
        case (_, .mains): step.note(.recovery, .upsMains, words.mains)
        case (_, .battery): step.note(.fault, .upsOnBattery, words.battery)
        case (_, .low): step.note(.fault, .upsBatteryLow, words.low)
        }
        known.isLost = false
        // A battery that is low gets no better until there is mains: it is told once.
        if reading.supply == .mains || known.supply != .low { known.supply = reading.supply }
        record = known
    }

    private mutating func tellSilence(_ step: inout Step) {
        guard let client, let due = lossDue, due <= step.now.boot else { return }
        var known = record ?? UPSRecord(place: client.settings.place)
        known.isLost = true
        record = known
        step.note(
            .fault, .upsLost,
            UPSWords.lost(
                client.settings, silentFor: step.now.boot - silentSince, client.health.problem?.description,
                known.supply))
    }

    // MARK: Looks

    /// Also as it was told last, while nobody says how it is: a server may have gone with the mains.
    var isOnBattery: Bool {
        guard let client else { return false }
        return (client.reading?.supply ?? record?.supply ?? .mains) != .mains
    }

    var report: UPSReport? {
        client.map { client in
            UPSReport(
                name: client.settings.name, server: client.settings.server, reading: client.reading,
                lastRead: client.lastRead, problem: client.health.problem?.description,
                isLost: record?.isLost ?? false)
        }
    }
}

extension Step {
    /// The panel says that it has no mains, or said so before it was lost.
    fileprivate var isPanelCut: Bool { panel.system[.ac].last == .trouble }
}
