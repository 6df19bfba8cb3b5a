import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// The original apps.
extension Appliance {
    mutating func heardLegacy(
        _ upstream: Upstream, _ data: JSON, _ step: inout Step
    ) {
        let token = upstream.from
        guard data["v"] == nil else {
            acknowledge(upstream, &step)
            return reject(.notOurs, &step)
        }
        let judgement = hall.legacy.judge(
            from: token, messageID: upstream.id, data: data, by: upstream.way, book: hall.book,
            isEnabled: configuration.phones.isLegacyEnabled, at: step.now.boot)
        switch judgement {
        case .drop:
            acknowledge(upstream, &step)
            reject(.legacy, &step)
        case .newToken:
            acknowledge(upstream, &step)
            note(
                .info, .phones,
                "An original app wants to be let in; see 'howalarming phones list', approve it with 'howalarming phones approve TOKEN'.",
                &step)
        case .carryOut(let verb):
            guard let command = verb.command else {
                acknowledge(upstream, &step)
                return sendLegacyStatus(to: token, &step)
            }
            carryOut(command, for: token, from: upstream, &step)
        }
    }

    private mutating func carryOut(
        _ command: PanelCommand, for token: String, from upstream: Upstream, _ step: inout Step
    ) {
        guard journal.isGood, life == .running else {
            acknowledge(upstream, &step)
            return sendLegacyStatus(to: token, &step)
        }
        let actor = CommandDesk.Actor(name: "an original app", device: String(token.prefix(8)))
        let entry = desk.accept(command, from: .legacy(token: token), by: actor, at: step.now)
        announce(event(of: entry, .command, "asked for by \(actor.words), unsigned", at: step.now), &step)
        step.writes.ledger.append(
            LedgerRow(
                command: entry.id, summary: entry.summary, origin: "legacy \(token.prefix(8))", time: step.now.wall,
                outcome: nil))
        // Its id is on the disk with the event before it is acknowledged and carried out (docs/push.md A.8).
        step.writes.continuations.append(.acknowledge(upstream))
        step.writes.continuations.append(
            .carryOut(
                PanelOrder(
                    id: entry.id, command: command, deadline: step.now.boot + configuration.pace.commandDeadline)))
    }

    /// The app's button stays dead until something comes that tells the state (docs/messages.md B.5).
    mutating func sendLegacyStatus(to token: String, _ step: inout Step) {
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
            "timestamp": .string(String(step.now.wall.seconds)),
        ])
        guard let place = place(.fcmToken, token) else { return }
        answer(.clear(data), to: place, &step)
    }

    mutating func approve(
        _ token: String, _ verbs: [LegacyPhone.Verb], by client: ConnectionID, _ step: inout Step
    ) {
        guard hall.book.phone(at: .fcmToken, token) == nil else {
            return refuse(
                "this is the address of a paired phone, which speaks sealed; nothing to approve", client, &step)
        }
        let words =
            "an original app may now \(verbs.map(\.rawValue).joined(separator: ", "))"
            + (configuration.phones.isLegacyEnabled || isOffline
                ? "" : "; legacy mode is off, set phones.legacy.enabled")
            + (verbs.contains(.disarm) ? "; who reads its messages can disarm this house" : "")
        hall.legacy.approved(token)
        let approvedAt = step.now.wall
        changeBook(client, words.prefix(1).uppercased() + words.dropFirst() + ".", &step) { book in
            if let index = book.legacyPhones.firstIndex(where: { $0.token == token }) {
                book.legacyPhones[index].allowed = verbs
                book.legacyPhones[index].isGone = false
                return
            }
            book.legacyPhones.append(
                LegacyPhone(
                    address: AddressID(book.nextAddress), token: token, allowed: verbs, approvedAt: approvedAt))
            book.nextAddress += 1
        }
    }

    mutating func removeLegacy(token: String, _ step: inout Step) {
        for phone in hall.book.legacyPhones where phone.token == token {
            hall.outbox.dropped(phone.address, why: "the token is not approved any more", at: step.now)
        }
        guard hall.book.legacyPhones.contains(where: { $0.token == token }) else { return }
        hall.book.legacyPhones.removeAll { $0.token == token }
        bookChanged(&step)
    }
}
