import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators

/// A seeded world around the real `Appliance`: a panel with its faults, a network, a disk, clocks, crashes, an
/// operator. Time goes from event to event.
///
/// Guarantees: the same seed gives the same run, step by step. After every step the promises are checked.
final class World {
    /// As the house began.
    private let plan: HousePlan
    let sabotage: Sabotage?
    let chances: Chances
    private var time = WorldTime()
    var agenda = Agenda()

    /// nil while the daemon does not run.
    var running: RunningCore?
    var daemon = DaemonRun()
    var ownersFile: OwnersFile
    var vault: KeyVault<ToyCrypto>
    var store = SimulatedStore()
    var clock = SimulatedClock()
    var panelHost: PanelHost
    var pushHost: PushHost
    /// The services that this house has, but for CCS, which has the phones as well.
    var hosts: ChannelHosts
    /// The links, in houses that have configured some.
    var uplinks: SimulatedUplinks?
    var boxOperator = BoxOperator()
    var household: Household
    var contacts: HouseContacts
    var codeHolder = CodeHolder()

    var checks = Checks()
    var beliefChecks = BeliefChecks()
    var phoneChecks = PhoneChecks()
    var channelChecks = ChannelChecks()
    var modemChecks = ModemChecks()
    /// In houses of incidents.
    var oracle: IncidentOracle?
    /// Words that an untruth must contain to count; nil if all count.
    var soughtUntruth: String?
    var observers: Observers

    static let partitions = 2
    static let watchdog = Duration.seconds(30)
    static let zones = 12

    /// - Parameters:
    ///   - channels: what the house has, and CCS where none of it carries sealed phones; nil: as the seed has it
    ///   - hasLinks: the house has two links; then CCS is its only channel to phones, and the push service is faultless, to
    ///     let the faults of links be seen
    ///   - hasModem: the same, and the second link is a modem that the box drives itself and sends texts by
    ///   - hasIncidents: alarms as panels send them, and what is told is compared with what really happened
    convenience init(
        seed: UInt64, span: Duration, sabotage: Sabotage? = nil, channels: [ChannelKind]? = nil, hasLinks: Bool = false,
        hasModem: Bool = false, hasIncidents: Bool = false, trail: Trail = .off
    ) {
        var plan = HousePlan(seed: seed, channels: channels, hasLinks: hasLinks || hasModem, hasModem: hasModem)
        if hasIncidents { plan.drawIncidents() }
        self.init(plan, sabotage: sabotage, trail: trail)
        if let incidents = plan.incidents {
            for (time, fault) in IncidentDraw.faults(for: span, seed: seed, incidents) {
                agenda.add(.fault(fault), at: time)
            }
            begin()
            return
        }
        agenda.drawFaults(
            for: span,
            in: FaultHouse(
                seed: seed, phones: household.phones.count, kinds: hosts.kinds, apps: contacts.apps.map(\.kind),
                hasCodes: contacts.coded != nil), chances, &uplinks)
        begin()
    }

    /// As somebody wrote it down.
    convenience init(_ script: RunScript, sabotage: Sabotage?, trail: Trail) {
        self.init(script.house, sabotage: sabotage, trail: trail)
        for fault in script.faults { agenda.add(fault.happening, at: BootTime(nanoseconds: fault.at)) }
        begin()
    }

    /// A house in which nothing happens.
    private init(_ plan: HousePlan, sabotage: Sabotage?, trail: Trail) {
        self.plan = plan
        self.sabotage = sabotage
        observers = Observers(trail)
        panelHost = PanelHost(PanelSimulator(house: plan.house, seed: plan.panel))
        var configuration = plan.configuration
        hosts = ChannelHosts(
            plan.channels.compactMap { ChannelHost.build($0, isOpen: plan.topics != nil, &configuration.phones) })
        contacts = HouseContacts(hosts.kinds)
        uplinks = SimulatedUplinks.configured(in: &configuration, plan)
        ownersFile = OwnersFile(configuration)
        pushHost = PushHost(
            PushSimulator(settings: PushSettings(sender: HousePlan.sender, key: HousePlan.pushKey), seed: plan.push))
        vault = KeyVault(crypto: ToyCrypto(seed: plan.vault))
        household = Household(plan.phones.map { HousePhone($0, plan.topics) })
        chances = Chances(plan.draws)
        if plan.incidents != nil { oracle = IncidentOracle() }
    }

    /// The plan with which this world goes on from here as it does itself.
    var planNow: HousePlan {
        var later = plan
        later.draws = HousePlan.Draws(
            world: chances.world.position, phones: chances.phones.position, channels: chances.channels.position,
            links: uplinks?.chance.position, modem: uplinks?.modem?.chance.position)
        return later
    }

    private func begin() {
        beginWithModem()
        agenda.add(.pairingCheck, at: .zero + .seconds(8))
        agenda.add(.boot, at: .zero)
        agenda.add(.panelTimer, at: .zero)
    }

    var seed: UInt64 { plan.seed }
    var now: BootTime { time.now }
    /// Of the daemon: which it is, and since when.
    var run: Int { daemon.number }
    var runSince: BootTime { daemon.since }

    /// The wall and boot clock as the shell would report them.
    var moment: Moment { clock.moment(at: now) }
    /// What the clocks of phones and services say.
    var rightMoment: Moment { SimulatedClock.right(at: now) }

    /// Lets the next thing happen. Returns false when nothing is under way any more.
    func advance() throws(Violation) -> Bool {
        guard let (due, happening) = agenda.takeNext() else { return false }
        guard time.reach(due) else { throw broken(.timeGoesOn, "the last was \(happening)") }
        if isHeldUp(happening) { return true }
        switch happening {
        case .input(let target, let input):
            if target == run { try feed(input) }
        case .timer(let target, let id, let time):
            // A timer that was set anew meanwhile does not fire.
            guard target == run, pendingTimer(id) == time, !standsStill(id) else { break }
            try feed(.timer(id))
        case .panelTimer: panelTurn { $0.timerFired(at: $1, into: &$2) }
        case .panelAccepts(let peer): panelTurn { $0.accepted(peer, at: $1, into: &$2) }
        case .panelHears(let peer, let bytes): panelTurn { $0.received(peer, bytes, at: $1, into: &$2) }
        case .panelLoses(let peer, let why): panelTurn { $0.closed(peer, why: why, at: $1, into: &$2) }
        case .synced(let target):
            if target == run { try synced() }
        case .diskHeals: store.heal(at: now)
        case .boot: try boot()
        case .fault(let fault): try inject(fault)
        case .pushHears(let peer, let bytes): pushTurn { $0.received(peer, bytes, at: $1, into: &$2) }
        case .pushAccepts(let peer): pushTurn { $0.accepted(peer, at: $1, into: &$2) }
        case .pushLoses(let peer): pushTurn { $0.closed(peer, at: $1, into: &$2) }
        case .pushTimer(let time):
            if pushHost.takesTimer(time) { pushTurn { $0.timerFired(at: $1, into: &$2) } }
        case .pushTakes(let phone, let id, let data): pushTakes(from: phone, id, data)
        case .phoneHears(let phone, let line): phoneTurn(phone) { $0.heard(line, at: $1, into: &$2) }
        case .phoneTimer(let phone, let time):
            if household.takesTimer(phone, time) { phoneTurn(phone) { $0.timerFired(at: $1, into: &$2) } }
        case .phoneFault(let fault): try inject(fault)
        case .pairingCheck:
            try careForPhones()
            try careForContacts()
            try careForCodes()
            careForTopics()
            if running != nil {
                try ChannelChecks.checkDatabase(hosts, store, runSince: runSince, from: standpoint)
            }
        case .channel(let kind, let happening): happens(happening, by: kind)
        case .channelTimer(let kind, let time):
            if let index = hosts.takesTimer(kind, time) { channelTurn(index) { $0.timerFired(at: $1, into: &$2) } }
        case .channelFault(let fault): try inject(fault)
        case .codeUse(let use): happens(use)
        case .linkFault(let fault): inject(fault)
        case .linksChange: lookAtLinks()
        case .modemFault(let fault): inject(fault)
        case .modemWork(let task, let life): modemWorked(task, life: life)
        case .modemChanges: lookAtModem()
        case .watchdogLook(let target): watchdogLooks(at: target)
        case .followerReturns(let target):
            if target == run { try follow() }
        case .consoleTry(let pin): try operatorAsks(.console(.unlock(pin: pin)))
        }
        for batch in store.takeFresh() {
            channelChecks.committed(batch, at: now)
            try truthPromises.committed(batch)
        }
        try checkState()
        try truthPromises.check()
        try phonePromises.check()
        try channelChecks.look(from: standpoint)
        try uplinks?.check(pushHost.wires, from: standpoint)
        return true
    }

    /// Runs until the faults are over and the world had time to settle, then asks whether everything did.
    func live(for span: Duration) throws(Violation) {
        for index in household.indices { phoneTurn(index) { phone, _, actions in phone.connected(into: &actions) } }
        try live(until: .zero + span + .seconds(900))
        try ownersLook()
        // What the box writes now and then may just be under way.
        if store.thread.transaction != nil { try live(until: now + .seconds(5)) }
        try checkSettled()
        try phonePromises.checkSettled()
        try checkChannelsSettled()
        try checkModemSettled()
    }

    func live(until end: BootTime) throws(Violation) {
        while now < end, let next = agenda.nextTime, next <= end {
            guard try advance() else { break }
        }
    }

    /// As `live(for:)` begins, without asking whether everything settles.
    func live(before end: Duration) throws(Violation) {
        for index in household.indices { phoneTurn(index) { phone, _, actions in phone.connected(into: &actions) } }
        try live(until: .zero + end)
    }

    /// Each owner opens the app once more, for what is not pushed; again where something was written meanwhile.
    private func ownersLook() throws(Violation) {
        for _ in 0..<5 {
            let last = store.disk.last
            for index in household.indices { phoneTurn(index) { $0.perform(.ping, at: $1, into: &$2) } }
            // Longer than the minute in which a phone may have asked all that it may.
            try live(until: now + .seconds(90))
            if store.disk.last == last { return }
        }
        throw broken(.everythingSettles, "something is still written to the journal in each of five pauses")
    }

    func broken(_ promise: Violation.Promise, _ detail: String) -> Violation {
        standpoint.broken(promise, detail)
    }

    var phonePromises: PhonePromises { PhonePromises(world: self) }
    var truthPromises: TruthPromises { TruthPromises(world: self) }
    var standpoint: Standpoint { Standpoint(now: now, step: observers.steps, run: run) }
}
