import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// The original apps.
extension Commands {
    mutating func heardLegacy(
        _ inbound: InboundMessage, _ data: JSON, _ step: inout Step
    ) {
        let token = inbound.from
        let approved = step.book.legacyPhones.first { $0.token == token }?.address
        let asker = approved.map { AskingPace.Asker.contact($0) } ?? .strangers
        guard paces.maySay(asker, at: step.now.boot) else {
            actions.append(.acknowledge(inbound))
            return reject(.tooMany, &step)
        }
        guard data["v"] == nil else {
            actions.append(.acknowledge(inbound))
            return reject(.notOurs, &step)
        }
        let judgement = legacy.judge(
            from: token, messageID: inbound.id, data: data, by: inbound.channel, book: step.book,
            isEnabled: step.configuration.phones.isLegacyEnabled, at: step.now.boot)
        switch judgement {
        case .drop:
            actions.append(.acknowledge(inbound))
            reject(.legacy, &step)
        case .refuse:
            actions.append(.acknowledge(inbound))
            reject(.legacy, &step)
            sendLegacyStatus(to: token, &step)
        case .newToken:
            actions.append(.acknowledge(inbound))
            step.note(
                .info, .phones,
                "An original app wants to be let in; \(Hint.phones.atBox) shows it, \(Hint.approve.key) there lets it in."
            )
        case .carryOut(let verb):
            guard let command = verb.command else {
                actions.append(.acknowledge(inbound))
                return sendLegacyStatus(to: token, &step)
            }
            carryOut(command, for: token, asker, from: inbound, &step)
        }
    }

    private mutating func carryOut(
        _ command: PanelCommand, for token: String, _ asker: AskingPace.Asker, from inbound: InboundMessage,
        _ step: inout Step
    ) {
        guard step.isStoreGood, step.life == .running,
            paces.mayCommand(asker, rate: step.configuration.phones.commandRate, at: step.now.boot)
        else {
            actions.append(.acknowledge(inbound))
            return sendLegacyStatus(to: token, &step)
        }
        let actor = Actor(name: "an original app", device: String(token.prefix(8)))
        let entry = accept(command, from: .legacy(token: token), by: actor, &step)
        // Its id is on the disk with the event before it is acknowledged and carried out (docs/push.md A.8).
        step.wait(.acknowledge(inbound))
        step.wait(.carryOut(step.order(entry.id, command)))
    }

    /// The app's button stays dead until something comes that tells the state (docs/messages.md B.5).
    mutating func sendLegacyStatus(to token: String, _ step: inout Step) {
        let status = step.panel.link == .up ? step.panel.partition(1)?.shownStatus.current : nil
        let word: String
        switch status {
        case .disarmed, .ready, .readyForce, .notReady: word = "disarmed"
        case .exitDelay, .armed, .entryDelay: word = "armed"
        case .alarm: word = step.panel.partition(1)?.isDisarmedInAlarm ?? false ? "disarmed" : "armed"
        case .notEnabled, nil: word = "unknown"
        }
        let mark = JSON.string("HOWALARMING")
        let data = JSON.object([
            "code": mark, "raw": mark, "message": mark, "type": .string(word),
            "timestamp": .string(String(step.now.wall.seconds)),
        ])
        guard let place = step.place(.fcmToken, token) else { return }
        step.answer(.clear(data), to: place)
    }
}
