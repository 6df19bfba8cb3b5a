package import AlarmModel

/// A DSC panel with an EnvisaLink module, as a machine: what happens to it goes in, what it does on the wire comes out.
/// The panel by itself is `SimulatedPanel`; the module with its client, its belief of the panel and its faults is here.
///
/// The mount (a fake network or a real loopback socket) tells of connections and bytes, carries out the actions, and
/// calls `timerFired` no earlier than `nextDeadline`. Calls must come with times that do not go back; what was due
/// before is made up first. The same seed and the same calls give the same actions.
package struct PanelSimulator: Codable, Equatable, Sendable {
    package enum Listening: String, Codable, Hashable, Sendable {
        case accept
        /// Nothing listens: RST in answer to SYN.
        case refuse
        /// SYN packets vanish; a mount on real sockets can only come near it.
        case drop
    }

    package enum Action: Codable, Equatable, Sendable {
        /// One segment.
        case send(ConnectionID, [UInt8])
        /// FIN after what was sent.
        case close(ConnectionID)
        /// RST
        case reset(ConnectionID)
        case stopReading(ConnectionID)
        case resumeReading(ConnectionID)
        case listen(Listening)
    }

    package let house: SimulatedHouse
    package internal(set) var faults = PanelFaults()

    var generator: Jitter
    var now = BootTime.zero
    var isStarted = false
    /// Sorted by due time, then by order of arrival.
    var schedule: [ScheduledJob] = []
    var scheduledCount: UInt64 = 0
    /// Actions of the call that runs; empty between calls.
    var outgoing: [Action] = []
    /// Not nil: lines are kept for one segment.
    var gathered: [UInt8]?

    /// Source of what the panel does now.
    var source = IncidentLedger.Source.keypad
    /// The panel that the module is in.
    var panel: SimulatedPanel
    var module = ModuleRuntime()
    var session: PanelSession?

    /// Begins to run with the first call; until then `nextDeadline` is already due.
    package init(house: SimulatedHouse, seed: UInt64) {
        self.house = house
        generator = Jitter(seed: seed)
        panel = SimulatedPanel(house)
    }

    // MARK: - What happens to it

    /// A client connected.
    package mutating func accepted(_ client: ConnectionID, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { $0.welcome(client) }
    }

    package mutating func received(
        _ client: ConnectionID, _ bytes: [UInt8], at time: BootTime, into actions: inout [Action]
    ) {
        step(at: time, into: &actions) { $0.take(bytes, from: client) }
    }

    /// The client's end of the connection is gone.
    package mutating func closed(
        _ client: ConnectionID, why: ConnectionEnd = .finished, at time: BootTime, into actions: inout [Action]
    ) {
        step(at: time, into: &actions) { $0.lose(client, why: why) }
    }

    package mutating func perform(_ stimulus: Stimulus, at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { $0.act(stimulus) }
    }

    package mutating func timerFired(at time: BootTime, into actions: inout [Action]) {
        step(at: time, into: &actions) { _ in }
    }

    package var nextDeadline: BootTime? { isStarted ? schedule.first?.due : .zero }

    // MARK: - Time

    private mutating func step(
        at time: BootTime, into actions: inout [Action], _ body: (inout PanelSimulator) -> Void
    ) {
        if !isStarted { start(at: time) }
        while let first = schedule.first, first.due <= time {
            schedule.removeFirst()
            now = max(now, first.due)
            run(first.job)
        }
        now = max(now, time)
        body(&self)
        actions += faults.coalesce && faults.fragment == .off ? Self.coalesced(outgoing) : outgoing
        outgoing = []
    }

    private mutating func start(at time: BootTime) {
        isStarted = true
        now = time
        panel.start(at: time)
        for partition in 1...8 { module.announced[partition - 1] = panel.primaryLine(of: partition) }
        module.leds = leds
        module.flashingLEDs = 0
        restartWatchdog()
        outgoing.append(.listen(.accept))
    }

    mutating func after(_ span: Duration, _ job: PanelJob) {
        let due = now + span
        scheduledCount += 1
        let place = schedule.firstIndex { $0.due > due } ?? schedule.endIndex
        schedule.insert(ScheduledJob(due: due, order: scheduledCount, job: job), at: place)
    }

    mutating func cancel(_ job: PanelJob) { schedule.removeAll { $0.job == job } }

    private static func coalesced(_ actions: [Action]) -> [Action] {
        var result: [Action] = []
        for action in actions {
            if case .send(let client, let more) = action, case .send(client, let bytes)? = result.last {
                result[result.count - 1] = .send(client, bytes + more)
            } else {
                result.append(action)
            }
        }
        return result
    }
}
