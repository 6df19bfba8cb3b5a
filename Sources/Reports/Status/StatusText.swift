package import AlarmModel
package import ApplianceCore
import CommandKit
import PanelLink
import Uplinks

/// The status on one screen: at most 80 columns and 23 lines.
package struct StatusText {
    var view: StatusView
    var rules: TimeZoneRules
    var colours = false

    package init(view: StatusView, rules: TimeZoneRules, colours: Bool = false) {
        self.view = view
        self.rules = rules
        self.colours = colours
    }

    private static let width = 80
    private static let height = 23
    private static let labelWidth = 12

    /// Lists get two lines where there is room, one where there is not.
    package var lines: [String] {
        let roomy = lines(perList: 2, phones: 2)
        guard roomy.count > Self.height else { return roomy }
        let narrow = lines(perList: 1, phones: 1)
        guard narrow.count > Self.height else { return narrow }
        let tight = lines(perList: 1, phones: 0)
        // On the worst day of all the panel's problem is cut to make room for the phones.
        return tight.count <= Self.height ? tight : lines(perList: 1, phones: 0, perProblem: 1)
    }

    private func lines(perList: Int, phones: Int, perProblem: Int? = nil) -> [String] {
        // One by one: Swift 6.0 gives up on the type of a long sum.
        // First of all: what nobody may overlook.
        let untold = UntoldText.line(view.phones, now: view.time, rules: rules)
        var lines = untold.map { list("", $0, perList, indent: false).map { paint($0, .red) } } ?? []
        lines.append(header)
        lines += panelLines(perProblem ?? perList + 1)
        lines += partitionLines
        lines += scheduleLines(perList)
        lines += presenceLines(perList)
        lines += zoneLines(perList)
        lines += troubleLines(perList)
        lines += powerLines(phones)
        lines += storeLines(perList)
        lines += linkLines(perList)
        lines += phoneLines(phones)
        lines += watchLines(phones)
        lines += callLines(phones)
        lines += cameraLines(perList)
        lines += updateLines(perList)
        lines.append(lastLine)
        return lines
    }

    private var header: String {
        let time = rules.civilTime(at: view.time).text
        let trust = (view.daemon?.isTimeTrusted ?? true) ? time : "\(time) (clock not trusted)"
        let name = Text.printable(view.daemon?.siteName ?? "No daemon runs here")
        let left = Text.fitted(name, to: Self.width - trust.count - 2)
        return Text.padded(left, to: Self.width - trust.count) + trust
    }

    private func panelLines(_ limit: Int) -> [String] {
        guard let daemon = view.daemon else {
            return ["Panel       not connected: everything below is stale, from the journal"]
        }
        var text = "\(PanelText.word(daemon.phase)), \(Text.printable(daemon.host))"
        var lines: [String] = []
        switch view.panel.link {
        case .up: break
        case .resynchronising: text += "; what is not confirmed yet is stale"
        case .down: lines = [label("") + "everything below is stale since the link was lost, or unknown"]
        }
        let first = paint(Text.fitted(label("Panel") + text, to: Self.width), view.panel.link == .up ? nil : .yellow)
        if let problem = daemon.problem { lines += list("Problem", Text.printable(problem), limit) }
        return [first] + lines
    }

    private var partitionLines: [String] {
        guard !view.panel.partitions.isEmpty else { return ["Partitions  unknown: the panel has not told any"] }
        let head = Self.row("Partition", "State", "Trouble", "Chime", "Changed by")
        return [head]
            + view.panel.partitions.filter { $0.status.last != .notEnabled }.map { partition in
                let line = Self.row(
                    "\(partition.number) \(Text.printable(partition.name ?? ""))", PartitionText.state(partition),
                    Self.word(partition.trouble, "trouble", "none"), Self.word(partition.chime, "on", "off"),
                    PartitionText.changedBy(partition))
                return paint(line, PartitionText.paint(partition))
            }
    }

    private static func row(_ name: String, _ state: String, _ trouble: String, _ chime: String, _ by: String) -> String
    {
        Text.trimmed(
            Text.cell(name, 18) + " " + Text.cell(state, 28) + " " + Text.cell(trouble, 9) + " " + Text.cell(chime, 8)
                + " " + Text.cell(by, 13))
    }

    private static func word(_ reading: Reading<Bool>, _ yes: String, _ no: String) -> String {
        switch reading {
        case .unknown: "unknown"
        case .known(let value): value ? yes : no
        case .stale(let value): (value ? yes : no) + "?"
        }
    }

    private func zoneLines(_ limit: Int) -> [String] {
        let zones = view.panel.zones
        guard !zones.isEmpty else { return ["Zones       unknown: the panel has not told any"] }
        var lines = zoneList("Open", \.open, limit, paint: nil, always: true)
        let inAlarm = view.panel.zonesInAlarm.map { ZoneText.name($0) + ($0.alarm.current == nil ? "?" : "") }
        if !inAlarm.isEmpty { lines += names("In alarm", inAlarm, limit, paint: .red) }
        lines += zoneList("Bypassed", \.bypassed, limit, paint: .yellow)
        lines += faultLines(limit)
        // A module reports 64 zones whatever is wired to it: unknown is worth a word where the owner named the zone.
        let unknown = zones.filter { $0.open == .unknown && $0.name != nil }
        if !unknown.isEmpty {
            lines += names("Unknown", unknown.map { ZoneText.name($0) }, limit, paint: nil)
        }
        return lines + temperatureLines(limit)
    }

    private func temperatureLines(_ limit: Int) -> [String] {
        let read = view.panel.system.temperatures.map { "\($0.place.rawValue) \($0.thermostat): \($0.degrees)°" }
        return read.isEmpty ? [] : names("Temperature", read, limit, paint: nil)
    }

    private func zoneList(
        _ title: String, _ member: KeyPath<ZoneState, Reading<Bool>>, _ limit: Int, paint: Paint?, always: Bool = false
    ) -> [String] {
        let found = view.panel.zones.filter { $0[keyPath: member].last == true }
        guard !found.isEmpty else {
            guard always else { return [] }
            let isKnown = view.panel.zones.contains { $0[keyPath: member] != .unknown }
            return [label(title) + (isKnown ? "none" : "unknown")]
        }
        let shown = found.map { zone in
            ZoneText.name(zone) + (zone[keyPath: member].current == nil ? "?" : "")
        }
        return names(title, shown, limit, paint: paint)
    }

    /// One line for each kind of fault; where there is no room, all kinds in one, as counts.
    private func faultLines(_ limit: Int) -> [String] {
        let kinds: [(title: String, member: KeyPath<ZoneState, Reading<Bool>>)] = [
            ("Tampered", \.tamper), ("Faulty", \.fault), ("Low battery", \.lowBattery),
        ]
        let lines = kinds.map { zoneList($0.title, $0.member, limit, paint: .yellow) }.filter { !$0.isEmpty }
        guard limit == 1, lines.count > 1 else { return lines.flatMap { $0 } }
        let counts = kinds.compactMap { kind -> String? in
            let count = view.panel.zones.filter { $0[keyPath: kind.member].last == true }.count
            return count == 0 ? nil : "\(count) \(kind.title.lowercased())"
        }
        return [paint(cut(label("Zone faults") + counts.joined(separator: ", ")), .yellow)]
    }

    private func troubleLines(_ limit: Int) -> [String] {
        let readings = view.panel.system.readings
        let found = readings.filter { $0.health.last == .trouble }
        var words = found.map { TroubleText.word($0.trouble) + ($0.health.current == nil ? "?" : "") }
        if view.panel.system.isInstallerMode { words.append("the installer works on the panel") }
        if words.isEmpty {
            let isKnown = readings.contains { $0.health != .unknown }
            return [label("Troubles") + (isKnown ? "none known" : "unknown")]
        }
        return names("Troubles", words, limit, paint: .yellow)
    }

    private func powerLines(_ limit: Int) -> [String] {
        guard limit > 0, let line = view.power.line else { return [] }
        return list("Power", line, limit).map { paint($0, view.power.isWell ? nil : .yellow) }
    }

    private func storeLines(_ limit: Int) -> [String] {
        let store = view.store
        var text = store.lastSequence == .zero ? "no event yet" : "last event \(store.lastSequence.number)"
        if store.waitingEvents > 0 { text += ", \(store.waitingEvents) waiting" }
        if store.droppedEvents > 0 { text += ", \(store.droppedEvents) DROPPED" }
        let lines = [Text.fitted(label("Store") + text, to: Self.width)]
        guard let problem = store.problem else { return lines }
        return lines + list("", "FAILING: " + Text.printable(problem), limit).map { paint($0, .red) }
    }

    /// How long it takes from a line of the panel to the disk; nothing before the first event.
    package static func writing(_ store: StoreReport) -> [String] {
        guard let latency = store.latency else { return [] }
        let spans = "half within \(Text.milliseconds(latency.p50)), 99 of 100 within \(Text.milliseconds(latency.p99))"
        return [
            Text.padded("Writing", to: labelWidth) + "a line is on the disk: \(spans), longest "
                + Text.milliseconds(latency.max)
        ]
    }

    private func phoneLines(_ limit: Int) -> [String] {
        guard let phones = view.phones else { return [] }
        return PhonesStatus(report: phones, now: view.time, rules: rules).lines(limit).map { line in
            switch line.content {
            case .text(let text): return list(line.label, text, max(1, limit)).map { paint($0, line.paint) }
            case .names(let all): return names(line.label, all, max(1, limit), paint: line.paint)
            }
        }.flatMap { $0 }
    }

    /// Without configured links there is nothing that could be said.
    private func linkLines(_ limit: Int) -> [String] {
        guard let report = view.links, !report.links.isEmpty else { return [] }
        let isWell = report.links.contains { $0.isActive && $0.state == .up }
        var lines = list("Links", LinksText.summary(report.links), limit).map { paint($0, isWell ? nil : .yellow) }
        if let problem = report.modem?.problem { lines += list("", "modem: \(problem)", 1).map { paint($0, .yellow) } }
        return lines
    }

    /// What is wrong with the clock, and with the sign of life to a service outside. Where there is no room, the first
    /// line has to do for the clock.
    private func watchLines(_ limit: Int) -> [String] {
        guard let daemon = view.daemon else { return [] }
        var lines: [String] = []
        if limit > 0, let problem = daemon.clockProblem {
            lines += list("Clock", "not trusted, so times have a ?: \(Text.printable(problem))", limit).map {
                paint($0, .yellow)
            }
        }
        guard let deadManPing = daemon.deadManPing else { return lines }
        let last = deadManPing.lastAnswered.map { PhonesStatus.time($0, now: view.time, rules: rules) } ?? "never"
        guard let problem = deadManPing.problem, deadManPing.misses > 0 else {
            guard limit > 0 else { return lines }
            return lines + list("Heartbeat", "\(Text.printable(deadManPing.place)), answered \(last)", 1)
        }
        let text = "FAILING (\(deadManPing.misses) in a row, answered \(last)): \(Text.printable(problem))"
        return lines + list("Heartbeat", text, max(1, limit)).map { paint($0, .yellow) }
    }

    private func updateLines(_ limit: Int) -> [String] {
        guard limit > 0, let updates = view.daemon?.updates else { return [] }
        return list("Updates", UpdatesText.line(updates), limit).map {
            paint($0, updates.problem == nil ? nil : .yellow)
        }
    }

    private func scheduleLines(_ limit: Int) -> [String] {
        guard limit > 0, let armings = view.daemon?.schedule, !armings.isEmpty else { return [] }
        let text = HouseholdText.schedule(armings, in: view.panel, rules: rules)
        return list("Schedule", text + "; 'disarm' before then declines it", limit).map { paint($0, .yellow) }
    }

    private func presenceLines(_ limit: Int) -> [String] {
        guard limit > 0, let presence = view.daemon?.presence else { return [] }
        return list("At home", HouseholdText.presence(presence), 1)
    }

    /// One for each camera that gives no picture; else one for all.
    private func cameraLines(_ limit: Int) -> [String] {
        guard limit > 0, let cameras = view.daemon?.cameras, !cameras.isEmpty else { return [] }
        let broken = cameras.filter { $0.problem != nil }
        guard broken.isEmpty else {
            let words = broken.map { "\($0.name): \(Text.printable($0.problem ?? ""))" }.joined(separator: "; ")
            return list("Cameras", words, limit).map { paint($0, .yellow) }
        }
        let last = cameras.compactMap(\.lastPicture).max().map {
            "last picture \(PhonesStatus.time($0, now: view.time, rules: rules))"
        }
        return list("Cameras", "\(cameras.map(\.name).joined(separator: ", ")); \(last ?? "no picture yet")", limit)
    }

    private func callLines(_ limit: Int) -> [String] {
        guard limit > 0, let calls = view.daemon?.calls else { return [] }
        let names = calls.names.map { Text.printable($0) }.joined(separator: ", ")
        if let problem = calls.problem {
            return list("Calls", "\(names): FAILING, \(Text.printable(problem))", limit).map { paint($0, .yellow) }
        }
        let waiting = calls.waiting > 0 ? "; \(Text.count(calls.waiting, "alarm")) that nobody has confirmed yet" : ""
        let last = calls.lastTaken.map { "last call \(PhonesStatus.time($0, now: view.time, rules: rules))" }
        return list(
            "Calls",
            "\(names) by \(Text.printable(calls.place)); \(last ?? "none yet")\(waiting)"
                + (calls.hasKeys ? "" : "; no key is heard"), limit)
    }

    private var lastLine: String {
        let maintenance = view.isMaintenance ? "MAINTENANCE ON (nobody is notified)" : "maintenance off"
        guard let daemon = view.daemon else { return label("Daemon") + "none; \(maintenance) at the end" }
        let text =
            "\(daemon.version), up \(Text.span(daemon.uptime)), \(Text.count(daemon.clients, "client")); \(maintenance)"
        return paint(Text.fitted(label("Daemon") + text, to: Self.width), view.isMaintenance ? .yellow : nil)
    }

    private func label(_ title: String) -> String { Text.padded(title, to: Self.labelWidth) }

    private func paint(_ line: String, _ paint: Paint?) -> String { Paint.painted(line, paint, isOn: colours) }

    /// A text of at most `limit` lines.
    private func list(_ title: String, _ text: String, _ limit: Int, indent: Bool = true) -> [String] {
        let lines = Text.wrapped(text, width: Self.width, label: indent ? label(title) : "")
        guard lines.count > limit, let last = lines.prefix(limit).last else { return lines.map { cut($0) } }
        return lines.prefix(limit - 1).map { cut($0) } + [cut(last + " …")]
    }

    private func cut(_ line: String) -> String { Text.fitted(line, to: Self.width) }

    /// As many names as fit into `limit` lines; then how many there are in all.
    private func names(_ title: String, _ all: [String], _ limit: Int, paint colour: Paint?) -> [String] {
        var shown = all.count
        var lines = wrap(title, all, shown)
        while lines.count > limit, shown > 1 {
            shown -= 1
            lines = wrap(title, all, shown)
        }
        return lines.prefix(limit).map { paint(cut($0), colour) }
    }

    private func wrap(_ title: String, _ all: [String], _ shown: Int) -> [String] {
        var text = all.prefix(shown).joined(separator: ", ")
        if shown < all.count { text += " … (\(all.count) in all)" }
        return Text.wrapped(text, width: Self.width, label: label(title))
    }
}
