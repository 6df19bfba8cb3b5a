import AlarmModel

/// One connection to the service and what is owed on it, in both directions.
struct CCSConnection: Codable, Equatable, Sendable {
    struct UnderWay: Codable, Equatable, Sendable {
        var message: MessageID
        var sentAt: BootTime
    }
    struct Owed: Codable, Equatable, Sendable {
        var from: String
        var messageID: String
    }

    /// Messages of phones that the core has not acknowledged.
    static let owedLimit = 200

    let id: ConnectionID
    var stream: XMPPStream
    var connectedAt: BootTime
    var readyAt: BootTime?
    var lastHeard: BootTime
    var pingSentAt: BootTime?
    var drainingSince: BootTime?
    /// In the order in which they were sent.
    var underWay: [UnderWay] = []
    var owed: [Owed] = []

    var isDraining: Bool { drainingSince != nil }
    var isReady: Bool { readyAt != nil && !isDraining }

    /// What is due by `deadline`, the most pressing first.
    enum Due: Codable, Equatable, Sendable {
        case drained, setupStalled, unanswered, silent, ping
    }

    /// When something has to be done about this connection.
    func deadlines(_ settings: CCSSettings) -> [(due: Due, at: BootTime)] {
        var list: [(due: Due, at: BootTime)] = []
        if let drainingSince { list.append((.drained, drainingSince + settings.drainPatience)) }
        if readyAt == nil { list.append((.setupStalled, connectedAt + settings.setupDeadline)) }
        if let first = underWay.first { list.append((.unanswered, first.sentAt + settings.ackPatience)) }
        if let pingSentAt {
            list.append((.silent, pingSentAt + settings.pingPatience))
        } else if readyAt != nil {
            list.append((.ping, lastHeard + settings.idleBeforePing))
        }
        return list
    }

    /// - Returns: false if it is not under way here
    mutating func answered(_ message: MessageID) -> Bool {
        guard let index = underWay.firstIndex(where: { $0.message.text == message.text }) else { return false }
        underWay.remove(at: index)
        return true
    }
}
