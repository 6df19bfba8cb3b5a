import AlarmModel
import PhoneLink

/// What becomes of a message that a service did not take, and who is told of it.
extension Appliance {
    mutating func refused(
        _ message: MessageID, _ refusal: Refusal, by way: WayKind, _ step: inout Step
    ) {
        let place = address(of: message)
        let isAnswer = hall.answers.contains(message)
        switch refusal.reaction {
        case .retry(let first, let attempts):
            if isAnswer {
                hall.answers.again(message, after: max(first, refusal.after ?? .zero), at: step.now.boot)
            } else if let attempts {
                hall.outbox.unknownRefusal(
                    message, why: refusal.why, first: first, attempts: attempts, after: refusal.after, at: step.now)
            } else {
                hall.outbox.retry(message, why: refusal.why, first: first, after: refusal.after, at: step.now)
            }
        case .resend: returned([message], &step)
        case .hold(let span):
            if refusal.needsPerson {
                tellRefused(message, refusal.why, isService: false, by: way, &step)
            }
            if isAnswer {
                hall.answers.again(message, after: span, at: step.now.boot)
            } else {
                hall.outbox.tooFast(message, why: refusal.why, for: span, at: step.now)
            }
        case .serviceFault:
            tellRefused(message, refusal.why, isService: true, by: way, &step)
            if !hall.answers.end(message) { hall.outbox.blocked(message, why: refusal.why, at: step.now) }
        case .dropAddress where isHouse(place):
            // It is as the configuration says, and only the configuration may take it away.
            tellRefused(message, refusal.why, isService: false, by: way, &step)
            if !hall.answers.end(message) { hall.outbox.blocked(message, why: refusal.why, at: step.now) }
        case .giveUp, .dropAddress:
            if !hall.answers.end(message) { hall.outbox.died(message, why: refusal.why, at: step.now) }
            if refusal.reaction == .dropAddress, let place { dropAddress(place, why: refusal.why, &step) }
        }
    }

    private func isHouse(_ address: AddressID?) -> Bool {
        guard let address, case .house? = receiver(at: address) else { return false }
        return true
    }

    // MARK: Telling about it

    /// A person must act. It is told once for each address, however often it is said there and in whatever words: what
    /// tells of it goes there, too, and is refused in its turn.
    ///
    /// - Parameter isService: the service's account is at fault, and with it messages to other addresses
    private mutating func tellRefused(
        _ message: MessageID, _ why: String, isService: Bool, by kind: WayKind, _ step: inout Step
    ) {
        guard let index = hall.way(kind), hall.outbox.isTellable(message) else { return }
        if let contact = hall.contactPairing?.contact, hall.answers[message]?.place.address == address(of: contact) {
            return endContactPairing(why, &step)
        }
        guard let place = address(of: message) else {
            if isService { tellOffline(index, why, &step) }
            return
        }
        let before = hall.ways[index].refused
        guard !before.contains(where: { $0.address == place }) else { return }
        hall.ways[index].refused.append(Way.RefusedAddress(address: place, service: isService ? why : nil))
        guard isService else {
            let advice = isHouse(place) ? " Check it in the configuration." : ""
            return note(
                .fault, .pushOffline, "Messages for \(phoneName(of: place)) are refused: \(why).\(advice)", &step)
        }
        guard hall.ways[index].offlineTold != why, !before.contains(where: { $0.service != nil }) else { return }
        noteOffline(index, why, &step)
    }

    /// A message was taken at an address: what was told of refusals there is over.
    mutating func takenAgain(_ message: MessageID, at address: AddressID, _ step: inout Step) {
        for index in hall.ways.indices where !hall.ways[index].refused.isEmpty {
            guard let place = hall.ways[index].refused.firstIndex(where: { $0.address == address }),
                hall.outbox.isTellable(message)
            else { continue }
            if hall.ways[index].refused.remove(at: place).service == nil {
                note(.recovery, .pushOnline, "Messages for \(phoneName(of: address)) are taken again.", &step)
            } else if hall.ways[index].offlineTold == nil {
                noteOnline(index, &step)
            }
        }
    }
}
