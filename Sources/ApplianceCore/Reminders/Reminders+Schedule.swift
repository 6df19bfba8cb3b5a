import AlarmModel
import PanelLink

/// The schedule that arms: warned, declined by whoever may disarm, and armed by a command like any other.
extension Reminders {
    /// Later than this it is warned anew: nobody could decline while the box was off.
    private static let punctuality = Duration.minutes(5)

    mutating func lookAtSchedule(_ settings: ReminderSettings, _ step: inout Step) {
        if settings.autoArm?.text != schedule {
            endArmings("the schedule was changed", &step)
            schedule = settings.autoArm?.text
        }
        let zone = step.configuration.panel.timeZone
        let look = warnings.look(settings.autoArm?.warns, in: zone, isBusy: step.panel.link != .up, at: step.now)
        guard let schedule = settings.autoArm else { return }
        switch look {
        case .nothing: break
        case .due(let time): begin(schedule, at: time + schedule.warning, settings, &step)
        case .missed(let time):
            guard !settings.isVacation(time + schedule.warning, in: zone) else { break }
            for partition in partitions(of: schedule, step) where !isGuarded(partition, step) {
                step.tellScheduleFailed(
                    "the box was off then, or did not know the time or the panel", partition: partition)
            }
        }
        lookAtGuarded(schedule, &step)
        armDue(schedule, &step)
    }

    /// A partition that was armed at the warning and is disarmed before the schedule's time: somebody came home, and is
    /// warned now.
    private mutating func lookAtGuarded(_ schedule: ReminderSettings.AutoArm, _ step: inout Step) {
        for entry in guarded ?? [] {
            let status = step.panel.partition(entry.partition)?.status.current
            let isDisarmed = status?.isDisarmed ?? false
            guard isDisarmed || status != nil && entry.at <= step.now.wall else { continue }
            guarded?.removeAll { $0.partition == entry.partition }
            guard isDisarmed, step.now.isWallTrusted else { continue }
            if step.now.wall - entry.at < Self.lateness {
                warn(entry.partition, schedule, at: max(entry.at, step.now.wall + schedule.warning), &step)
            } else {
                step.tellScheduleFailed("its state was not known then", partition: entry.partition)
            }
        }
        if guarded?.isEmpty ?? false { guarded = nil }
    }

    private mutating func begin(
        _ schedule: ReminderSettings.AutoArm, at due: WallTime, _ settings: ReminderSettings, _ step: inout Step
    ) {
        let zone = step.configuration.panel.timeZone
        guard !settings.isVacation(due, in: zone) else {
            let day = CalendarDay(zone.civilTime(at: due)).text
            return step.note(
                .info, .scheduleWaits, "Nothing is armed by the schedule: \(day) is in 'reminders.vacation'.")
        }
        let armed = partitions(of: schedule, step).filter { isGuarded($0, step) }
        guarded = armed.isEmpty ? nil : armed.sorted().map { RemindersRecord.Arming(partition: $0, at: due) }
        for partition in partitions(of: schedule, step) where !isGuarded(partition, step) {
            guard step.panel.partition(partition)?.status.current != nil else {
                step.tellScheduleFailed("its state is not known", partition: partition)
                continue
            }
            warn(partition, schedule, at: max(due, step.now.wall + schedule.warning), &step)
        }
    }

    private mutating func warn(
        _ partition: Int, _ schedule: ReminderSettings.AutoArm, at time: WallTime, _ step: inout Step
    ) {
        armings.removeAll { $0.partition == partition }
        armings.append(RemindersRecord.Arming(partition: partition, at: time))
        armings.sort { $0.partition < $1.partition }
        nextLook = nil
        let clock = step.configuration.panel.timeZone.civilTime(at: time).time.prefix(5)
        // Notices in other languages read the last word: the time.
        step.remind(
            .scheduleSoon,
            "\(step.place(partition)) is not armed; unless somebody declines, the schedule arms it "
                + "(\(schedule.mode.rawValue)) at \(clock)",
            partition: partition)
    }

    private mutating func armDue(_ schedule: ReminderSettings.AutoArm, _ step: inout Step) {
        // Somebody was faster.
        armings = armings.filter { !isGuarded($0.partition, step) }
        guard step.now.isWallTrusted else { return }
        for arming in armings where arming.at <= step.now.wall {
            armings.removeAll { $0.partition == arming.partition }
            let late = step.now.wall - arming.at
            if late <= Self.punctuality {
                actions.append(.arm(partition: arming.partition, schedule.mode))
            } else if late < Self.lateness {
                warn(arming.partition, schedule, at: step.now.wall + schedule.warning, &step)
            } else {
                step.tellScheduleFailed("the box was off then, or did not know the time", partition: arming.partition)
            }
        }
    }

    /// Armed, about to be, or in alarm.
    private func isGuarded(_ partition: Int, _ step: Step) -> Bool {
        step.panel.partition(partition)?.status.current?.isGuarded ?? false
    }

    private func partitions(of schedule: ReminderSettings.AutoArm, _ step: Step) -> [Int] {
        schedule.partitions ?? step.configuration.panel.partitions
    }

    mutating func endArmings(_ why: String, _ step: inout Step) {
        let ended = armings
        (armings, guarded) = ([], nil)
        for arming in ended { step.tellScheduleFailed(why, partition: arming.partition) }
    }

    // MARK: Declining

    func awaitsArming(of partition: Int) -> Bool { armings.contains { $0.partition == partition } }

    /// Somebody who may disarm has ordered it: the schedule leaves this partition alone until the next day.
    ///
    /// - Returns: whether nothing is left to do: the partition is known to be disarmed
    mutating func decline(_ partition: Int, by who: String, _ step: inout Step) -> Bool {
        guard awaitsArming(of: partition) else { return false }
        armings.removeAll { $0.partition == partition }
        step.remind(
            .scheduleDeclined,
            "\(step.place(partition)) stays disarmed: what the schedule was about to arm was declined by \(who)",
            partition: partition)
        return step.panel.partition(partition)?.status.current?.isDisarmed ?? false
    }
}
