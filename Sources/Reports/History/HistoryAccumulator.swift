import AlarmModel

/// Makes a history of events that are handed over one by one, oldest first. What it holds does not grow with them.
struct HistoryAccumulator {
    private(set) var report: HistoryReport
    private var clock: HouseClock
    private var arming: HistoryArming
    private var troubles: HistoryTroubles
    private var zones: [HistoryReport.Zone?] = Array(repeating: nil, count: 65)
    private var counts: [Int] = Array(repeating: 0, count: Self.counted.count)
    private var unplannedStarts = 0
    private var commands = HistoryPeople()
    private var atPanel = HistoryPeople()
    /// Number and time of the first event; nil before it.
    private var first: (seq: SequenceNumber, time: WallTime)?
    private var hasSeenStart = false

    /// Events about which no number says of which link, channel or phone they tell.
    private static let counted: [(code: EventCode, words: String)] = [
        (.linkLost, "a link was lost"), (.linkSwitched, "another link was taken"),
        (.pushOffline, "a way to phones, or a person, was out of reach"), (.pushRefused, "a message was given up"),
        (.phoneLost, "a phone was not known any more"), (.textMessage, "text messages as the last resort"),
        (.textAnswer, "text messages that came in"), (.call, "telephone calls as the last resort"),
        (.camera, "cameras took pictures, or gave none"), (.safeMode, "started in safe mode"),
        (.seen, "somebody said that an alarm was seen"), (.stick, "something was done with a stick"),
        (.consoleDenied, "wrong PINs at the console"), (.phoneDenied, "a command of a phone was refused"),
    ]

    /// - Parameter days: 1…`HistoryReport.mostDays`, today included
    init(until: WallTime, days: Int, rules: TimeZoneRules, journalFrom: WallTime?) {
        var clock = HouseClock(rules)
        let today = clock.place(until).day
        let first = today - Int64(days) + 1
        let from = Self.midnight(ofDay: first, rules)
        report = HistoryReport(from: from, until: until, rules: rules, journalFrom: journalFrom)
        self.clock = clock
        arming = HistoryArming(
            from: max(from, journalFrom ?? until), until: until, HistoryDays(first: first, count: days))
        troubles = HistoryTroubles(from: from, until: until)
    }

    private static func midnight(ofDay day: Int64, _ rules: TimeZoneRules) -> WallTime {
        let date = CivilTime(secondsSince1970: day * 86_400, offset: 0)
        return rules.wallTime(year: date.year, month: date.month, day: date.day, hour: 0, minute: 0, second: 0)
    }

    /// From where on events are wanted: what was so at the beginning, and which detectors have been silent since.
    var wantedFrom: WallTime { report.from + (.zero - HistoryReport.silence) }

    mutating func take(_ stored: StoredEvent) {
        let event = stored.event
        // What a broken clock or a damaged row dates elsewhere has no place in a picture.
        guard event.time >= wantedFrom, event.time <= report.until else { return }
        let isShown = event.time >= report.from
        if isShown {
            report.events += 1
            if !event.isTimeTrusted { report.untrusted += 1 }
        }
        first = first ?? (stored.seq, event.time)
        if let code = Self.panelCode(event.code) {
            take(event, panelCode: code, isShown)
        } else if let code = EventCode(rawValue: event.code) {
            take(event, code, isShown)
        }
        if event.type == .armed || event.type == .disarmed, let partition = event.partition {
            arming.take(event, partition: partition, isShown, &clock)
        }
        guard isShown else { return }
        mark(event)
        if event.priority == .alarm || event.code == EventCode.test.rawValue { tell(stored) }
    }

    /// nil: it is one of ours.
    private static func panelCode(_ code: String) -> Int? {
        var number = 0
        guard code.utf8.count == 3 else { return nil }
        for digit in code.utf8 {
            guard (48...57).contains(digit) else { return nil }
            number = number * 10 + Int(digit - 48)
        }
        return number
    }

    private mutating func take(_ event: Event, panelCode code: Int, _ isShown: Bool) {
        if let change = HistoryTrouble.change(panelCode: code) { troubles.take(change, of: event) }
        switch code {
        // Its input has moved.
        case 601...604, 609, 610: takeZone(event, isOpening: code == 609 && isShown)
        case 700, 750: if isShown { atPanel.count(event.userName ?? event.user.map { "user \($0)" }) }
        case 701, 751: if isShown { atPanel.count(nil) }
        default: break
        }
    }

    private mutating func takeZone(_ event: Event, isOpening: Bool) {
        guard let number = event.zone, zones.indices.contains(number) else { return }
        var zone = zones[number] ?? HistoryReport.Zone(number: number)
        zone.name = event.zoneName ?? zone.name
        // What was found by a status report happened at an unknown time before.
        if !event.flags.contains(.whileAway) {
            zone.lastHeard = max(zone.lastHeard ?? event.time, event.time)
            if isOpening {
                let place = clock.place(event.time)
                zone.byHour[place.minute / 60] += 1
                zone.opened += 1
                arming.markOpening(event, place)
            }
        }
        zones[number] = zone
    }

    private mutating func take(_ event: Event, _ code: EventCode, _ isShown: Bool) {
        if [.linkLost, .linkRestored, .linksLost, .linkSwitched].contains(code) { troubles.sawLinks() }
        let changes = HistoryTrouble.changes(code, about: event.about)
        for change in changes { troubles.take(change, of: event) }
        if code == .started {
            // The first start of all follows no run; little is noted before it.
            let isFirstOfAll =
                !hasSeenStart && first.map { $0.seq.number == 1 && event.time - $0.time < .minutes(5) } ?? false
            if !troubles.hasStarted(at: event.time), !isFirstOfAll, isShown { unplannedStarts += 1 }
            hasSeenStart = true
        } else if code == .stopped {
            troubles.take(HistoryTrouble.Change(.box, begins: true), of: event)
            arming.setKnown(false, at: event.time, &clock)
        } else if code == .panelOffline || code == .panelOnline {
            arming.setKnown(code == .panelOnline, at: event.time, &clock)
        } else if code == .command, event.type == .command, isShown {
            commands.count(event.userName)
        }
        // An outage that says whose it was is listed.
        guard isShown, !changes.contains(where: { $0.trouble.isNamed }) else { return }
        if let index = Self.counted.firstIndex(where: { $0.code == code }) { counts[index] += 1 }
    }

    private mutating func mark(_ event: Event) {
        guard !event.flags.contains(.repeats), !event.flags.contains(.testAlarm) else { return }
        switch event.type {
        case .alarm: arming.markAlarm(event, clock.place(event.time))
        case .fault: arming.markFault(event, clock.place(event.time))
        case .armed, .disarmed, .command, .info, .response, .recovery, .unknown: break
        }
    }

    private mutating func tell(_ stored: StoredEvent) {
        let event = stored.event
        if report.told.count == HistoryReport.mostTold { report.told.removeFirst() }
        report.told.append(
            HistoryReport.Told(
                seq: stored.seq, time: event.time, isTimeTrusted: event.isTimeTrusted, message: event.message,
                isMaintenance: event.flags.contains(.maintenance)))
    }

    /// - Parameter snapshot: of the house as it is now; nil: nothing is known of it
    mutating func finish(_ snapshot: Snapshot?) -> HistoryReport {
        let panel = snapshot?.panel ?? PanelState()
        report.isMaintenance = snapshot?.isMaintenance ?? false
        report.usage = Array((snapshot?.linkUsage ?? []).prefix(HistoryReport.mostWays))
        report.lanes = arming.finish(panel, &clock)
        for state in panel.zones where zones.indices.contains(state.number) {
            var zone = zones[state.number] ?? HistoryReport.Zone(number: state.number)
            zone.name = state.name ?? zone.name
            // Older than what the journal was asked for.
            zone.lastHeard = [zone.lastHeard, state.lastOpened, state.lastClosed].compactMap { $0 }.max()
            zones[state.number] = zone
        }
        report.zones = zones.compactMap { $0 }.filter { $0.opened > 0 || $0.name != nil }
        let edge = report.until + (.zero - HistoryReport.silence)
        if let begin = report.journalFrom, begin <= edge {
            report.silent = report.zones.filter { zone in zone.lastHeard.map { $0 <= edge } ?? true }
        }
        (report.sums, report.spans, report.spansLeftOut) = troubles.finish()
        report.counts =
            zip(Self.counted, counts).map { HistoryReport.Count(words: $0.words, count: $1) }
            + [HistoryReport.Count(words: "started without having been stopped", count: unplannedStarts)]
        report.counts.removeAll { $0.count == 0 }
        report.commands = commands.list(nobody: "at the box, or by a program there")
        report.atPanel = atPanel.list(nobody: "without a user's code (quick arming, key switch, schedule)")
        return report
    }
}

/// How often each of a few people did something.
struct HistoryPeople {
    private var counts: [String: Int] = [:]
    private var nobody = 0
    private var others = 0

    /// - Parameter name: nil: nobody in particular
    mutating func count(_ name: String?) {
        guard let name else { return nobody += 1 }
        if counts[name] != nil || counts.count < HistoryReport.mostPeople {
            counts[name, default: 0] += 1
        } else {
            others += 1
        }
    }

    /// The most first; of the same by name.
    func list(nobody words: String) -> [HistoryReport.Doing] {
        let named = counts.map { HistoryReport.Doing(who: $0.key, count: $0.value) }
            .sorted { $0.count != $1.count ? $0.count > $1.count : $0.who < $1.who }
        let rest = [HistoryReport.Doing(who: words, count: nobody), HistoryReport.Doing(who: "others", count: others)]
        return named + rest.filter { $0.count > 0 }
    }
}
