import AlarmModel
import PanelLink

/// What people are reminded of while it still can be mended, and the schedule that arms: not armed at a time of day, a door
/// left open, zones left bypassed, the maintenance mode forgotten, nobody home and not armed; and the history by mail.
///
/// Guarantees: each reminder is told once, over restarts, too; what has a time of day waits for a clock that is trusted
/// and for a panel that is known; nothing is armed without a warning that ran its whole time; whatever keeps the schedule
/// from arming is told. Knows nothing of how a command is carried out, who may decline, and how people are told.
struct Reminders: Machine, Codable, Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// The schedule arms this partition now.
        case arm(partition: Int, PanelCommand.ArmRequest)
        /// Of the talk with whoever mails the history.
        case line(LineAction)
    }

    struct Maintenance: Codable, Equatable, Sendable {
        var since: BootTime
        /// nil: not known when it began.
        var sinceWall: WallTime?
        var isTold: Bool
    }

    var notArmed = Occasions<DailyTime>(lateness: lateness)
    var bypassed = Occasions<DailyTime>(lateness: lateness)
    /// When the schedule warns.
    var warnings = Occasions<DailyTime>(lateness: lateness)
    /// Of what was warned, ascending by partition.
    var armings: [RemindersRecord.Arming] = []
    /// Partitions that were armed at the warning: one that is disarmed before the schedule's time is warned then.
    var guarded: [RemindersRecord.Arming]?
    /// The schedule that they belong to.
    var schedule: String?
    /// By zone.
    var openings = Lasting()
    /// By partition.
    var absences = Lasting()
    /// As it was said last.
    var presence = Presence.unknown
    var maintenance: Maintenance?
    private var maintenanceBefore: RemindersRecord.Maintenance?
    private var clocklessSince: BootTime?
    private var isClocklessTold = false
    /// nil: nothing is mailed, or an older recording.
    private var history: HistoryMail?
    /// When an arming or the maintenance mode wants something next.
    var nextLook: BootTime?
    /// As the store has it, or will have it.
    private var kept: RemindersRecord?
    var actions: [Action] = []

    private enum CodingKeys: String, CodingKey {
        case notArmed, bypassed, warnings, armings, guarded, schedule, openings, absences, presence, maintenance,
            maintenanceBefore, clocklessSince, isClocklessTold, history, nextLook, kept
    }

    /// A reminder that comes later is none any more.
    static let lateness = Duration.hours(2)
    /// A start takes the clock some seconds; after so long without it people have to know.
    static let clockPatience = Duration.minutes(10)
    /// So long before the maintenance mode ends by itself people are told.
    static let maintenanceWarning = Duration.minutes(15)
    /// The wall clock is looked at so often, because it may be set; while it is not trusted, each minute.
    private static let lookInterval = Duration.minutes(10)

    mutating func start(_ known: RemindersRecord?, _ step: Step) {
        guard let settings = step.configuration.reminders, let known else { return }
        let zone = step.configuration.panel.timeZone
        func restore(_ occasions: inout Occasions<DailyTime>, _ name: String, _ rule: DailyTime?) {
            guard let rule, let due = known.due.first(where: { $0.reminder == name }),
                due.rule == Self.rule(rule, zone.name)
            else { return }
            occasions.restore(due.at, of: rule, in: zone)
        }
        restore(&notArmed, "notArmed", settings.notArmed?.at)
        restore(&bypassed, "bypassed", settings.bypassed)
        restore(&warnings, "autoArm", settings.autoArm?.warns)
        driveHistory { $0.restore(known.due, settings.history, in: zone) }
        armings = known.armings
        guarded = known.guarded
        schedule = known.schedule
        openings = Lasting(toldBefore: known.toldOpen)
        absences = Lasting(toldBefore: known.toldAbsent ?? [])
        maintenanceBefore = known.maintenance
        kept = known
    }

    private static func rule(_ time: DailyTime, _ zone: String) -> String { "\(time.text) \(zone)" }

    /// What is stored of it; nil: nothing.
    func record(_ step: Step) -> RemindersRecord? {
        let zone = step.configuration.panel.timeZone.name
        let due = [("notArmed", notArmed), ("bypassed", bypassed), ("autoArm", warnings)].compactMap {
            name, occasions in
            occasions.wanted.flatMap { rule in
                occasions.due.map { RemindersRecord.Due(reminder: name, rule: Self.rule(rule, zone), at: $0) }
            }
        }
        let absent = absences.told
        let record = RemindersRecord(
            due: due + [history?.record(in: step.configuration.panel.timeZone)].compactMap { $0 }, armings: armings,
            schedule: armings.isEmpty && guarded == nil ? nil : schedule, toldOpen: openings.told,
            maintenance: maintenance.map { .init(since: $0.sinceWall, isTold: $0.isTold) },
            toldAbsent: absent.isEmpty ? nil : absent, guarded: guarded)
        return record == RemindersRecord() ? nil : record
    }

    // MARK: Each step

    /// Tells what is due.
    mutating func look(_ step: inout Step) {
        guard step.life == .running, !step.isOffline else { return }
        guard let settings = step.configuration.reminders else { return forget(&step) }
        lookAtClock(settings, &step)
        lookAtArming(settings, &step)
        lookAtBypasses(settings, &step)
        lookAtOpenings(settings.leftOpen, &step)
        lookAtAbsence(settings, &step)
        lookAtMaintenance(settings.maintenance, &step)
        lookAtSchedule(settings, &step)
        driveHistory { $0.look(settings.history, &step) }
        plan(settings, at: step.now)
        keep(&step)
    }

    /// A deadline that each step would move by a little is no deadline.
    private mutating func plan(_ settings: ReminderSettings, at now: Moment) {
        var spans = armings.map { now.isWallTrusted ? $0.at - now.wall : .minutes(1) }
        if let span = settings.maintenance, let maintenance {
            spans.append((maintenance.isTold ? span : Self.toldAfter(span)) - Self.lasted(maintenance, at: now))
        }
        guard let next = spans.min() else { return nextLook = nil }
        if let nextLook, nextLook > now.boot { return }
        nextLook = now.boot + max(.milliseconds(1), min(next, Self.lookInterval))
    }

    /// The state alone is worth a write: a power cut tells nothing twice and loses nothing.
    private mutating func keep(_ step: inout Step) {
        let record = record(step)
        guard record != kept else { return }
        kept = record
        step.writes.writesState = true
    }

    /// The section has left the configuration.
    private mutating func forget(_ step: inout Step) {
        var empty = Self()
        // It is told only when it changes.
        empty.presence = presence
        guard self != empty else { return }
        endArmings("the schedule was taken out of the configuration", &step)
        driveHistory { $0.stop() }
        empty.actions = actions
        let wasKept = kept != nil
        self = empty
        if wasKept { step.writes.writesState = true }
    }

    func nextDeadline(_ step: Step) -> BootTime? {
        guard let settings = step.configuration.reminders else { return nil }
        let now = step.now
        let deadlines: [BootTime?] = [
            notArmed.nextDeadline(settings.notArmed?.at, at: now.boot),
            bypassed.nextDeadline(settings.bypassed, at: now.boot),
            warnings.nextDeadline(settings.autoArm?.warns, at: now.boot),
            isClocklessTold ? nil : clocklessSince.map { $0 + Self.clockPatience },
            openings.nextDeadline(settings.leftOpen?.after) { step.panel.zone($0)?.open.current },
            absenceDeadline(settings, step),
            (history ?? HistoryMail()).nextDeadline(settings.history, at: now.boot),
            nextLook,
        ]
        return deadlines.compactMap { $0 }.min()
    }

    // MARK: The history by mail

    mutating func take(_ fact: LineFact, _ around: CameraSurroundings, _ step: inout Step) {
        driveHistory { $0.take(fact, around, &step) }
    }

    private mutating func driveHistory(_ act: (inout HistoryMail) -> Void) {
        var machine = history ?? HistoryMail()
        act(&machine)
        actions += machine.actions.map { .line($0) }
        machine.actions = []
        history = machine == HistoryMail() ? nil : machine
    }

    // MARK: The clock

    private mutating func lookAtClock(_ settings: ReminderSettings, _ step: inout Step) {
        guard settings.needsClock, !step.now.isWallTrusted else {
            clocklessSince = nil
            guard isClocklessTold else { return }
            isClocklessTold = false
            return step.note(
                .recovery, .scheduleWaits,
                "The time is known again: reminders with a time of day and the schedule go on.")
        }
        let since = clocklessSince ?? step.now.boot
        clocklessSince = since
        guard !isClocklessTold, step.now.boot - since >= Self.clockPatience else { return }
        isClocklessTold = true
        let more = settings.autoArm == nil ? "" : ", and the schedule arms nothing"
        step.note(
            .fault, .scheduleWaits,
            "The time is not known for sure, so nobody is reminded of what has a time of day\(more). "
                + "See \(Hint.status.atBox) for the reason; check the time server (NTP) and the network.")
    }

    // MARK: Times of day

    private mutating func lookAtArming(_ settings: ReminderSettings, _ step: inout Step) {
        let zone = step.configuration.panel.timeZone
        let look = notArmed.look(settings.notArmed?.at, in: zone, isBusy: step.panel.link != .up, at: step.now)
        guard case .due(let time) = look, !settings.isVacation(time, in: zone) else { return }
        for partition in settings.notArmed?.partitions ?? step.configuration.panel.partitions
        where step.panel.partition(partition)?.status.current?.isDisarmed ?? false {
            step.remind(.reminderNotArmed, "\(step.place(partition)) is not armed", partition: partition)
        }
    }

    private mutating func lookAtBypasses(_ settings: ReminderSettings, _ step: inout Step) {
        let zone = step.configuration.panel.timeZone
        let look = bypassed.look(settings.bypassed, in: zone, isBusy: step.panel.link != .up, at: step.now)
        guard case .due(let time) = look, !settings.isVacation(time, in: zone) else { return }
        let zones = step.panel.zones.filter { $0.bypassed.current ?? false }.map(\.number)
        guard !zones.isEmpty else { return }
        let names = zones.map { step.configuration.panel.names.zone($0)?.name ?? "zone \($0)" }
        // Notices in other languages read the names behind the colon.
        step.remind(.reminderBypassed, "Still bypassed: \(names.joined(separator: ", "))")
    }

    // MARK: Spans, which need no clock

    private mutating func lookAtOpenings(_ settings: ReminderSettings.LeftOpen?, _ step: inout Step) {
        guard let settings else { return openings = Lasting() }
        let names = step.configuration.panel.names
        let watched = settings.zones ?? names.zones.filter(\.isDoor).map(\.number)
        let panel = step.panel
        let due = openings.look(at: watched, for: settings.after, at: step.now.boot) { panel.zone($0)?.open.current }
        for zone in due {
            let name = names.zone(zone).map { "Zone \(zone) \($0.name)" } ?? "Zone \(zone)"
            step.remind(
                .reminderOpen, "\(name) has been open for \(settings.after.words)",
                partition: names.zone(zone)?.partition, zone: zone)
        }
    }

    private mutating func lookAtMaintenance(_ span: Duration?, _ step: inout Step) {
        guard let span, step.isMaintenance else {
            (maintenance, maintenanceBefore) = (nil, nil)
            return
        }
        let now = step.now
        var state =
            maintenance
            ?? Maintenance(
                since: now.boot, sinceWall: maintenanceBefore?.since, isTold: maintenanceBefore?.isTold ?? false)
        maintenanceBefore = nil
        if maintenance == nil { nextLook = nil }
        if state.sinceWall == nil, now.isWallTrusted { state.sinceWall = now.wall + (state.since - now.boot) }
        maintenance = state
        let lasted = Self.lasted(state, at: now)
        if lasted >= span {
            maintenance = nil
            return step.endMaintenance(
                "The maintenance mode has ended by itself after \(span.words): events are notified again")
        }
        guard !state.isTold, lasted >= Self.toldAfter(span) else { return }
        maintenance?.isTold = true
        nextLook = nil
        step.isMaintenance = false
        step.remind(
            .reminderMaintenance,
            "The maintenance mode is still on: nobody is told of anything. It ends by itself in \((span - lasted).words)"
        )
        step.isMaintenance = true
    }

    private static func toldAfter(_ span: Duration) -> Duration { span - min(maintenanceWarning, span / 2) }

    /// By the clock that has seen more of it: the boot clock stands still while the box is off.
    private static func lasted(_ state: Maintenance, at now: Moment) -> Duration {
        let byWall = now.isWallTrusted ? state.sinceWall.map { now.wall - $0 } : nil
        return max(now.boot - state.since, byWall ?? .zero)
    }
}

extension Step {
    /// `Partition 1 Ground floor`
    func place(_ partition: Int) -> String {
        configuration.panel.names.partition(partition).map { "Partition \(partition) \($0)" }
            ?? "Partition \(partition)"
    }

    /// Tells it to those who may arm.
    mutating func remind(_ code: EventCode, _ message: String, partition: Int? = nil, zone: Int? = nil) {
        announce(event(.info, code, message, partition: partition, zone: zone), to: .mayArm)
    }

    /// A fact of the box itself about a part of the house.
    func event(
        _ type: EventType, _ code: EventCode, _ message: String, partition: Int?, zone: Int? = nil
    ) -> Event {
        var event = event(type, code, message)
        (event.partition, event.partitionName) = (partition, partition.flatMap(configuration.panel.names.partition))
        (event.zone, event.zoneName) = (zone, zone.flatMap { configuration.panel.names.zone($0)?.name })
        return event
    }

    mutating func endMaintenance(_ words: String) {
        isMaintenance = false
        remind(.reminderMaintenance, words)
    }
}
