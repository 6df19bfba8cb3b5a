import AlarmModel
import PhoneLink

/// What becomes of a message that a service did not take, and who is told of it.
extension Appliance {
    mutating func refused(
        _ message: MessageID, _ refusal: Refusal, by way: WayKind, at now: Moment, into effects: inout [Effect]
    ) {
        let place = address(of: message)
        let isAnswer = hall.answers.contains(message)
        switch refusal.reaction {
        case .retry(let first, let attempts):
            if isAnswer {
                hall.answers.again(message, after: max(first, refusal.after ?? .zero), at: now.boot)
            } else if let attempts {
                hall.outbox.unknownRefusal(
                    message, why: refusal.why, first: first, attempts: attempts, after: refusal.after, at: now)
            } else {
                hall.outbox.retry(message, why: refusal.why, first: first, after: refusal.after, at: now)
            }
        case .resend: returned([message], at: now)
        case .hold(let span):
            if refusal.needsPerson {
                tellRefused(message, refusal, isService: false, by: way, at: now, into: &effects)
            }
            if isAnswer {
                hall.answers.again(message, after: span, at: now.boot)
            } else {
                hall.outbox.tooFast(message, why: refusal.why, for: span, at: now)
            }
        case .serviceFault:
            tellRefused(message, refusal, isService: true, by: way, at: now, into: &effects)
            if !hall.answers.end(message) { hall.outbox.blocked(message, why: refusal.why, at: now) }
        case .dropAddress where isHouse(place):
            // It is as the configuration says, and only the configuration may take it away.
            tellRefused(message, refusal, isService: false, by: way, at: now, into: &effects)
            if !hall.answers.end(message) { hall.outbox.blocked(message, why: refusal.why, at: now) }
        case .giveUp, .dropAddress:
            if !hall.answers.end(message) { hall.outbox.died(message, why: refusal.why, at: now) }
            if refusal.reaction == .dropAddress, let place { dropAddress(place, why: refusal.why, at: now) }
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
        _ message: MessageID, _ refusal: Refusal, isService: Bool, by kind: WayKind, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard let index = hall.way(kind), hall.outbox.isTellable(message) else { return }
        if let contact = hall.contactPairing?.contact, hall.answers[message]?.place.address == address(of: contact) {
            return endContactPairing(refusal.why, at: now, into: &effects)
        }
        let problem = isService ? TransportProblem(refusal.kind, refusal.why) : nil
        guard let place = address(of: message) else {
            if let problem { tellOffline(index, problem, at: now) }
            return
        }
        let before = hall.ways[index].refused
        guard !before.contains(where: { $0.address == place }) else { return }
        hall.ways[index].refused.append(Way.RefusedAddress(address: place, service: problem))
        guard let problem else {
            let advice = isHouse(place) ? " Check it in the configuration." : ""
            return note(
                .fault, .pushOffline, "Messages for \(phoneName(of: place)) are refused: \(refusal.why).\(advice)",
                at: now)
        }
        let wasTold = hall.ways[index].offlineTold?.isSame(as: problem) ?? false
        guard !wasTold, !before.contains(where: { $0.service != nil }) else { return }
        noteOffline(index, problem, at: now)
    }

    /// A message was taken at an address: what was told of refusals there is over.
    mutating func takenAgain(_ message: MessageID, at address: AddressID, _ now: Moment) {
        for index in hall.ways.indices where !hall.ways[index].refused.isEmpty {
            guard let place = hall.ways[index].refused.firstIndex(where: { $0.address == address }),
                hall.outbox.isTellable(message)
            else { continue }
            if hall.ways[index].refused.remove(at: place).service == nil {
                note(.recovery, .pushOnline, "Messages for \(phoneName(of: address)) are taken again.", at: now)
            } else if hall.ways[index].offlineTold == nil {
                noteOnline(index, at: now)
            }
        }
    }
}
