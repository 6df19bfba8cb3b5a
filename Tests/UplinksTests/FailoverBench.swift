import AlarmModel
import Testing
import Uplinks

/// How the world beyond a link answers.
struct Provider {
    var interface: String
    /// After so many milliseconds; nil: a black hole.
    var targets: Int64? = 40
    /// Connects are refused at once instead.
    var refuses = false
    var names: Int64? = 20
    /// The first target alone is dead.
    var isFirstTargetDead = false
    var facts: LinkFacts
}

/// A failover with its links, a clock that only the test moves, and providers that answer probes as they are told.
struct FailoverBench {
    var failover: Failover
    var providers: [Provider]
    private(set) var milliseconds: Int64 = 0
    /// All that was told, with its time; no probes.
    private(set) var told: [(at: Int64, FailoverAction)] = []
    private(set) var passes: [String: Int] = [:]
    private(set) var open: [ConnectionID: Link] = [:]
    private(set) var mostOpen = 0
    private(set) var questions = 0
    private(set) var connects = 0
    private var lastFiring: Int64 = -1
    private var firings = 0
    private var answers: [(at: Int64, Answer)] = []
    var isWallTrusted = true
    var wallStart: Int64 = 1_790_000_000_000

    private enum Answer {
        case opened(ConnectionID)
        case failed(ConnectionID, ConnectionEnd)
        case resolved(ResolveID, Resolution)
    }

    static let settings = UplinkSettings(
        links: [
            LinkSettings(name: "ethernet", kind: .ethernet, interface: "eth0"),
            LinkSettings(name: "modem", kind: .modem, interface: "wwan0", isMetered: true),
        ],
        targets: targets, probeName: "probe.test")

    static let targets = [[198, 51, 100, 1], [198, 51, 100, 2]].compactMap { bytes in
        IPAddress(bytes: bytes).map { ProbeTarget(host: $0, port: 443) }
    }

    static func address(_ last: UInt8) -> [IPAddress] { [IPAddress(bytes: [192, 0, 2, last])].compactMap { $0 } }

    /// A bench whose links all have carrier, address and an answering provider.
    init(_ settings: UplinkSettings = FailoverBench.settings) {
        failover = Failover(settings, firstConnection: ConnectionID(1), firstQuestion: ResolveID(1))
        providers = settings.links.compactMap(\.interface).enumerated().map { index, interface in
            let last = UInt8(10 * (index + 1))
            return Provider(
                interface: interface,
                facts: LinkFacts(
                    interface: interface, addresses: Self.address(last), nameServers: Self.address(last + 1)))
        }
    }

    var now: Moment {
        Moment(
            boot: BootTime(nanoseconds: 1_000_000_000 + milliseconds * 1_000_000),
            wall: WallTime(milliseconds: wallStart + milliseconds), isWallTrusted: isWallTrusted)
    }

    private static func milliseconds(of time: BootTime) -> Int64 { (time.nanoseconds - 1_000_000_000) / 1_000_000 }

    var due: Int64? { failover.nextDeadline.map(Self.milliseconds) }

    /// Starts and tells all facts.
    mutating func start(usage: [LinkUsage] = []) {
        act { $0.start(usage: usage, at: $1, into: &$2) }
        tellFacts()
    }

    mutating func act(_ happening: (inout Failover, Moment, inout [FailoverAction]) -> Void) {
        var actions: [FailoverAction] = []
        happening(&failover, now, &actions)
        for action in actions { carryOut(action) }
        mostOpen = max(mostOpen, open.count)
        if let due, due < milliseconds { Issue.record("a deadline of the past: \(due) at \(milliseconds) ms") }
    }

    mutating func tellFacts() {
        let facts = providers.map(\.facts)
        act { $0.linksChanged(facts, at: $1, into: &$2) }
    }

    /// Changes one provider; its facts are told when they changed.
    mutating func change(_ interface: String, _ change: (inout Provider) -> Void) {
        guard let index = providers.firstIndex(where: { $0.interface == interface }) else { return }
        let old = providers[index].facts
        change(&providers[index])
        let new = providers[index].facts
        if new != old { act { $0.linksChanged([new], at: $1, into: &$2) } }
    }

    mutating func cutCarrier(_ interface: String) {
        change(interface) {
            $0.facts.hasCarrier = false
            $0.facts.addresses = []
        }
    }

    mutating func plugIn(_ interface: String, last: UInt8 = 10) {
        change(interface) {
            $0.facts.isPresent = true
            $0.facts.hasCarrier = true
            $0.facts.addresses = Self.address(last)
        }
    }

    mutating func blackHole(_ interface: String) {
        change(interface) {
            $0.targets = nil
            $0.names = nil
        }
    }

    mutating func heal(_ interface: String) {
        change(interface) {
            $0.targets = 40
            $0.names = 20
        }
    }

    /// Moves the clock, with every answer and deadline in between at its own time.
    mutating func run(to end: Int64, until isReached: (FailoverBench) -> Bool = { _ in false }) {
        while !isReached(self) {
            let answer = answers.map(\.at).min()
            let next = [answer, due].compactMap { $0 }.min() ?? end
            guard next <= end else { break }
            milliseconds = max(milliseconds, next)
            if let answer, answer <= milliseconds, let index = answers.firstIndex(where: { $0.at == answer }) {
                deliver(answers.remove(at: index).1)
            } else {
                firings = milliseconds == lastFiring ? firings + 1 : 0
                lastFiring = milliseconds
                guard firings < 10 else {
                    Issue.record("the timer fires at \(milliseconds) ms again and again")
                    return
                }
                act { $0.timerFired(at: $1, into: &$2) }
            }
        }
        if !isReached(self) { milliseconds = max(milliseconds, end) }
    }

    mutating func run(seconds: Int64, until isReached: (FailoverBench) -> Bool = { _ in false }) {
        run(to: milliseconds + seconds * 1000, until: isReached)
    }

    private mutating func deliver(_ answer: Answer) {
        switch answer {
        case .opened(let id): act { $0.opened(id, at: $1, into: &$2) }
        case .failed(let id, let end):
            open[id] = nil
            act { $0.openFailed(id, end, at: $1, into: &$2) }
        case .resolved(let id, let resolution): act { $0.resolved(id, resolution, at: $1, into: &$2) }
        }
    }

    private mutating func carryOut(_ action: FailoverAction) {
        switch action {
        case .open(let id, let endpoint, let link):
            connects += 1
            if open[id] != nil { Issue.record("connection \(id.number) was named twice") }
            open[id] = link
            answer(id, endpoint, over: link)
        case .resolve(let id, name: _, let link):
            questions += 1
            if let provider = provider(of: link), let after = provider.names {
                answers.append((milliseconds + after, .resolved(id, .failed(.notFound))))
            }
        case .close(let id):
            if open.removeValue(forKey: id) == nil { Issue.record("connection \(id.number) was closed twice") }
            answers.removeAll { answer in
                if case .opened(id) = answer.1 { return true }
                if case .failed(id, _) = answer.1 { return true }
                return false
            }
        case .readLinks: break
        case .useNameServers, .watch, .modem, .modemCarries, .switched, .renumbered, .pathLost, .pathRestored, .allLost,
            .someRestored, .budgetExceeded, .usageChanged:
            told.append((milliseconds, action))
        }
    }

    private mutating func answer(_ id: ConnectionID, _ endpoint: Endpoint, over link: Link) {
        guard let provider = provider(of: link) else { return }
        let isFirst = endpoint.address == Self.targets[0].host
        if isFirst { passes[provider.interface, default: 0] += 1 }
        if provider.refuses {
            answers.append((milliseconds + 1, .failed(id, .refused)))
        } else if let after = provider.targets, !(isFirst && provider.isFirstTargetDead) {
            answers.append((milliseconds + after, .opened(id)))
        }
    }

    private func provider(of link: Link) -> Provider? {
        providers.first { .interface($0.interface) == link && $0.facts.hasCarrier && $0.facts.isPresent }
    }
}

extension FailoverBench {
    /// What was told since, without times.
    mutating func news() -> [FailoverAction] {
        let news = told.map(\.1)
        told = []
        return news
    }

    /// The switches since the last look: to whom, at which millisecond.
    var switches: [(at: Int64, to: String?)] {
        told.compactMap { at, action in
            if case .switched(from: _, to: let to, _) = action { return (at, to) }
            return nil
        }
    }

    func state(_ name: String) -> LinkState? { failover.report.first { $0.name == name }?.state }
    func report(_ name: String) -> LinkReport? { failover.report.first { $0.name == name } }
}
