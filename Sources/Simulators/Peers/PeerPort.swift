import AlarmModel

/// The connections of a small simulated service, and the faults that any protocol has.
package struct PeerPort: Sendable {
    private struct Late: Sendable {
        var due: BootTime
        var action: HTTPServiceAction
    }

    private(set) var open: [ConnectionID] = []
    /// Dead without an end.
    private var dead: [ConnectionID] = []
    private var late: [Late] = []
    private var delay = Duration.zero
    private var isBlackHole = false

    /// How many of the next answers are to be …
    var garbage = 0
    var lies = 0
    var closesMidway = 0
    var noAnswer = 0
    var failures = 0
    var tooMany = 0
    /// So many messages are taken; nil: as many as one likes.
    var quota: Int?
    var isSilent = false
    var repeats = 0

    var nextDeadline: BootTime? { late.first?.due }

    mutating func accepted(_ id: ConnectionID) {
        open.append(id)
        if isBlackHole { dead.append(id) }
    }

    mutating func closed(_ id: ConnectionID) {
        open.removeAll { $0 == id }
        dead.removeAll { $0 == id }
    }

    /// Whether what comes there is read.
    func hears(_ id: ConnectionID) -> Bool { open.contains(id) && !dead.contains(id) }

    mutating func send(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        guard hears(id) else { return }
        if Self.take(&garbage) { return junk(id, at: now, into: &actions) }
        act(.send(id, bytes), at: now, into: &actions)
    }

    mutating func send(
        _ id: ConnectionID, _ text: String, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        send(id, Array(text.utf8), at: now, into: &actions)
    }

    /// What is of no protocol, and the end.
    private mutating func junk(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        act(.send(id, Array("\u{1}\u{7F}?? <nothing> \u{0}of the kind\r\n\r\n".utf8)), at: now, into: &actions)
        close(id, at: now, into: &actions)
    }

    mutating func close(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        guard hears(id) else { return }
        closed(id)
        act(.close(id), at: now, into: &actions)
    }

    private mutating func act(_ action: HTTPServiceAction, at now: Moment, into actions: inout [HTTPServiceAction]) {
        // What waits already goes first.
        guard delay > .zero || !late.isEmpty else { return actions.append(action) }
        late.append(Late(due: max(now.boot + delay, late.last?.due ?? .zero), action: action))
    }

    mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        while let first = late.first, first.due <= now.boot {
            actions.append(first.action)
            late.removeFirst()
        }
    }

    /// One less, if there is one.
    static func take(_ count: inout Int) -> Bool {
        guard count > 0 else { return false }
        count -= 1
        return true
    }

    /// Whether another message is taken.
    mutating func takes() -> Bool {
        guard let left = quota else { return true }
        guard left > 0 else { return false }
        quota = left - 1
        return true
    }

    /// - Returns: the connections that have ended with it
    mutating func perform(
        _ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]
    ) -> [ConnectionID] {
        switch fault {
        case .refuse:
            actions.append(.listen(false))
            return resetAll(into: &actions)
        case .reset: return resetAll(into: &actions)
        case .ends:
            let ended = open.filter { hears($0) }
            for id in ended { close(id, at: now, into: &actions) }
            return ended
        case .blackHole:
            isBlackHole = true
            dead = open
        case .slow(let span): delay = span
        case .garbage(let count): garbage = count
        case .lies(let count): lies = count
        case .closesMidway(let count): closesMidway = count
        case .noAnswer(let count): noAnswer = count
        case .failure(let count): failures = count
        case .tooMany(let count): tooMany = count
        case .quota(let count): quota = count
        case .silent: isSilent = true
        case .repeats(let count): repeats = count
        case .off:
            actions.append(.listen(true))
            (garbage, lies, closesMidway, noAnswer, failures, tooMany, repeats) = (0, 0, 0, 0, 0, 0, 0)
            (quota, isSilent, isBlackHole, delay) = (nil, false, false, .zero)
        }
        return []
    }

    private mutating func resetAll(into actions: inout [HTTPServiceAction]) -> [ConnectionID] {
        let ended = open
        for id in open { actions.append(.reset(id)) }
        open = []
        dead = []
        late = []
        return ended
    }
}
