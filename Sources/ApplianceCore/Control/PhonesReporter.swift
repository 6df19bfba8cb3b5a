import AlarmModel
import PhoneLink
import PhoneProtocol

/// What the box remembers of a phone's speaking, for lists.
struct PhoneStanding {
    var lastHeard: WallTime?
    var isLocked: Bool
    var isResync: Bool
}

/// Puts the list of phones, contacts and the house's own addresses together, as `phones list` and `status` show it.
struct PhonesReporter {
    let step: Step
    let lines: [OutboxReport]
    let standing: (PhoneID) -> PhoneStanding?
    let areCodesLocked: (PersonID) -> Bool

    var entries: [PhonesReport.Entry] {
        step.book.phones.map { entry($0, lines) } + step.book.legacyPhones.map { entry($0, lines) }
            + step.book.contacts.map { entry($0, lines) } + step.book.house.map { entry($0, lines) }
    }

    private func entry(_ phone: Phone, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: phone.id.description, name: phone.name, person: step.book.person(phone.person)?.name, level: .app,
            roles: phone.roles.names)
        take(lines.filter { line in phone.addresses.contains { $0.id == line.address } }, into: &entry)
        let standing = standing(phone.id)
        entry.lastHeard = standing?.lastHeard
        entry.passkey = phone.passkey
        var notes: [String] = []
        if !phone.isHeard { notes.append("paired, not heard yet") }
        if phone.isSuspended { notes.append("suspended: its commands are refused until \(Hint.lift)") }
        if standing?.isLocked ?? false { notes.append("locked for a while after bad signatures") }
        if standing?.isResync ?? false { notes.append("its count was lost; the next command sets it anew") }
        if !phone.hasPresenceKey, !phone.key1Suffices { notes.append("no screen lock: it cannot disarm") }
        if phone.key1Suffices { notes.append("paired without presence: whoever holds it unlocked can disarm") }
        for address in phone.addresses {
            if case .gone(let why) = address.state { notes.append("cannot be reached: \(why)") }
            if !step.isOffline, step.place(of: address) == nil { notes.append("an address that this box cannot use") }
        }
        entry.note = notes.isEmpty ? nil : notes.joined(separator: "; ")
        return entry
    }

    private func entry(_ phone: LegacyPhone, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: String(phone.token.prefix(12)),
            name: phone.isTopic ? "topic newclient" : "original app", person: nil, level: .legacy,
            roles: phone.allowed.map(\.rawValue))
        take(lines.filter { $0.address == phone.address }, into: &entry)
        var notes: [String] = []
        if !step.isOffline, !step.configuration.phones.isLegacyEnabled { notes.append("legacy mode is off") }
        if phone.isGone { notes.append("cannot be reached any more") }
        if !step.isOffline, !step.channels.contains(.ccs) {
            if phone.allowed.contains(where: { $0.command != nil }) { notes.append("may only ask without 'alert_gcm'") }
        } else if phone.allowed.contains(.disarm) {
            notes.append("unsigned messages can disarm this house")
        }
        entry.note = notes.isEmpty ? nil : notes.joined(separator: "; ")
        return entry
    }

    private func entry(_ contact: Contact, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: contact.shownAddress, name: contact.name,
            person: step.book.person(contact.person)?.name, level: contact.kind == .topic ? .topic : .account,
            roles: contact.allowed.map(\.rawValue))
        take(lines.filter { $0.address == contact.address }, into: &entry)
        var notes: [String] = []
        if case .gone(let why) = contact.state { notes.append("cannot be reached: \(why)") }
        if !step.isOffline, ChannelKind.carrying(contact.kind, of: step.channels) == nil {
            notes.append("its channel is not configured")
        }
        if contact.kind == .topic, !step.isOffline, contact.allowed.contains(.disarm),
            !step.configuration.phones.mayPress(.disarm, contact)
        {
            notes.append("no disarm button: ntfy.trusted is not set any more")
        }
        if contact.tellsArming { notes.append("arming is told there in clear") }
        if contact.kind == .xmpp, step.book.codes(of: contact.person) != nil {
            notes.append("with one-time codes")
        } else if contact.allowed.contains(.disarm) {
            notes.append("unsigned messages can disarm this house")
        }
        if areCodesLocked(contact.person) {
            notes.append("its codes are locked for a while after wrong ones")
        }
        entry.note = notes.isEmpty ? nil : notes.joined(separator: "; ")
        return entry
    }

    private func entry(_ house: HouseAddress, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: house.kind.rawValue, name: house.shownValue, person: nil, level: .house,
            roles: house.triggers.map(\.rawValue))
        take(lines.filter { $0.address == house.address }, into: &entry)
        return entry
    }

    private func take(_ lines: [OutboxReport], into entry: inout PhonesReport.Entry) {
        entry.waiting = lines.reduce(0) { $0 + $1.waiting }
        entry.overdue = lines.reduce(0) { $0 + $1.overdue }
        entry.lastAccepted = lines.compactMap(\.lastAccepted).max()
        entry.lastReceived = lines.compactMap(\.lastReceived).max()
        entry.lastError = lines.compactMap(\.lastError).first
    }
}
