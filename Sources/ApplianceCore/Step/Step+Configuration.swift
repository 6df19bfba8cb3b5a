import AlarmModel
import PhoneLink

/// A configuration that is read while the box runs.
extension Step {
    /// It was not taken.
    mutating func noteRefused(_ problems: [String]) {
        for problem in problems.prefix(Appliance.problemLimit) { log(LogEntry(.error, problem)) }
        if problems.count > Appliance.problemLimit {
            let more = problems.count - Appliance.problemLimit
            log(LogEntry(.error, "and \(more) more; \(Hint.check) shows all of them"))
        }
        note(
            .fault, .configurationChanged,
            "The new configuration has errors (\(problems.count)) and was not taken; nothing changed. Run \(Hint.check)."
        )
    }

    /// What the configuration asks for and this version does not do any more.
    mutating func noteWithdrawn(since old: [PhoneSettings.HouseVerbs] = []) {
        for verbs in configuration.phones.houseVerbs where !old.contains(verbs) {
            guard let withdrawn = verbs.withdrawn, !withdrawn.isEmpty else { continue }
            let words = withdrawn.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            note(
                .fault, .configurationChanged,
                "The configuration allows \(words) by \(verbs.channel.words), which is not done any more as it is written there: "
                    + "\(Hint.check) names the line, and what to write.")
        }
    }

    mutating func take(_ new: Configuration) {
        let old = configuration
        let changes = new.changes(from: old)
        configuration = new
        note(
            .info, .configurationChanged,
            changes.isEmpty
                ? "Configuration read again: nothing changed."
                : "Configuration changed: \(changes.joined(separator: "; ")).")
        noteWithdrawn(since: old.phones.houseVerbs)
        log(LogEntry(.notice, "configuration read", changes.map { LogEntry.Field("changed", $0) }))
    }
}
