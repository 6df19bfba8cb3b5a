import AlarmModel
import PhoneLink

/// What becomes of a message that a service did not take, and who is told of it.
extension Deliveries {
    mutating func refused(_ message: MessageID, _ refusal: Refusal, by channel: ChannelKind, _ step: inout Step) {
        tellRefused(message, &step)
        let place = address(of: message, step.book)
        let isAnswer = answers.contains(message)
        switch refusal.reaction {
        case .retry(let first, let attempts):
            if isAnswer {
                answers.again(message, after: max(first, refusal.after ?? .zero), at: step.now.boot)
            } else if let attempts {
                outbox.unknownRefusal(
                    message, why: refusal.why, first: first, attempts: attempts, after: refusal.after, at: step.now)
            } else {
                outbox.retry(message, why: refusal.why, first: first, after: refusal.after, at: step.now)
            }
        case .resend(after: let pause): returned([message], after: pause, &step)
        case .hold(let span):
            if refusal.needsPerson {
                tellRefused(message, refusal, isService: false, by: channel, &step)
            }
            if isAnswer {
                answers.again(message, after: span, at: step.now.boot)
            } else {
                outbox.tooFast(message, why: refusal.why, for: span, after: refusal.after, at: step.now)
            }
        case .serviceFault:
            tellRefused(message, refusal, isService: true, by: channel, &step)
            if !answers.end(message) { outbox.blocked(message, why: refusal.why, at: step.now) }
        case .dropAddress where step.book.isHouse(place):
            // It is as the configuration says, and only the configuration may take it away.
            tellRefused(message, refusal, isService: false, by: channel, &step)
            if !answers.end(message) { outbox.blocked(message, why: refusal.why, at: step.now) }
        case .giveUp, .dropAddress:
            if !answers.end(message) { outbox.died(message, why: refusal.why, at: step.now) }
            if refusal.reaction == .dropAddress, let place { actions.append(.dropAddress(place, why: refusal.why)) }
        }
    }

    /// A person must act.
    ///
    /// - Parameter isService: the service's account is at fault, and with it messages to other addresses
    private mutating func tellRefused(
        _ message: MessageID, _ refusal: Refusal, isService: Bool, by channel: ChannelKind, _ step: inout Step
    ) {
        guard outbox.isTellable(message) else { return }
        actions.append(
            .refused(
                by: channel, answers[message]?.place.address, address(of: message, step.book), refusal,
                isService: isService))
    }
}
