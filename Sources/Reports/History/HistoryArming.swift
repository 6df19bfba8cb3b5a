import AlarmModel

/// When each partition was armed, and when something happened there, as days of quarter hours.
struct HistoryArming {
    private struct Lane {
        var report: HistoryReport.Lane
        /// nil: nothing has been said of it yet.
        var isArmed: Bool?
        /// Up to where its states stand in the picture.
        var drawnUpTo: WallTime
    }

    private let until: WallTime
    /// 0: the house.
    private var lanes: [Lane]
    /// False while the panel is away or the box is off: what was so before is not known to be so still.
    private var isKnown = true
    private let begin: WallTime

    private static let slot: Duration = .minutes(HistoryDays.minutesASlot)

    /// - Parameters:
    ///   - from: the first moment that is shown and that the journal knows
    ///   - days: an empty picture
    init(from: WallTime, until: WallTime, _ days: HistoryDays) {
        self.until = until
        begin = from
        lanes = (0...8).map { number in
            Lane(report: .init(partition: number == 0 ? nil : number, name: nil, days: days), drawnUpTo: from)
        }
    }

    mutating func take(_ event: Event, partition: Int, _ isShown: Bool, _ clock: inout HouseClock) {
        guard (1...8).contains(partition) else { return }
        let isArmed = event.type == .armed
        let time = max(event.time, begin)
        lanes[partition].report.name = event.partitionName ?? lanes[partition].report.name
        if lanes[partition].isArmed == nil {
            // Before it was armed for the first time it was not.
            draw(partition, from: begin, to: time, isArmed ? .disarmed : .armed, onlyBlank: true, &clock)
            lanes[partition].drawnUpTo = max(lanes[partition].drawnUpTo, time)
        } else {
            drawOn(partition, to: time, &clock)
        }
        // The panel says it at the beginning of the exit delay and at its end.
        if isShown, isArmed, lanes[partition].isArmed != true { lanes[partition].report.armings += 1 }
        lanes[partition].isArmed = isArmed
    }

    mutating func setKnown(_ isKnown: Bool, at time: WallTime, _ clock: inout HouseClock) {
        guard isKnown != self.isKnown else { return }
        for number in 1...8 { drawOn(number, to: max(time, begin), &clock) }
        self.isKnown = isKnown
    }

    /// What is so now has been so since.
    private mutating func drawOn(_ number: Int, to time: WallTime, _ clock: inout HouseClock) {
        let lane = lanes[number]
        let state: HistoryDays.State? = isKnown ? lane.isArmed.map { $0 ? .armed : .disarmed } : .unknown
        if let state { draw(number, from: lane.drawnUpTo, to: time, state, onlyBlank: false, &clock) }
        lanes[number].drawnUpTo = max(lane.drawnUpTo, time)
    }

    private mutating func draw(
        _ number: Int, from: WallTime, to: WallTime, _ state: HistoryDays.State, onlyBlank: Bool,
        _ clock: inout HouseClock
    ) {
        let end = min(to, until)
        guard from < end else { return }
        switch state {
        case .armed:
            lanes[number].report.armed += end - from
            lanes[number].report.known += end - from
        case .disarmed: lanes[number].report.known += end - from
        case .unknown, .blank: break
        }
        let span = Self.slot.milliseconds
        var time = from
        while time < end {
            lanes[number].report.days.fill(clock.place(time), state, onlyBlank: onlyBlank)
            time = WallTime(milliseconds: (time.milliseconds / span + 1) * span)
        }
    }

    // MARK: What happens in a moment

    private func lane(of event: Event) -> Int {
        guard let partition = event.partition, (1...8).contains(partition) else { return 0 }
        return partition
    }

    mutating func markOpening(_ event: Event, _ place: (day: Int64, minute: Int)) {
        lanes[lane(of: event)].report.days.markOpening(place)
    }

    mutating func markAlarm(_ event: Event, _ place: (day: Int64, minute: Int)) {
        lanes[lane(of: event)].report.days.markAlarm(place)
    }

    mutating func markFault(_ event: Event, _ place: (day: Int64, minute: Int)) {
        lanes[lane(of: event)].report.days.markFault(place)
    }

    // MARK: The end

    /// The house first. With one partition there is one picture of both.
    mutating func finish(_ panel: PanelState, _ clock: inout HouseClock) -> [HistoryReport.Lane] {
        for number in 1...8 {
            let state = panel.partition(number)
            lanes[number].report.name = state?.name ?? lanes[number].report.name
            if lanes[number].isArmed == nil, let last = state?.status.last, last != .notEnabled {
                // Nothing was said of it in all that time: it is what it was.
                lanes[number].isArmed = last.isArmed
                draw(number, from: begin, to: until, last.isArmed ? .armed : .disarmed, onlyBlank: true, &clock)
            } else {
                drawOn(number, to: until, &clock)
            }
        }
        let partitions = lanes.dropFirst().filter { $0.isArmed != nil || $0.report.days.hasMarks }.map(\.report)
        let house = lanes[0].report
        guard partitions.count == 1, var only = partitions.first else {
            return house.days.hasMarks || partitions.isEmpty ? [house] + partitions : partitions
        }
        only.days = only.days.marked(by: house.days)
        return [only]
    }
}
