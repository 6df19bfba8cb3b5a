package import AlarmModel
package import ApplianceCore
package import CommandKit
import PhoneLink

/// What `status` says about phones, most important first.
package struct PhonesStatus {
    package struct Line {
        package enum Content {
            case text(String)
            /// Shortened to what fits.
            case names([String])
        }
        package var label: String
        package var content: Content
        package var paint: Paint?
    }

    var report: PhonesReport
    var now: WallTime
    var rules: TimeZoneRules

    package init(report: PhonesReport, now: WallTime, rules: TimeZoneRules) {
        self.report = report
        self.now = now
        self.rules = rules
    }

    static let nothing = "none; put 'ntfy' into the configuration, then \(Hint.pair)"

    /// There is neither an account nor anybody to be told.
    var isUnused: Bool {
        report.connection == .off && report.entries.isEmpty && report.pendingTokens.isEmpty && report.pairing == nil
            && report.problem == nil
    }

    /// `detail` 0: one line, the most important things in it.
    package func lines(_ detail: Int) -> [Line] {
        guard !isUnused else { return [Line(label: "Phones", content: .text(Self.nothing), paint: nil)] }
        var lines: [Line] = []
        let paint: Paint? = report.overdue > 0 ? .red : problem != nil ? .yellow : nil
        guard detail > 0 else {
            var text = report.overdue > 0 ? "\(overdueWords); \(summary)" : summary
            if problem != nil { text += "; see \(Hint.phones)" }
            return [Line(label: "Phones", content: .text(text), paint: paint)]
        }
        lines.append(Line(label: "Phones", content: .text(summary), paint: problem == nil ? nil : .yellow))
        if report.overdue > 0 {
            lines.append(Line(label: "", content: .text("\(overdueWords): call the people yourself"), paint: .red))
        }
        if let problem { lines.append(Line(label: "", content: .text(problem), paint: .yellow)) }
        if let legacyWarning { lines.append(Line(label: "", content: .text(legacyWarning), paint: .yellow)) }
        let named = report.entries.map { entry in
            let note = entry.note.map { " (\(Text.printable($0)))" } ?? ""
            return "\(Text.printable(entry.name)) \(Self.delivery(entry, now: now, rules: rules))\(note)"
        }
        if !named.isEmpty { lines.append(Line(label: "Delivery", content: .names(named), paint: nil)) }
        if let pairing = report.pairing {
            lines.append(Line(label: "Pairing", content: .text(Text.printable(pairing)), paint: .yellow))
        }
        if !report.pendingTokens.isEmpty {
            let count = report.pendingTokens.count
            let text = "\(Text.count(count, "original app")) to be let in: see \(Hint.phones)"
            lines.append(Line(label: "", content: .text(text), paint: nil))
        }
        return lines
    }

    private var overdueWords: String {
        "OVERDUE: \(Text.count(report.overdue, "alarm")) that no phone has confirmed"
    }

    private var summary: String {
        let phones = report.entries.count { $0.level != .house }
        let hasNone = phones == 0 && report.connection == .off
        var parts = hasNone ? [Self.nothing] : [Text.count(phones, "phone"), connection]
        if !houseKinds.isEmpty { parts.append("also told: \(houseKinds.joined(separator: ", "))") }
        if report.waiting > 0 { parts.append("\(report.waiting) waiting") }
        if report.dead > 0 { parts.append("\(report.dead) given up (\(Hint.dead))") }
        if report.expired > 0 { parts.append("\(report.expired) expired") }
        return parts.joined(separator: "; ")
    }

    /// Kinds of the house's own addresses, each once: `mail`, `tube`.
    private var houseKinds: [String] {
        var kinds: [String] = []
        for entry in report.entries where entry.level == .house && !kinds.contains(entry.id) { kinds.append(entry.id) }
        return kinds.map { Text.printable($0) }
    }

    /// `ready, push.example.net:5235`
    package var connection: String {
        let server = report.server.map { ", \(Text.printable($0))" } ?? ""
        switch report.connection {
        case .noDaemon: return "no daemon runs here: whether messages arrive is not known"
        case .off: return "off: no channel to phones is configured; ntfy needs no account"
        case .channel(let phase): return "\(phase.rawValue)\(server)"
        }
    }

    /// The problem of the connection, or what is known of Google's service while it does not work.
    package var problem: String? {
        let isGoogle = report.server.map { GoogleXMPP.isAt(Self.host(of: $0)) } ?? false
        let notice =
            isGoogle && report.connection != .channel(.ready)
            ? "\(GoogleXMPP.ended); name another server in phones.fcm.host" : nil
        let parts = [report.problem.map(Text.printable), notice].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    /// A server may come with its port.
    private static func host(of server: String) -> String {
        let parts = server.split(separator: ":", omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : server
    }

    /// While an original app may disarm.
    package var legacyWarning: String? {
        let count = report.entries.count { $0.level == .legacy && $0.roles.contains("disarm") }
        guard count > 0 else { return nil }
        return "\(Text.count(count, "original app")) may disarm without a signature: pair the phone, then "
            + "\(Hint.disapprove)"
    }

    /// What became of the newest message.
    package static func delivery(_ entry: PhonesReport.Entry, now: WallTime, rules: TimeZoneRules) -> String {
        switch (entry.lastReceived, entry.lastAccepted) {
        case (let received?, let accepted) where received >= accepted ?? received:
            "received \(time(received, now: now, rules: rules))"
        case (_, let accepted?) where entry.givesReceipts: "sent \(time(accepted, now: now, rules: rules)), no receipt"
        case (_, let accepted?): "accepted \(time(accepted, now: now, rules: rules)) (this channel gives no receipts)"
        default: "nothing since the start"
        }
    }

    /// The time alone on the same day, else the date alone.
    static func time(_ time: WallTime, now: WallTime, rules: TimeZoneRules) -> String {
        let (text, today) = (rules.civilTime(at: time).text, rules.civilTime(at: now).text)
        return String(text.prefix(10) == today.prefix(10) ? text.suffix(8) : text.prefix(10))
    }
}

extension PhonesReport.Entry {
    /// Whether the other end says that a message has arrived.
    var givesReceipts: Bool {
        switch level {
        case .app: true
        case .account, .topic, .legacy, .house: false
        }
    }
}
