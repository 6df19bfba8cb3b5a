import AlarmModel
import ApplianceCore
import PhoneLink

/// Programs of the house: run for events, or reached by a work queue.
extension ConfigurationReading {
    /// `hooks`: programs that a unit of its own runs.
    mutating func readHooks(_ section: ConfigurationSection) {
        let triggers = triggers(
            section["triggers"], otherwise: [.armed, .disarmed, .alarm, .recovery, .fault])
        var hooks = ProgramSettings()
        if let field = section["socket"], let path = socket(field) { hooks.socket = path }
        if let field = section["time_limit"], let span = duration(field, in: .seconds(1) ... .minutes(5)) {
            hooks.timeLimit = span
        }
        guard let field = section["programs"] else {
            return missing(
                "programs", in: section, "'hooks' has no programs",
                expected: "'programs' in 'hooks': names of programs in /etc/howalarming/hooks")
        }
        let fields = values(field)
        if fields.isEmpty {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' is an empty list",
                expected: "names of programs in /etc/howalarming/hooks")
        }
        for entry in fields {
            guard case .mapping = entry.value.content else {
                if let name = program(entry) { addProgram(name, triggers, entry) }
                continue
            }
            guard
                let section = self.section(
                    entry.value, path: entry.path, place: entry.place, known: ConfigurationKeys.hookEntry)
            else { continue }
            let own = self.triggers(section["triggers"], otherwise: triggers)
            guard let field = section["program"] else {
                report(
                    at: entry.place, section.path(of: "program"), "an entry of '\(entry.path)' has no program",
                    expected: "a key 'program'")
                continue
            }
            if let name = program(field) { addProgram(name, own, field) }
        }
        draft.phones.ways.append(.program(hooks))
    }

    private mutating func addProgram(
        _ name: String, _ triggers: [EventType], _ field: ConfigurationSection.Field
    ) {
        addTarget(.program, name, triggers, called: "the program '\(name)'", by: field)
    }

    /// A name, not a path: the unit runs nothing outside of its directory.
    private mutating func program(_ field: ConfigurationSection.Field) -> String? {
        let expected = "the name of a program in /etc/howalarming/hooks, without a path"
        guard let text = text(field, expected: expected) else { return nil }
        guard ProgramAnswer.isProgramName(text) else {
            report(
                at: place(ofValue: field), field.path, "'\(field.path)' holds no name of a program", expected: expected)
            return nil
        }
        return text
    }

    private mutating func socket(_ field: ConfigurationSection.Field) -> String? {
        let expected = "the path of the socket of howalarming-hook.socket, at most 107 bytes, beginning with a slash"
        guard let text = text(field, expected: expected) else { return nil }
        guard text.hasPrefix("/"), text.utf8.count <= 107, !text.unicodeScalars.contains(where: Self.isControl) else {
            report(at: place(ofValue: field), field.path, "'\(field.path)' holds no such path", expected: expected)
            return nil
        }
        return text
    }
}
