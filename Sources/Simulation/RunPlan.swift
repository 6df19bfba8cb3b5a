package import AlarmModel
package import PhoneLink

/// What says how a run goes, whole: the same plan is the same run.
package struct RunPlan: Sendable {
    package var seed: UInt64
    /// How long faults happen, in simulated time.
    package var span: Duration
    /// A deliberate bug (debug builds only).
    package var sabotage: Sabotage?
    /// What the house has beside CCS; nil: as the seed has it.
    package var channels: [ChannelKind]?
    package var hasLinks = false
    package var hasModem = false
    /// Alarms as panels send them, and what is told is compared with what really happened.
    package var hasIncidents = false
    /// Words that an untruth must contain to count; nil if all count.
    package var soughtUntruth: String?
    /// What happens is written there; of the rest of the plan only `sabotage` and `isHashed` count then.
    package var script: RunScript?
    package var selection = Selection.all
    /// The run's hash of all effects is wanted.
    package var isHashed = false
    /// The run's story of panel and box is wanted.
    package var isNarrated = false

    package init(
        seed: UInt64, span: Duration = .minutes(30), sabotage: Sabotage? = nil, channels: [ChannelKind]? = nil,
        hasLinks: Bool = false, hasModem: Bool = false, selection: Selection = .all, isHashed: Bool = false
    ) {
        self.seed = seed
        self.span = span
        self.sabotage = sabotage
        self.channels = channels
        self.hasLinks = hasLinks
        self.hasModem = hasModem
        self.selection = selection
        self.isHashed = isHashed
    }

    /// What happens from outside in it.
    package var happenings: [DrawnHappening] {
        let world = world()
        return world.agenda.keep(selection, of: span)
    }

    /// What this run breaks.
    ///
    /// - Parameter settles: false to look only until shortly after the calm has come, which takes less time.
    package func violation(settles: Bool) -> Violation? {
        let world = preparedWorld()
        do throws(Violation) {
            if settles { try world.live(for: end) } else { try world.live(before: end + .seconds(120)) }
        } catch {
            return error
        }
        return nil
    }

    package var run: SeedRun {
        SeedRun(self)
    }

    /// When the faults end.
    var end: Duration { script?.end ?? selection.end(of: span) }

    /// Before its first step.
    func preparedWorld(trail: Trail = .off) -> World {
        let world = script.map { World($0, sabotage: sabotage, trail: trail) } ?? world(trail)
        if script == nil { world.agenda.keep(selection, of: span) }
        world.soughtUntruth = soughtUntruth
        return world
    }

    private func world(_ trail: Trail = .off) -> World {
        World(
            seed: seed, span: span, sabotage: sabotage, channels: channels, hasLinks: hasLinks, hasModem: hasModem,
            hasIncidents: hasIncidents, trail: trail)
    }
}
