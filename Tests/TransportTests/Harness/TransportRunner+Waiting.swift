import AlarmModel
import PhoneLink
import Platform
import Testing

extension Duration {
    /// Longest wait for something that must happen, however busy the machine is; it ends with what is waited for.
    static let patience = Duration.seconds(120)
}

/// What did not happen in time, with what happened last.
struct WaitedInVain: Error, CustomStringConvertible {
    var description: String
}

/// How a message ended.
enum DeliveryEnd: Equatable {
    case accepted(canonical: String?)
    case refused(Refusal)
    case returned
}

extension TransportRunner {
    /// Lets the loop run until the condition holds, which is looked at after each round of it. An error
    /// thrown by the condition ends the wait.
    func wait(
        for what: String, within span: Duration = .patience, until holds: @escaping (TransportRunner) throws -> Bool
    ) throws {
        if try holds(self) { return }
        var isOver = false
        var result: Result<Bool, any Error> = .success(false)
        let token = loop.setTimer(after: span) { isOver = true }
        defer { loop.cancel(token) }
        loop.beforeSleep = { [unowned self] in
            result = Result { try holds(self) }
            if case .success(false) = result, !isOver { return }
            loop.stop()
        }
        defer { loop.beforeSleep = nil }
        loop.run()
        if try result.get() { return }
        let last = actions.suffix(12).map { String("\($0)".prefix(300)) }.joined(separator: "\n  ")
        throw WaitedInVain(description: "not in \(span): \(what); last:\n  \(last)\nhealth: \(transport.health)")
    }

    /// Until exactly this was told, now or before.
    func wait(for action: TransportAction, within span: Duration = .patience) throws {
        try wait(for: "\(action)", within: span) { $0.actions.contains(action) }
    }

    /// Until the channel takes messages.
    func waitUntilReady(within span: Duration = .patience) throws {
        try wait(for: "ready", within: span) { $0.transport.health.phase == .ready && $0.transport.room.alarm > 0 }
    }

    /// Until the message has ended, for the first time or, after a resend, for the last.
    func waitForEnd(of id: MessageID, within span: Duration = .patience) throws -> DeliveryEnd {
        var end: DeliveryEnd?
        try wait(for: "an end of \(id)", within: span) { runner in
            end = runner.ends(of: id).last
            return end != nil && !runner.isUnderWay(id)
        }
        return try #require(end)
    }

    /// All ends of a message so far, in order.
    func ends(of id: MessageID) -> [DeliveryEnd] {
        actions.compactMap { action in
            switch action {
            case .accepted(id, let canonical): .accepted(canonical: canonical)
            case .refused(id, let refusal): .refused(refusal)
            case .returned(let ids) where ids.contains(id): .returned
            default: nil
            }
        }
    }

    /// Each call gives the next one that came.
    func nextInbound(within span: Duration = .patience) throws -> InboundMessage {
        try next(1, "a message from outside", span) { action in
            if case .inbound(let message) = action { message } else { nil }
        }
    }

    /// Each call gives the next change; nil: all is well again.
    func nextProblem(within span: Duration = .patience) throws -> TransportProblem? {
        try next(2, "a change of the problem", span) { action -> TransportProblem?? in
            if case .problem(let problem) = action { .some(problem) } else { .none }
        }
    }

    private func next<Value>(
        _ key: Int, _ what: String, _ span: Duration, _ choose: @escaping (TransportAction) -> Value?
    ) throws -> Value {
        var found: Value?
        try wait(for: what, within: span) { runner in
            found = runner.takeFirst(key, choose)
            return found != nil
        }
        return try #require(found)
    }

    /// Messages that were accepted, in order.
    var accepted: [MessageID] {
        actions.compactMap { if case .accepted(let id, _) = $0 { id } else { nil } }
    }

    var inbound: [InboundMessage] {
        actions.compactMap { if case .inbound(let message) = $0 { message } else { nil } }
    }

    var problems: [TransportProblem?] {
        actions.compactMap { action -> TransportProblem?? in
            if case .problem(let problem) = action { .some(problem) } else { .none }
        }
    }
}
