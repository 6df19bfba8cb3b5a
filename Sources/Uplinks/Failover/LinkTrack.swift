import AlarmModel

/// What is known and thought of one link.
struct LinkTrack: Codable, Equatable, Sendable {
    enum Health: String, Codable, Equatable, Sendable {
        /// Not proven since it last had neither carrier nor address, or coming up again.
        case connecting
        case up
        case down
    }

    /// What the owner was told of it last.
    enum Told: String, Codable, Equatable, Sendable {
        case nothing, good, lost
    }

    var settings: LinkSettings
    /// As configured, or as the modem told.
    var interface: String?
    var facts: LinkFacts?
    /// Its addresses when it could last carry something.
    var carriedFrom: [IPAddress] = []
    /// Time at which an address went last that connections may have come from.
    var lastRenumbering: BootTime?
    var usage: LinkUsage

    var health = Health.connecting
    /// Up, but the last pass failed or the phone connection fell silent.
    var isSuspect = false
    /// The last pass was good.
    var isAnswering = false
    var score = 0
    var passesInRow = 0
    var failsInRow = 0
    /// Since the first good pass after it was not up.
    var goodSince: BootTime?
    /// How often it has failed soon after it came back.
    var flaps = 0
    var lastDown: BootTime?
    /// When it last came up or was taken into use.
    var lastRise = BootTime.zero

    var pass: ProbePass?
    var lastStart: BootTime?
    /// When the phone connection last brought bytes over it.
    var lastHeard: BootTime?
    /// When a pass, or what is as good as one, last counted.
    var lastCounted: BootTime?
    /// The next pass does not wait for its turn.
    var isDueAtOnce = false
    /// Passes of a metered standby outside its turn that may still be made.
    var extraPasses = LinkTrack.extraLimit
    var extraSince: BootTime

    var latency: Duration?
    /// The questions to its name servers that were not answered, in a row.
    var silentNames = 0
    /// The last question was answered.
    var answersNames = false
    var silentTargets = 0
    var toldServers: [Endpoint] = []

    /// Connected and probed, or to be.
    var isAwake = false
    var wokenAt: BootTime
    var isNeeded = false
    var lastNeeded: BootTime
    var told = Told.nothing
    /// Verdict on the data connection that the modem was told last; nil while there is none to judge.
    var toldCarrying: Bool?
    var shown = LinkState.absent
    var shownSince: BootTime

    /// A metered standby may be probed so often in quick succession, outside its turn; one more is allowed for each of
    /// its regular passes.
    static let extraLimit = 30

    init(_ settings: LinkSettings, usage: LinkUsage?, at now: BootTime) {
        self.settings = settings
        interface = settings.interface
        self.usage = usage ?? LinkUsage(name: settings.name)
        extraSince = now
        wokenAt = now
        lastNeeded = now
        shownSince = now
    }
}

extension LinkTrack {
    var link: Link? { interface.map { .interface($0) } }

    /// Why nothing can be sent over it, as the machine itself knows.
    var obstacle: PathProblem? {
        guard let facts, facts.isPresent, interface != nil else { return .absent }
        if !facts.hasCarrier { return .noCarrier }
        return facts.addresses.isEmpty ? .noAddress : nil
    }

    var canBeProbed: Bool { isAwake && obstacle == nil }

    var isUndecided: Bool { pass.map { !$0.isDecided } ?? false }

    var problem: PathProblem? {
        if let obstacle { return obstacle }
        if health == .up && !isSuspect { return nil }
        if failsInRow > 0 { return answersNames ? .onlyNames : .unanswered(passes: failsInRow) }
        return health == .up ? nil : .notYetProven
    }

    /// True if the link carries data; nil while that is not known.
    var isCarrying: Bool? {
        guard canBeProbed else { return nil }
        if isAnswering { return true }
        return health == .down && failsInRow >= Self.failsToDoubtModem ? false : nil
    }

    /// Probes in a row that must fail before a modem's data connection is reported as carrying nothing.
    static let failsToDoubtModem = 2

    var nameServers: [Endpoint] {
        if !settings.nameServers.isEmpty { return settings.nameServers }
        return (facts?.nameServers ?? []).map { Endpoint(address: $0, port: 53) }
    }

    var state: LinkState {
        guard isAwake else { return .asleep }
        switch obstacle {
        case .noCarrier: return .noCarrier
        case .noAddress: return .noAddress
        case .absent: return .absent
        case .unanswered, .onlyNames, .notYetProven, .unsteady, nil: break
        }
        switch health {
        case .connecting: return .connecting
        case .up: return isSuspect ? .suspect : .up
        case .down: return .down
        }
    }

    /// So long it must be good before it is used again: doubled for each flap.
    func hold(_ timings: FailoverTimings) -> Duration {
        var hold = timings.hold
        for _ in 0..<flaps where hold < timings.holdLimit { hold = min(hold * 2, timings.holdLimit) }
        return hold
    }

    /// Forgets what was proven; the link has to come up anew.
    mutating func forget() {
        health = .connecting
        isSuspect = false
        isAnswering = false
        score = 0
        passesInRow = 0
        failsInRow = 0
        goodSince = nil
        latency = nil
        silentNames = 0
        answersNames = false
        silentTargets = 0
    }
}
