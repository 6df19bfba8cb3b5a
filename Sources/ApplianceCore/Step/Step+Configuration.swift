import AlarmModel

/// A configuration that is read while the box runs.
extension Step {
    /// It was not taken.
    mutating func noteRefused(_ problems: [String]) {
        for problem in problems.prefix(Appliance.problemLimit) { log(LogEntry(.error, problem)) }
        if problems.count > Appliance.problemLimit {
            let more = problems.count - Appliance.problemLimit
            log(LogEntry(.error, "and \(more) more; 'howalarming check' shows all of them"))
        }
        note(
            .fault, .configurationChanged,
            "The new configuration has errors (\(problems.count)) and was not taken; nothing changed. Run 'howalarming check'."
        )
    }

    mutating func take(_ new: Configuration) {
        let changes = new.changes(from: configuration)
        configuration = new
        note(
            .info, .configurationChanged,
            changes.isEmpty
                ? "Configuration read again: nothing changed."
                : "Configuration changed: \(changes.joined(separator: "; ")).")
        log(LogEntry(.notice, "configuration read", changes.map { LogEntry.Field("changed", $0) }))
    }
}
