import AlarmModel
import PhoneLink
import PhoneProtocol

/// The phones' part of `status`, and what time brings.
extension Appliance {
    func phonesReport(at now: Moment) -> PhonesReport {
        let first = (hall.way(.ccs) ?? hall.ways.indices.first).map { hall.ways[$0].carrier.transport.health }
        var report = PhonesReport(
            connection: isOffline ? .noDaemon : first.map { .way($0.phase) } ?? .off,
            server: hall.way(.ccs).map { _ in "\(configuration.phones.host):\(configuration.phones.port)" },
            problem: first?.problem?.description)
        let lines = hall.outbox.reports
        for phone in hall.book.phones { report.entries.append(entry(phone, lines)) }
        for phone in hall.book.legacyPhones { report.entries.append(entry(phone, lines)) }
        for contact in hall.book.contacts { report.entries.append(entry(contact, lines)) }
        for house in hall.book.house { report.entries.append(entry(house, lines)) }
        report.ways = hall.ways.map { way in
            let health = way.carrier.transport.health
            let theirs = lines.filter { hall.outbox.way(of: $0.address) == way.kind }
            return PhonesReport.Way(
                kind: way.kind.rawValue, phase: health.phase, problem: health.problem?.description,
                lastAccepted: theirs.compactMap(\.lastAccepted).max() ?? health.lastAccepted,
                waiting: theirs.reduce(0) { $0 + $1.waiting })
        }
        report.waiting = lines.reduce(0) { $0 + $1.waiting }
        report.overdue = lines.reduce(0) { $0 + $1.overdue }
        report.dead = hall.counts.dead
        report.expired = hall.counts.expired
        report.pendingTokens = hall.legacy.pending
        report.pairing =
            hall.pairing?.words ?? hall.contactPairing?.words
            ?? hall.enrolment.map { $0.words(hall.book.person($0.person)?.name ?? "somebody") }
        report.rejected = hall.rejected.report
        return report
    }

    private func entry(_ phone: Phone, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: phone.id.description, name: phone.name, person: hall.book.person(phone.person)?.name, level: .app,
            roles: phone.roles.names)
        take(lines.filter { line in phone.addresses.contains { $0.id == line.address } }, into: &entry)
        let account = hall.account(phone.id).map { hall.accounts[$0] }
        entry.lastHeard = account?.lastHeard
        var notes: [String] = []
        if !phone.isHeard { notes.append("paired, not heard yet") }
        if phone.isSuspended { notes.append("suspended: its commands are refused until 'howalarming phones lift'") }
        if account?.lockedUntil != nil { notes.append("locked for a while after bad signatures") }
        if account?.isResync ?? false { notes.append("its count was lost; the next command sets it anew") }
        if !phone.hasPresenceKey, !phone.key1Suffices { notes.append("no screen lock: it cannot disarm") }
        if phone.key1Suffices { notes.append("paired without presence: whoever holds it unlocked can disarm") }
        for address in phone.addresses {
            if case .gone(let why) = address.state { notes.append("cannot be reached: \(why)") }
            if !isOffline, place(of: address) == nil { notes.append("an address that this box cannot use") }
        }
        entry.note = notes.isEmpty ? nil : notes.joined(separator: "; ")
        return entry
    }

    private func entry(_ phone: LegacyPhone, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: String(phone.token.prefix(12)), name: "original app", person: nil, level: .legacy,
            roles: phone.allowed.map(\.rawValue))
        take(lines.filter { $0.address == phone.address }, into: &entry)
        var notes: [String] = []
        if !isOffline, !configuration.phones.isLegacyEnabled { notes.append("legacy mode is off") }
        if phone.isGone { notes.append("cannot be reached any more") }
        if !isOffline, hall.way(.ccs) == nil {
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
            person: hall.book.person(contact.person)?.name, level: contact.kind == .topic ? .topic : .account,
            roles: contact.allowed.map(\.rawValue))
        take(lines.filter { $0.address == contact.address }, into: &entry)
        var notes: [String] = []
        if case .gone(let why) = contact.state { notes.append("cannot be reached: \(why)") }
        if !isOffline, WayKind.carrying(contact.kind, of: hall.ways.map(\.kind)) == nil {
            notes.append("its way is not configured")
        }
        if contact.kind == .topic, !isOffline, contact.allowed.contains(.disarm),
            !mayPress(.disarm, contact)
        {
            notes.append("no disarm button: ntfy.trusted is not set any more")
        }
        if contact.tellsArming { notes.append("arming is told there in clear") }
        if contact.kind == .xmpp, hall.book.codes(of: contact.person) != nil {
            notes.append("with one-time codes")
        } else if contact.allowed.contains(.disarm) {
            notes.append("unsigned messages can disarm this house")
        }
        if hall.codeLocks.contains(where: { $0.person == contact.person && $0.lock.isLocked }) {
            notes.append("its codes are locked for a while after wrong ones")
        }
        entry.note = notes.isEmpty ? nil : notes.joined(separator: "; ")
        return entry
    }

    private func entry(_ house: HouseAddress, _ lines: [OutboxReport]) -> PhonesReport.Entry {
        var entry = PhonesReport.Entry(
            id: house.kind.rawValue, name: words(house), person: nil, level: .house,
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

    // MARK: Time

    mutating func phonesDue(at now: Moment, into effects: inout [Effect]) {
        hall.deadline = nil
        driveBeacon(at: now, into: &effects) { $0.timerFired(at: now, into: &$1) }
        for kind in hall.ways.map(\.kind) {
            drive(kind, at: now, into: &effects) { $0.timerFired(at: now, into: &$1) }
        }
        if let pairing = hall.pairing, pairing.until <= now.boot {
            endPairing(PairingDesk.timeOver, at: now, into: &effects)
        }
        if let pairing = hall.contactPairing, pairing.until <= now.boot {
            endContactPairing(PairingDesk.timeOver, at: now, into: &effects)
        }
        if let enrolment = hall.enrolment, enrolment.until <= now.boot {
            endCodes(CodeEnrolment.timeOver, into: &effects)
        }
        hall.outbox.timerFired(at: now)
        sendWelcomes(at: now)
        sendProbes(at: now)
        heartbeatDue(at: now)
        retireAddresses(at: now)
        noticeOffline(at: now)
        noticeDeafness(at: now)
        noticeUnreachable(at: now)
    }

    /// When `phonesDue` is to be called if nothing else happens.
    func phonesDeadline(after now: Moment) -> BootTime? {
        guard life == .running || life == .stopping else { return nil }
        guard !hall.ways.isEmpty else { return hall.enrolment?.until }
        var times = [
            hall.outbox.nextDeadline(after: now), hall.answers.nextDeadline(after: now.boot),
            hall.pairing?.until, hall.contactPairing?.until, hall.enrolment?.until, nextRetirement(after: now),
            life == .running ? hall.heartbeat.nextAt : nil,
        ]
        for index in hall.ways.indices {
            times.append(hall.ways[index].carrier.transport.nextDeadline)
            guard hall.ways[index].offlineTold == nil, let since = hall.ways[index].offlineSince else { continue }
            times.append(since + Self.offlinePatience)
        }
        times += hall.welcomes.map(\.nextAt)
        times += unreachableDeadline.filter { $0 > now.boot }
        times += deafnessDeadline
        times += hall.probes.map(\.nextAt)
        return times.compactMap { $0 }.min()
    }
}
