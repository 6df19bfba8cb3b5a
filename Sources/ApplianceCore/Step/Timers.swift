import AlarmModel

/// When a machine wants its timer.
struct Deadline: Equatable, Sendable {
    var id: TimerID
    /// nil: not at all.
    var at: BootTime?
}

/// The timers as they were ordered last.
struct Timers: Codable, Equatable, Sendable {
    private struct Set: Codable, Equatable, Sendable {
        var id: TimerID
        var at: BootTime
    }

    private var set: [Set] = []
    /// When those who tell people are wanted, as of the end of the last step.
    var phones: BootTime?

    /// What is owed stays owed until its timer is heard: one that is lost must show (`ailments`).
    mutating func owePhones(_ deadline: BootTime?, _ step: Step) {
        guard phones.map({ $0 > step.now.boot }) ?? true || step.life == .finished else { return }
        phones = deadline
    }

    mutating func fired(_ id: TimerID) { set.removeAll { $0.id == id } }

    /// Orders a timer for every machine whose deadline moved.
    mutating func follow(_ deadlines: [Deadline], _ step: inout Step) {
        for deadline in deadlines {
            let index = set.firstIndex { $0.id == deadline.id }
            guard index.map({ set[$0].at }) != deadline.at else { continue }
            if let index { set.remove(at: index) }
            if let at = deadline.at { set.append(Set(id: deadline.id, at: at)) }
            step.effects.append(.setTimer(deadline.id, deadline.at))
        }
    }
}
