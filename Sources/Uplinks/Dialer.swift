package import AlarmModel

/// Opens one connection to a name or address (RFC 8305, "happy eyeballs"). Addresses are tried 250 ms apart, the next
/// at once when one fails, families in turn with IPv6 first; the first that opens wins. One dial at a time; idle before
/// the first and after each.
package struct Dialer: Codable, Equatable, Sendable {
    /// Between the starts of two attempts (RFC 8305 section 5).
    package static let stagger = Duration.milliseconds(250)
    /// Without an answer of the name servers by then, remembered addresses are tried.
    package static let namePatience = Duration.seconds(2)
    /// The whole dial.
    package static let patience = Duration.seconds(10)
    /// More addresses of one family than these are passed over in a dial, whatever the name servers say.
    package static let addressLimit = 8

    package typealias Action = DialAction

    private var race: DialRace?
    private var nextConnection: ConnectionID
    private var nextQuestion: ResolveID

    /// The dialer names connections and questions itself, upwards from these; dialers that live side by side get
    /// numbers that lie far apart.
    package init(firstConnection: ConnectionID = ConnectionID(1), firstQuestion: ResolveID = ResolveID(1)) {
        nextConnection = firstConnection
        nextQuestion = firstQuestion
    }

    package var isDialing: Bool { race != nil }

    /// Starts a dial. `name` is a host name or an IP address; of `remembered` only the addresses of this name count,
    /// the best first.
    ///
    /// - Parameter doubtsNames: the name servers may have given a wrong address before: what they say is tried after
    ///   the remembered addresses, `namePatience` later or when all of them have failed
    package mutating func dial(
        name: String, port: UInt16, link: Link, remembered: [RememberedAddress], doubtsNames: Bool = false,
        at now: Moment, into actions: inout [Action]
    ) {
        precondition(race == nil, "a dialer dials one name at a time; cancel the dial before the next")
        let literal = IPAddress(name)
        var race = DialRace(
            name: name, port: port, link: link, question: literal == nil ? nextQuestion : nil,
            deadline: now.boot + Self.patience,
            fallback: literal == nil ? now.boot + Self.namePatience : nil, isResolving: literal == nil,
            remembered: remembered.filter { $0.name == name }.map(\.address), nextStart: now.boot)
        if let literal {
            race.fresh = [literal]
            race.known = [literal]
        } else {
            actions.append(.resolve(nextQuestion, name: name, link))
            nextQuestion.number += 1
            if doubtsNames, !race.remembered.isEmpty {
                race.freshFrom = now.boot + Self.namePatience
                race.fallback = nil
                race.queue(race.remembered, isFresh: false)
            }
        }
        self.race = race
        advance(at: now.boot, into: &actions)
    }

    /// The name servers answered. An answer that comes late joins the race; one that belongs to no dial is passed over.
    package mutating func resolved(
        _ question: ResolveID, _ answer: Resolution, at now: Moment, into actions: inout [Action]
    ) {
        guard var race, race.question == question else { return }
        switch answer {
        case .addresses(let addresses) where !addresses.isEmpty:
            race.fallback = nil
            race.queue(addresses, isFresh: true)
        case .addresses: race.giveUpResolving(.notFound)
        case .failed(let failure): race.giveUpResolving(failure)
        }
        race.isResolving = false
        self.race = race
        advance(at: now.boot, into: &actions)
    }

    /// An attempt succeeded: the dial is over. A loser that opens after all was closed already.
    package mutating func opened(_ id: ConnectionID, at now: Moment, into actions: inout [Action]) {
        guard let race, let winner = race.attempts.first(where: { $0.id == id }) else { return }
        for attempt in race.attempts where attempt.id != id { actions.append(.close(attempt.id)) }
        if !race.isLiteral { actions.append(.remember(RememberedAddress(name: race.name, address: winner.address))) }
        actions.append(.connected(id))
        self.race = nil
    }

    /// An attempt failed: the next address is tried at once.
    package mutating func openFailed(
        _ id: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [Action]
    ) {
        guard var race, let index = race.attempts.firstIndex(where: { $0.id == id }) else { return }
        race.attempts.remove(at: index)
        race.lastEnd = end
        race.nextStart = now.boot
        self.race = race
        advance(at: now.boot, into: &actions)
    }

    /// Ends the dial without a result; whatever it opened is closed.
    package mutating func cancel(at now: Moment, into actions: inout [Action]) {
        guard let race else { return }
        for attempt in race.attempts { actions.append(.close(attempt.id)) }
        self.race = nil
    }

    /// When `timerFired` is due; nil while idle.
    package var nextDeadline: BootTime? {
        guard let race else { return nil }
        var due = race.deadline
        if let fallback = race.fallback { due = min(due, fallback) }
        if let start = race.startDue { due = min(due, start) }
        return due
    }

    /// Time has passed; does nothing when it is too early.
    package mutating func timerFired(
        at now: Moment, into actions: inout [Action]
    ) {
        advance(at: now.boot, into: &actions)
    }

    /// Does all that is due, and ends the dial when nothing is left to wait for.
    private mutating func advance(
        at now: BootTime, into actions: inout [Action]
    ) {
        guard var race else { return }
        if now >= race.deadline { return fail(race, into: &actions) }
        if let fallback = race.fallback, now >= fallback {
            race.fallback = nil
            race.queue(race.remembered, isFresh: false)
        }
        while race.attempts.isEmpty || now >= race.nextStart, let address = race.takeNext(at: now) {
            let id = nextConnection
            nextConnection.number += 1
            race.attempts.append(DialRace.Attempt(id: id, address: address))
            race.nextStart = now + Self.stagger
            actions.append(.open(id, Endpoint(address: address, port: race.port), race.link))
        }
        if race.attempts.isEmpty && !race.isResolving { return fail(race, into: &actions) }
        self.race = race
    }

    private mutating func fail(_ race: DialRace, into actions: inout [Action]) {
        for attempt in race.attempts { actions.append(.close(attempt.id)) }
        if !race.attempts.isEmpty {
            actions.append(.failed(.unreachable(.timedOut)))
        } else if let end = race.lastEnd {
            actions.append(.failed(.unreachable(end)))
        } else {
            actions.append(.failed(.unresolved(race.resolveFailure ?? .timedOut)))
        }
        self.race = nil
    }
}
