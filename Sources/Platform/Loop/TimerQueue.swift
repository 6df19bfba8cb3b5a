import AlarmModel

/// Names a timer that was set; good for one firing.
package struct TimerToken: Equatable, Sendable {
    let time: BootTime
    let order: UInt64
}

/// The timers of a loop: by time, and in the order of setting for equal times.
struct TimerQueue {
    private struct Entry {
        let token: TimerToken
        let handler: () -> Void
    }

    /// The soonest is last, so that taking it moves nothing.
    private var entries: [Entry] = []
    private var nextOrder: UInt64 = 0

    var soonest: BootTime? { entries.last?.token.time }

    mutating func insert(at time: BootTime, _ handler: @escaping () -> Void) -> TimerToken {
        let token = TimerToken(time: time, order: nextOrder)
        nextOrder += 1
        entries.insert(Entry(token: token, handler: handler), at: position(of: token))
        return token
    }

    mutating func remove(_ token: TimerToken) {
        let index = position(of: token)
        guard index < entries.count, entries[index].token == token else { return }
        entries.remove(at: index)
    }

    /// The handler of the soonest timer that is due and was set before the timer named `limit`. One that is set for the
    /// past again and again does not hold up the others.
    mutating func takeDue(at now: BootTime, setBefore limit: UInt64) -> (() -> Void)? {
        var index = entries.count - 1
        while index >= 0, entries[index].token.time <= now {
            if entries[index].token.order < limit { return entries.remove(at: index).handler }
            index -= 1
        }
        return nil
    }

    /// Timers set from here on are not taken by a round that asked before.
    var limit: UInt64 { nextOrder }

    private func position(of token: TimerToken) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            let other = entries[middle].token
            if (other.time, other.order) > (token.time, token.order) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
