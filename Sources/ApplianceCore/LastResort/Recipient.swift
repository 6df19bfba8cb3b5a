import AlarmModel
import Uplinks

/// Recipient of texts or of calls: a person whose name stands before numbers, or a number without a name.
///
/// Guarantees: what one recipient confirms, or is sent too often, changes nothing for the others.
struct Recipient: Codable, Equatable, Sendable {
    /// Name before the numbers, which the phone book may not have; nil: none.
    var name: String?
    var alarm: TextAlarm

    private enum CodingKeys: String, CodingKey { case name, alarm }

    /// For the journal.
    var words: String {
        name ?? "the number that ends with \(alarm.settings.numbers.first?.suffix(4) ?? "")"
    }

    func has(_ number: String) -> Bool { alarm.settings.numbers.contains(number) }

    /// Person of the phone book; nil: nobody of it.
    func owner(in book: PhoneBook) -> PersonID? { name.flatMap { book.person(named: $0) }?.id }
}

/// Settings of one recipient.
struct RecipientSettings {
    /// Name before the numbers; nil: none.
    var name: String?
    var settings: TextAlarmSettings

    /// Numbers of one name are one recipient's; a number without a name is a recipient by itself.
    static func all(of settings: TextAlarmSettings?, _ people: [PersonNumber]) -> [RecipientSettings] {
        guard let settings else { return [] }
        var all: [RecipientSettings] = []
        for number in settings.numbers {
            let name = people.first { $0.number == number }?.name
            if let name, let index = all.firstIndex(where: { $0.name?.lowercased() == name.lowercased() }) {
                all[index].settings.numbers.append(number)
            } else {
                var own = settings
                own.numbers = [number]
                if settings.isOneByOne == true { own.turns = settings.numbers.count }
                all.append(RecipientSettings(name: name, settings: own))
            }
        }
        return all
    }

    /// True if both have the same name, or, without a name, the same number.
    func isOf(_ recipient: Recipient) -> Bool {
        guard let name, let other = recipient.name else {
            return name == nil && recipient.name == nil && isAtNumber(of: recipient)
        }
        return name.lowercased() == other.lowercased()
    }

    func isAtNumber(of recipient: Recipient) -> Bool { settings.numbers.contains { recipient.has($0) } }
}

extension LastResort {
    /// Recipients become those of the settings. What waits for one who stays goes on; one who is new gets what waits for
    /// the others.
    mutating func follow(_ kind: Kind, _ step: inout Step) {
        var before = self[kind]
        let known = before.first?.alarm
        var after: [Recipient] = []
        for settings in step.recipients(of: kind) {
            let place = before.firstIndex { settings.isOf($0) } ?? before.firstIndex { settings.isAtNumber(of: $0) }
            if let place {
                var recipient = before.remove(at: place)
                recipient.name = settings.name
                after.append(recipient)
            } else {
                let first = TextID(nextRecipient << 32 | 1)
                nextRecipient += 1
                let alarm =
                    known?.copy(for: settings.settings, firstID: first, at: step.now)
                    ?? TextAlarm(settings: settings.settings, firstID: first, at: step.now)
                after.append(Recipient(name: settings.name, alarm: alarm))
            }
        }
        self[kind] = after
        renew(kind, &step)
    }

    /// A person's language may be another one by now.
    mutating func renew(_ kind: Kind, _ step: inout Step) {
        let all = step.recipients(of: kind)
        drive(kind, &step) { recipient, now, actions in
            guard let own = all.first(where: { $0.isOf(recipient) }) else { return }
            recipient.alarm.change(own.settings, at: now, into: &actions)
        }
    }

    /// A text or a call that is under way.
    func called(_ id: TextID, _ kind: Kind) -> TextAlarm.UnderWay? {
        self[kind].lazy.compactMap { $0.alarm.called(id) }.first
    }

    /// For which recipients it counts what a service took for a person, nil for nobody of the phone book: for that person,
    /// and for whoever no channel leads to.
    func isFor(_ person: PersonID?, _ step: Step) -> (Recipient) -> Bool {
        guard !texts.isEmpty || !calls.isEmpty else { return { _ in false } }
        let book = step.book
        let reached = step.routesToPeople.compactMap(\.person)
        return { recipient in
            guard let owner = recipient.owner(in: book), reached.contains(owner) else { return true }
            return owner == person
        }
    }

    /// Different alarms that wait for some recipient.
    func waitingCount(_ kind: Kind) -> Int { Set(self[kind].flatMap(\.alarm.waitingAlarms).map(\.number)).count }
}

extension Step {
    func recipients(of kind: LastResort.Kind) -> [RecipientSettings] {
        switch kind {
        case .texts: RecipientSettings.all(of: textSettings, configuration.texts?.people ?? [])
        case .calls: RecipientSettings.all(of: callSettings, configuration.calls?.people ?? [])
        }
    }

    /// Ways to people; original apps only while they are served.
    var routesToPeople: [OutboxRoute] {
        var book = book
        if !configuration.phones.isLegacyEnabled { book.legacyPhones = [] }
        return OutboxRoute.all(in: book, channels: channels).filter(\.leadsToPeople)
    }
}
