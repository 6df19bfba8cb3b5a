import AlarmModel
import ApplianceCore
import Uplinks

/// The links, the paths of the connections to the push service, and what the promises are held against.
///
/// Guarantees: what is sent by a link that carries arrives, in order; by one that does not it waits, or is lost with the
/// link's address, and nothing goes by a link that the box did not choose.
struct SimulatedUplinks: Sendable {
    /// The path of one connection, as it was chosen when it was opened.
    struct Path: Equatable, Sendable {
        /// Unique over all runs.
        var peer: ConnectionID
        /// The place of its link.
        var link: Int
        var source: IPAddress
        /// Something was lost on it for good, or its address is gone: nothing goes over it any more.
        var isBroken = false
        /// Since when it carries nothing; nil while it does.
        var deadSince: BootTime?
        /// What arrives when the link carries again, in order.
        var held: [Happening] = []
    }

    var links: [SimulatedLink]
    let targets: [ProbeTarget]
    var targetsDeadUntil: [BootTime]
    /// When the links are looked at next.
    var nextLook: BootTime?
    /// As the daemon of this run asked for, and what it was told.
    var watched: [String] = []
    var watchRun = 0
    var told: [LinkFacts] = []
    var paths: [Path] = []
    var probes: [ConnectionID] = []
    var chance: Jitter

    /// Since when each link carries and a target answers there; nil while that is not so.
    var goodSince: [BootTime?]
    var lateAlarms = LateAlarms()
    var switches = 0
    /// Where the box drives the second link's modem itself.
    var modem: SimulatedModem?
    var toldModem: ToldModem?

    /// What the daemon was told of the modem last.
    struct ToldModem: Equatable, Sendable {
        var run: Int
        var isServiceThere: Bool
        var status: ModemStatus?
    }

    /// What a house with two links has configured.
    private static func settings(_ plan: HousePlan.Links) -> UplinkSettings {
        var settings = UplinkSettings(
            links: [
                LinkSettings(name: "ethernet", kind: .ethernet, interface: "eth0"),
                LinkSettings(name: "modem", kind: .modem, interface: "wwan0", isMetered: true),
            ],
            targets: [[203, 0, 113, 1], [203, 0, 113, 2]].compactMap { bytes in
                IPAddress(bytes: bytes).map { ProbeTarget(host: $0, port: 443) }
            },
            probeName: "probe.example")
        settings.links[1].standby = plan.standby
        if plan.hasBudget { settings.links[1].budget = 20_000 }
        settings.isLossAlarmWhileArmed = plan.isLossAlarm
        settings.timings.holdLimit = .minutes(4)
        return settings
    }

    /// Configures the links of a house; nil where it has none.
    static func configured(in configuration: inout Configuration, _ plan: HousePlan) -> SimulatedUplinks? {
        guard let links = plan.links else { return nil }
        var settings = settings(links)
        if links.modem != nil { settings.links[1].interface = nil }
        configuration.uplinks = settings
        var uplinks = SimulatedUplinks(settings, chance: Jitter(seed: plan.draws.links ?? plan.seed))
        guard let modem = links.modem else { return uplinks }
        let pin = modem.hasWrongPIN ? Secret("73915525") : SimulatedModem.pin
        configuration.modem = ModemSettings(pin: pin, subscription: ModemSubscription(apn: "internet"))
        configuration.texts = TextAlarmSettings(
            numbers: ["+431234567", "+4420123456"], patience: .minutes(modem.minutes), unless: .taken)
        if modem.hasCalls == true {
            configuration.calls = CallerSettings(
                provider: nil,
                people: [.init(name: "Olga", number: "+431234567"), .init(name: "Ines", number: "+4420123456")],
                patience: .minutes(modem.minutes), unless: .taken)
        }
        configuration.phones.heartbeat = .minutes(2)
        uplinks.modem = SimulatedModem(seed: plan.draws.modem ?? plan.seed)
        uplinks.links[1].isDetached = true
        return uplinks
    }

    init(_ settings: UplinkSettings, chance: Jitter) {
        self.chance = chance
        links = settings.links.enumerated().map { index, link in
            SimulatedLink(
                name: link.name, interface: link.interface ?? SimulatedModem.interface,
                latency: .milliseconds(5 + 40 * index), host: 10)
        }
        targets = settings.targets
        targetsDeadUntil = settings.targets.map { _ in .zero }
        goodSince = links.map { _ in .zero }
    }

    mutating func drawFaults(for span: Duration) -> [(BootTime, LinkFault)] {
        LinkFault.draw(for: span, from: &chance, links: links.count)
    }

    func isGood(_ index: Int, at now: BootTime) -> Bool {
        links[index].carries(at: now) && !links[index].swallows(at: now) && targetsDeadUntil.contains { $0 <= now }
    }

    /// Where something sent by this link goes; nil: the system knows no way.
    func route(_ link: Link, at now: BootTime) -> Int? {
        switch link {
        case .any: links.indices.first { links[$0].canSend(at: now) }
        case .interface(let name): links.indices.first { links[$0].interface == name && links[$0].canSend(at: now) }
        }
    }

    /// Whether that is new.
    mutating func detachModem(_ isDetached: Bool) -> Bool {
        guard modem != nil, links[1].isDetached != isDetached else { return false }
        links[1].isDetached = isDetached
        return true
    }

    mutating func renumberModem() { links[1].host &+= 1 }

    func path(of peer: ConnectionID) -> Int? { paths.firstIndex { $0.peer == peer } }

    /// A link that is preferred to this one was good when the connection was opened, or seemed so: it swallowed all but
    /// probes.
    func isDetour(by link: Int, since opened: BootTime) -> Bool {
        goodSince[..<link].contains { $0.map { $0 <= opened } ?? false }
            || links[..<link].contains { $0.swallows(at: opened) }
    }

    /// Some link has been good for so long.
    func hasGood(for span: Duration, at now: BootTime) -> Bool {
        goodSince.contains { $0.map { now - $0 >= span } ?? false }
    }
}
