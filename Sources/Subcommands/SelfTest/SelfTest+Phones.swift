import AlarmModel
import ApplianceCore
import CommandKit
import PhoneLink
import Platform
import Reports

/// The channels to people, and a message to each of them.
extension SelfTest {
    /// A phone that is on and online has a message long before.
    static let receiptPatience: Duration = .seconds(20)

    func phones(_ report: (SelfTestLine) -> Void) {
        do throws(DaemonLinkError) {
            let link = try DaemonLink(stateDirectory: stateDirectory)
            let before = try phonesReport(link)
            guard !before.channels.isEmpty else {
                return report(
                    .failed(
                        "phones", "no channel to people is configured: nobody hears of an alarm",
                        "name one in the configuration, such as 'phones' or 'ntfy'"))
            }
            before.channels.map(Self.channel).forEach(report)
            if let line = Self.audience(before.entries) { report(line) }
            let entries = before.entries
            guard !entries.isEmpty else { return }
            guard sendsPush else { return report(.skipped("phones", "no test message was sent")) }
            try sendTest(before, entries, over: link, report)
        } catch {
            report(.failed("phones", "the daemon does not answer: \(error)", "look at its log"))
        }
    }

    private func phonesReport(_ link: DaemonLink) throws(DaemonLinkError) -> PhonesReport {
        guard case .phones(let report) = try link.ask(.phones(.list)) else {
            throw .unexpected
        }
        return report
    }

    private func sendTest(
        _ before: PhonesReport, _ entries: [PhonesReport.Entry], over link: DaemonLink,
        _ report: (SelfTestLine) -> Void
    ) throws(DaemonLinkError) {
        let begin = SystemClock.bootTime()
        let reply = try link.ask(.phones(.test(phone: nil)))
        if case .error(let why) = reply {
            return report(.failed("phones", why, "'howalarming phones list' shows more"))
        }
        guard case .changed = reply else { throw .unexpected }
        var waiting = entries
        var now = before
        while true {
            now = try phonesReport(link)
            let span = SystemClock.bootTime() - begin
            waiting.removeAll { old in
                guard let new = Self.same(old, in: now), let words = Self.arrival(old, new) else {
                    return false
                }
                report(.passed(Self.subject(old), "\(words) after \(Text.milliseconds(span))"))
                return true
            }
            guard !waiting.isEmpty, span < Self.receiptPatience else { break }
            try link.wait(.milliseconds(200))
        }
        for old in waiting { report(Self.missing(old, Self.same(old, in: now))) }
    }

    /// Addresses of the house have the kind for their id.
    private static func same(_ old: PhonesReport.Entry, in report: PhonesReport) -> PhonesReport.Entry? {
        report.entries.first { $0.id == old.id && $0.name == old.name }
    }

    /// What is to be said of who hears of an alarm at all; nil where somebody is paired.
    static func audience(_ entries: [PhonesReport.Entry]) -> SelfTestLine? {
        if entries.contains(where: { $0.level != .house }) { return nil }
        guard !entries.isEmpty else {
            return .failed(
                "phones", "nobody is paired: nobody hears of an alarm", "'howalarming phones pair' pairs one")
        }
        let places = entries.map { "\($0.id) \(Text.printable($0.name))" }.joined(separator: ", ")
        return .passed("phones", "nobody is paired; alarms go to \(places)")
    }

    static func channel(_ channel: PhonesReport.Channel) -> SelfTestLine {
        let subject = "channel \(channel.kind)"
        if let problem = channel.problem {
            return .failed(subject, problem, "'howalarming phones list' and the log show more")
        }
        switch channel.phase {
        case .connecting, .loggingIn, .waiting:
            let words = "it is not connected (\(channel.phase.rawValue))"
            return .failed(subject, words, "check the network, then the server's name")
        case .stopped, .ready: return .passed(subject, channel.phase.rawValue)
        }
    }

    /// How a message got there, once it did: an app says so itself, of others only the service does.
    static func arrival(_ old: PhonesReport.Entry, _ new: PhonesReport.Entry) -> String? {
        if new.lastReceived != old.lastReceived { return "it has the test message" }
        guard old.level != .app, new.lastAccepted != old.lastAccepted else { return nil }
        return "the service took the test message (nothing comes back by its channel)"
    }

    static func missing(_ old: PhonesReport.Entry, _ new: PhonesReport.Entry?) -> SelfTestLine {
        guard let new else { return .skipped(subject(old), "it was removed meanwhile") }
        let taken = new.lastAccepted != old.lastAccepted
        let found = new.lastError ?? new.note
        return .failed(
            subject(old),
            (taken
                ? "the service took the test message, the phone has not told that it has it"
                : "the test message has not left")
                + (found.map { ": \($0)" } ?? ""),
            taken
                ? "check that the phone is on, online and may receive notices; see 'howalarming phones list' later"
                : old.level == .house
                    ? "see what 'howalarming phones list' says of it, and its section of the configuration"
                    : "check the channels above")
    }

    private static func subject(_ entry: PhonesReport.Entry) -> String {
        switch entry.level {
        case .house: entry.id
        case .app, .account, .topic, .legacy: "phone" + (entry.person.map { " \($0)" } ?? "")
        }
    }
}
