import AlarmModel

/// The DSC panel that the module is in, with its zones, partitions, keypads, codes, troubles and clock.
///
/// Guarantees: nothing but the panel changes what it has. All that it shows of that is among its actions, in the order
/// in which it shows it and as it was at that moment; whether anybody sees it is the module's business.
struct SimulatedPanel: Codable, Equatable, Sendable {
    enum Action: Codable, Equatable, Sendable {
        /// An event: code and data.
        case report(String, String)
        case zone(Int, isOpen: Bool)
        /// The lights of the keypad of partition 1, and which of them flash.
        case leds(UInt8)
        case flashing(UInt8)
        /// What a partition does, as the line that tells it.
        case primary(Int, String)
        /// The next such line is told even if it is the same.
        case tellsAnew(Int)
        /// It waits for a code, or for none any more.
        case asks(CodeRequest)
        case asksNoMore
        case clockIsSet
        case temperature(Temperature)
        case after(Duration, PanelJob)
        case cancel(PanelJob)
    }

    let house: SimulatedHouse
    var zones: [ZoneRuntime]
    var partitions: [PartitionRuntime]
    /// Present system troubles.
    var troubles: [Trouble] = []
    var temperatures: [Temperature]
    var isInstallerMode = false
    /// Asks for a code wherever it can.
    var asksAlways = false
    var wrongCodes = 0
    var lockedUntil = BootTime.zero
    /// The clock stood at `clockBase` seconds at `clockSetAt`.
    var clockBase: Int64
    var clockSetAt = BootTime.zero
    /// Truth that statements are compared with.
    var ledger = IncidentLedger()
    /// Source of what this turn does.
    var source = IncidentLedger.Source.keypad
    /// Of the turn that runs.
    private(set) var now = BootTime.zero
    /// Of the turn that runs; empty between turns.
    var actions: [Action] = []

    init(_ house: SimulatedHouse) {
        precondition(
            house.zones.allSatisfy { (1...64).contains($0.number) && house.partitions.contains($0.partition) },
            "a simulated zone has a number from 1 to 64 and belongs to an enabled partition")
        precondition(
            house.partitions.allSatisfy { (1...8).contains($0) }, "a simulated partition has a number from 1 to 8")
        self.house = house
        zones = (1...64).map { ZoneRuntime(number: $0) }
        partitions = (1...8).map { PartitionRuntime(number: $0) }
        temperatures = house.temperatures
        clockBase = house.clock.seconds
    }

    /// Its clock begins to run.
    mutating func start(at time: BootTime) { clockSetAt = time }

    /// Lets it act once.
    mutating func turn(
        at time: BootTime, by source: IncidentLedger.Source, _ act: (inout SimulatedPanel) -> Void
    ) -> [Action] {
        now = time
        self.source = source
        act(&self)
        defer { actions = [] }
        return actions
    }

    /// The partition begins to do something else.
    mutating func enter(
        _ phase: PartitionRuntime.Phase, _ partition: Int, isArming: Bool = false, isDisarming: Bool = false
    ) {
        partitions[partition - 1].phase = phase
        let shown: IncidentLedger.Change.Phase =
            switch phase {
            case .disarmed, .settling: .disarmed
            case .exitDelay: .exitDelay
            case .armed: .armed
            case .entryDelay: .entryDelay
            case .alarm: .alarm
            }
        ledger.note(
            IncidentLedger.Change(
                at: now, partition: partition, phase: shown, source: source, isArming: isArming,
                isDisarming: isDisarming))
    }

    mutating func report(_ code: String, _ data: String = "") { actions.append(.report(code, data)) }
    mutating func showLEDs() { actions.append(.leds(leds)) }
    mutating func announce(_ partition: Int) { actions.append(.primary(partition, primaryLine(of: partition))) }
    mutating func after(_ span: Duration, _ job: PanelJob) { actions.append(.after(span, job)) }
    mutating func cancel(_ job: PanelJob) { actions.append(.cancel(job)) }
}
