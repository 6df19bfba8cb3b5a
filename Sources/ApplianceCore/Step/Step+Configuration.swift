import AlarmModel
import PhoneLink

/// The start, and a configuration that is read while the box runs.
extension Step {
    /// - Parameter known: the state that the last run has left
    mutating func begin(_ start: Start, _ known: Snapshot) {
        life = .running
        configuration = start.configuration
        startedAt = now.boot
        bootMark = start.bootMark
        isOffline = start.isOffline
        panel = known.panel
        addresses = known.addresses
        receiver = known.receiver
        watch.start(known.watch ?? [], at: now.boot)
        isMaintenance = known.isMaintenance
        book = start.phoneBook ?? PhoneBook(nextAddress: PhoneBook.firstUnreadAddress)
        isBookReadable = start.phoneBook != nil
    }

    /// It was not taken.
    mutating func noteRefused(_ problems: [String]) {
        for problem in problems.prefix(Configuration.problemLimit) { log(LogEntry(.error, problem)) }
        if problems.count > Configuration.problemLimit {
            let more = problems.count - Configuration.problemLimit
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
