import AlarmModel

/// A trouble light (840) whose trouble (849) has not come yet.
struct TroubleLight: Codable, Equatable, Sendable {
    var event: Event
    /// Time at which the light is reported by itself.
    var dueAt: BootTime

    /// 840 and 849 of one trouble come within a second.
    static let patience = Duration.seconds(2)
}

/// Troubles that the panel tells by its light (840, 841) and by the list of 849, never by a line of their own.
extension Session {
    /// 849 repeats every 5 min while there is trouble: without one for so long, and the light off, there is none.
    static let troubleRepeat = Duration.seconds(330)
    /// Pause between two attempts to set a clock that the panel calls lost.
    static let clockRetry = Duration.minutes(4)

    /// Holds the event of a trouble light until the list (849) says which trouble it is, so that people get one notice.
    ///
    /// - Returns: false if the event is to be told now
    mutating func holdTroubleLight(_ message: DSCMessage, _ event: Event, at now: Moment) -> Bool {
        guard case .troubleLED(_, true) = message, !event.flags.contains(.repeats) else { return false }
        troubleLights.append(TroubleLight(event: event, dueAt: now.boot + TroubleLight.patience))
        return true
    }

    /// - Parameter isExplained: the list has come; the lights are kept in the journal and told to nobody
    mutating func releaseTroubleLights(isExplained: Bool, into actions: inout [PanelAction]) {
        for light in troubleLights {
            var event = light.event
            if isExplained { event.flags.insert(.repeats) }
            actions.append(.event(event))
        }
        troubleLights = []
    }

    mutating func troubleLightsDue(at now: Moment, into actions: inout [PanelAction]) {
        guard let due = troubleLights.first?.dueAt, due <= now.boot else { return }
        releaseTroubleLights(isExplained: false, into: &actions)
    }

    /// A live 840, 841 or 849, after the state took it up.
    mutating func troublesChanged(_ message: DSCMessage, at now: Moment, into actions: inout [PanelAction]) {
        if case .troubles(let bits) = message {
            lastTroublesAt = now.boot
            if !bits.isEmpty { releaseTroubleLights(isExplained: true, into: &actions) }
        } else if case .troubleLED(_, false) = message {
            releaseTroubleLights(isExplained: false, into: &actions)
            guard reducer.troubleLEDIsOff, let last = lastTroublesAt, let end = troublesEndAt else { return }
            troublesEndAt = min(end, max(last + Self.troubleRepeat, now.boot))
        }
    }

    /// 849 that names the clock: the appliance sets it, at once and again while the panel goes on. People are told only if
    /// that does not help.
    mutating func clockLost(_ message: DSCMessage, at now: Moment) -> ClockLoss {
        guard case .troubles(let bits) = message, bits.contains(.clock) else {
            if case .troubles = message { clockLostAt = nil }
            return .none
        }
        guard settings.setsClock, now.isWallTrusted else { return .none }
        guard let tried = clockLostAt else {
            clockLostAt = now.boot
            if !queue.has(.clock) { _ = queue.add(.clock) }
            return bits == .clock ? .beingSet : .none
        }
        guard now.boot - tried >= Self.clockRetry else { return .none }
        let isFirstRetry = !hasToldClockLoss
        hasToldClockLoss = true
        clockLostAt = now.boot
        if !queue.has(.clock) { _ = queue.add(.clock) }
        return isFirstRetry && bits == .clock ? .stays : .none
    }

    enum ClockLoss { case none, beingSet, stays }
}

/// An exit or entry delay: the panel leaves it by itself after 255 s at most.
struct RunningDelay: Codable, Equatable, Sendable {
    var partition: Int
    var dueAt: BootTime

    /// 255 s (the longest that the panel can be set to) and time for its line.
    static let longest = Duration.seconds(270)
}

extension Session {
    /// The line that ends a delay may be lost: the panel is asked then.
    mutating func delayChanged(_ message: DSCMessage, at now: Moment) {
        guard case .partition(let number, let line) = message else { return }
        delays.removeAll { $0.partition == number }
        switch line {
        case .exitDelay, .entryDelay:
            delays.append(RunningDelay(partition: number, dueAt: now.boot + RunningDelay.longest))
        case .ready, .notReady, .readyForce, .alarm, .disarmed, .armed: break
        }
    }

    mutating func delaysDue(at now: Moment) {
        guard delays.contains(where: { $0.dueAt <= now.boot }) else { return }
        delays.removeAll { $0.dueAt <= now.boot }
        wantReport(at: now)
    }
}
