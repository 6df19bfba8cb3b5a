import AlarmModel
package import ApplianceCore
import CommandKit
import PhoneProtocol

/// `people list`. Who is a duress contact is shown only when it was asked for (docs/ARCHITECTURE.md 1.6).
package struct PeopleText {
    var people: [PersonReport]
    var showsDuress = false

    package init(people: [PersonReport], showsDuress: Bool = false) {
        self.people = people
        self.showsDuress = showsDuress
    }

    static let warning =
        "This list shows who is told of duress: let nobody read it who must not know, and clear the screen after."

    package var lines: [String] {
        guard !people.isEmpty else {
            return ["nobody yet; add a person with \(Hint.addPerson.with("NAME")), then \(Hint.pair)"]
        }
        let head = row("Name", "Language", "Is told of", showsDuress ? "Duress" : nil, "Phones")
        let rows = people.map { report in
            row(
                Text.printable(report.person.name), Text.printable(report.person.language),
                report.person.receives.map(\.name).joined(separator: ", "),
                showsDuress ? report.person.isDuressContact ? "yes" : "no" : nil,
                report.phones.isEmpty ? "none" : report.phones.map(Text.printable).joined(separator: ", "))
        }
        return (showsDuress ? Text.wrapped(Self.warning, width: 80) : []) + [head] + rows
    }

    private func row(_ name: String, _ language: String, _ classes: String, _ duress: String?, _ phones: String)
        -> String
    {
        var line = Text.cell(name, 18) + " " + Text.cell(language, 8) + " " + Text.cell(classes, 25) + " "
        if let duress { line += Text.cell(duress, 6) + " " }
        return Text.trimmed(line + phones)
    }

    /// One object per person: `name`, `language`, `receives[]`, `phones[]`, and with `--all` `duress`.
    package var json: [String] {
        people.map { report in
            JSON.object([
                "name": .string(report.person.name), "language": .string(report.person.language),
                "receives": .array(report.person.receives.map { .string($0.name) }),
                "phones": .array(report.phones.map(JSON.string)),
                "duress": showsDuress ? .bool(report.person.isDuressContact) : nil,
            ]).text
        }
    }
}
