package import AlarmModel
package import PhoneLink
import Simulators

/// One seed; the verdict and what it took.
///
/// In every 4th seed another core beside the first is told the same (see `Replica`), and every 16th seed is run twice
/// from the beginning: then the whole world is known to go the same way again.
package struct SeedRun: Sendable {
    package var seed: UInt64
    package var steps: Int
    package var simulated: Duration
    package var events: Int
    /// What phones got from the push service or by their topics, and what they signed.
    package var deliveries: Int
    package var commands: Int
    /// Of what they signed, what was done.
    package var carriedOut: Int
    /// What the services of the other channels took, and what people ordered there.
    package var arrivals: Int
    package var presses: Int
    package var orders: Int
    /// What phones put into the database, and what was carried out with a one-time code.
    package var databaseMessages: Int
    package var codedOrders: Int
    /// What the push service of browsers took.
    package var pushes: Int
    /// Changes of the link.
    package var switches: Int
    /// Text messages that left.
    package var texts: Int
    package var calls: Int
    /// Texts that were answered with OK.
    package var answers: Int
    /// Of all effects; nil unless it was asked for.
    package var hash: String?
    package var violation: Violation?
    /// What went into the core last before a promise was broken, in words.
    package var lastInputs: [String] = []
    /// Story of panel and box (`PanelStory`), line by line; empty unless it was asked for.
    package var story: [String] = []

    /// - Parameters:
    ///   - span: how long faults happen, in simulated time; fifteen minutes of calm follow, and a look at each phone.
    ///   - sabotage: a deliberate bug (debug builds only).
    ///   - channels: what the house has beside CCS; nil: as the seed has it.
    ///   - hasLinks: the house has two links, which fail; then it has CCS alone.
    ///   - hasModem: the same, with a modem that the box drives itself, and text messages.
    ///   - selection: of what the seed draws.
    ///   - isHashed: `hash` is wanted, which takes some more time.
    package init(
        seed: UInt64, span: Duration = .minutes(30), sabotage: Sabotage? = nil, channels: [ChannelKind]? = nil,
        hasLinks: Bool = false, hasModem: Bool = false, selection: Selection = .all, isHashed: Bool = false
    ) {
        self.init(
            RunPlan(
                seed: seed, span: span, sabotage: sabotage, channels: channels, hasLinks: hasLinks, hasModem: hasModem,
                selection: selection, isHashed: isHashed))
    }

    package init(_ plan: RunPlan) {
        let first = plan.preparedWorld()
        seed = first.seed
        let isRepeated = seed % 16 == 0
        if isRepeated { first.observers.trail = .record([]) }
        var hash = EffectHash()
        var story = PanelStory()
        if plan.isHashed || plan.isNarrated {
            first.observers.witness = { [unowned first] input, moment, effects in
                if plan.isHashed { hash.follow(input, at: moment, effects) }
                guard plan.isNarrated else { return }
                story.follow(input, at: moment.boot, effects) { first.panelHost.has($0, run: first.run) }
            }
        }
        do {
            try first.live(for: plan.end)
            if isRepeated {
                let second = plan.preparedWorld(trail: first.observers.trail.asComparison)
                try second.live(for: plan.end)
            }
        } catch {
            violation = error
        }
        if plan.isHashed { self.hash = hash.text }
        if plan.isNarrated { self.story = story.words(first.panelHost.panel.ledger) }
        if violation != nil { lastInputs = first.observers.recent.words }
        steps = first.observers.steps
        simulated = first.now - .zero
        events = Int(first.store.disk.last.number)
        deliveries = first.pushHost.push.tally.delivered + first.household.deliveries
        arrivals = first.channelChecks.arrivals
        presses = first.channelChecks.pressed
        orders = first.channelChecks.orders.reduce(0) { $0 + $1.value }
        databaseMessages = first.hosts.index(.fcm).flatMap { first.hosts[$0].peer as? FCMSimulator }?.putCount ?? 0
        pushes = first.hosts.index(.webPush).flatMap { first.hosts[$0].peer as? WebPushSimulator }?.taken ?? 0
        codedOrders = first.contacts.apps.reduce(0) {
            $0 + first.channelChecks.orders[ChannelChecks.coded($1.address), default: 0]
        }
        texts = first.modemChecks.texts.count
        calls = first.modemChecks.calls.count
        answers = first.modemChecks.answers.count
        switches = first.uplinks?.switches ?? 0
        commands = first.phoneChecks.signed.count
        carriedOut = first.store.disk.phones.results.count { $0.result.out == .ok }
    }
}
