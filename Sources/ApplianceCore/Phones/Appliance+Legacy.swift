import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// The original apps.
extension Appliance {
    mutating func heardLegacy(
        _ upstream: InboundMessage, _ data: JSON, at now: Moment, into effects: inout [Effect]
    ) {
        let token = upstream.from
        guard data["v"] == nil else {
            acknowledge(upstream, at: now, into: &effects)
            return reject(.notOurs, at: now)
        }
        let judgement = hall.legacy.judge(
            from: token, messageID: upstream.id, data: data, by: upstream.way, book: hall.book,
            isEnabled: configuration.phones.isLegacyEnabled, at: now.boot)
        switch judgement {
        case .drop:
            acknowledge(upstream, at: now, into: &effects)
            reject(.legacy, at: now)
        case .newToken:
            acknowledge(upstream, at: now, into: &effects)
            note(
                .info, .phones,
                "An original app wants to be let in; see 'howalarming phones list', approve it with 'howalarming phones approve TOKEN'.",
                at: now)
        case .carryOut(let verb):
            guard let command = verb.command else {
                acknowledge(upstream, at: now, into: &effects)
                return sendLegacyStatus(to: token, at: now)
            }
            carryOut(command, for: token, from: upstream, at: now, into: &effects)
        }
    }

    private mutating func carryOut(
        _ command: PanelCommand, for token: String, from upstream: InboundMessage, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard journal.isGood, life == .running else {
            acknowledge(upstream, at: now, into: &effects)
            return sendLegacyStatus(to: token, at: now)
        }
        let actor = CommandDesk.Actor(name: "an original app", device: String(token.prefix(8)))
        let entry = desk.accept(command, from: .legacy(token: token), by: actor, at: now)
        announce(event(of: entry, .command, "asked for by \(actor.words), unsigned", at: now))
        step.ledger.append(
            LedgerRow(
                command: entry.id, summary: entry.summary, origin: "legacy \(token.prefix(8))", time: now.wall,
                outcome: nil))
        // Its id is on the disk with the event before it is acknowledged and carried out (docs/push.md A.8).
        step.continuations.append(.acknowledge(upstream))
        step.continuations.append(
            .carryOut(
                PanelOrder(
                    id: entry.id, command: command, deadline: now.boot + configuration.pace.commandDeadline)))
    }

    /// The app's button stays dead until something comes that tells the state (docs/messages.md B.5).
    mutating func sendLegacyStatus(to token: String, at now: Moment) {
        let status = session.state.link == .up ? session.state.partition(1)?.status.current : nil
        let word: String
        switch status {
        case .disarmed, .ready, .readyForce, .notReady: word = "disarmed"
        case .exitDelay, .armed, .entryDelay: word = "armed"
        case .alarm(let mode): word = mode == nil ? "disarmed" : "armed"
        case .notEnabled, nil: word = "unknown"
        }
        let mark = JSON.string("HOWALARMING")
        let data = JSON.object([
            "code": mark, "raw": mark, "message": mark, "type": .string(word),
            "timestamp": .string(String(now.wall.seconds)),
        ])
        guard let place = place(.fcmToken, token) else { return }
        answer(.clear(data), to: place, at: now)
    }

    mutating func approve(
        _ token: String, _ verbs: [LegacyPhone.Verb], by client: ConnectionID, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard hall.book.phone(at: .fcmToken, token) == nil else {
            return refuse(
                "this is the address of a paired phone, which speaks sealed; nothing to approve", client, into: &effects
            )
        }
        let words =
            "an original app may now \(verbs.map(\.rawValue).joined(separator: ", "))"
            + (configuration.phones.isLegacyEnabled || isOffline
                ? "" : "; legacy mode is off, set phones.legacy.enabled")
            + (verbs.contains(.disarm) ? "; who reads its messages can disarm this house" : "")
        hall.legacy.approved(token)
        changeBook(client, words.prefix(1).uppercased() + words.dropFirst() + ".", at: now, into: &effects) { book in
            if let index = book.legacyPhones.firstIndex(where: { $0.token == token }) {
                book.legacyPhones[index].allowed = verbs
                book.legacyPhones[index].isGone = false
                return
            }
            book.legacyPhones.append(
                LegacyPhone(
                    address: AddressID(book.nextAddress), token: token, allowed: verbs, approvedAt: now.wall))
            book.nextAddress += 1
        }
    }

    mutating func removeLegacy(token: String, at now: Moment) {
        for phone in hall.book.legacyPhones where phone.token == token {
            hall.outbox.dropped(phone.address, why: "the token is not approved any more", at: now)
        }
        guard hall.book.legacyPhones.contains(where: { $0.token == token }) else { return }
        hall.book.legacyPhones.removeAll { $0.token == token }
        bookChanged()
    }
}
