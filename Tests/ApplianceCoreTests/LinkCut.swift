import AlarmModel
import Uplinks

@testable import ApplianceCore

/// Attack of somebody in the path of a link on each dialogue. Probes are answered all the while.
struct LinkCut: Equatable, Sendable, CustomStringConvertible {
    enum Harm: String, CaseIterable, Sendable {
        case reset, finish, swallow
        /// Records take 30 s each.
        case hold
        /// Records take 2.5 s each, and the link has another address every 2 s.
        case renumber
        /// The name server gives the address of somebody else.
        case lie
        /// The services have another address, at which they are found by their names; somebody else has the old one.
        case move
        /// The service refuses for now whoever comes from there.
        case refuse
        /// Refusal for a quota that is used up.
        case tooMany
    }

    var interface: String
    /// Records of each connection that pass before, in both directions. The handshake of TLS is one.
    var passing: Int
    var harm: Harm

    var description: String { "\(harm.rawValue) after \(passing) records by \(interface)" }

    static let liar = IPAddress("203.0.113.66")
    /// Address of all services.
    static let house = IPAddress("192.0.2.9")
    static let held = Duration.seconds(30)
    static let slowed = Duration.milliseconds(2500)
    static let renumbering = Duration.seconds(2)
    /// Patience as the daemon's.
    static let handshakePatience = Duration.seconds(15)
}

/// The records of the connections that go by a link.
struct Dialogues {
    private(set) var counts: [ConnectionID: Int] = [:]
    private(set) var open: [ConnectionID] = []
    private var swallowed: [ConnectionID] = []
    /// Connections at the host that the lying name server names.
    private var atLiar: [ConnectionID] = []
    private var late: [(at: BootTime, input: Input)] = []
    private var released: [Input] = []
    private var nextNumber: BootTime?

    /// The longest since the counting began.
    var longest: Int { counts.values.max() ?? 0 }

    mutating func begin() { (counts, nextNumber) = ([:], nil) }

    mutating func opened(_ id: ConnectionID, isAtLiar: Bool) {
        open.append(id)
        if isAtLiar { atLiar.append(id) }
    }

    mutating func closed(_ id: ConnectionID) {
        open.removeAll { $0 == id }
        late.removeAll { $0.input.connection == id }
    }

    func isAtLiar(_ id: ConnectionID) -> Bool { atLiar.contains(id) }
    func isSwallowed(_ id: ConnectionID) -> Bool { swallowed.contains(id) }

    /// Counts a record.
    ///
    /// - Returns: how many there were before
    mutating func count(_ id: ConnectionID) -> Int {
        defer { counts[id, default: 0] += 1 }
        return counts[id, default: 0]
    }

    mutating func swallow(_ id: ConnectionID) { swallowed.append(id) }

    mutating func delay(_ input: Input, until time: BootTime) {
        let last = late.last { $0.input.connection == input.connection }?.at ?? .zero
        let place = late.firstIndex { $0.at > max(time, last) } ?? late.endIndex
        late.insert((max(time, last), input), at: place)
    }

    func lateEnd(of id: ConnectionID) -> BootTime? { late.last { $0.input.connection == id }?.at }

    mutating func renumber(from time: BootTime) { nextNumber = nextNumber ?? time }

    var nextDeadline: BootTime? { [late.first?.at, nextNumber].compactMap { $0 }.min() }

    /// Records held back that are due now.
    mutating func takeLate(at now: BootTime) -> [Input] {
        let due = late.filter { $0.at <= now }.map(\.input)
        late.removeAll { $0.at <= now }
        released = due
        return due
    }

    /// True for a record that was held back before, and is not again.
    mutating func takesLate(_ input: Input) -> Bool {
        guard let place = released.firstIndex(of: input) else { return false }
        released.remove(at: place)
        return true
    }

    mutating func takeRenumbering(at now: BootTime) -> Bool {
        guard let due = nextNumber, due <= now else { return false }
        nextNumber = now + LinkCut.renumbering
        return true
    }
}

extension LinkWorld {
    func isLying(_ interface: String) -> Bool {
        cut.map { ($0.harm == .lie || $0.harm == .move) && $0.interface == interface } ?? false
    }

    /// The service that this is for treats whoever comes by this link badly.
    func refusal(of effect: Effect) -> LinkCut.Harm? {
        guard let cut else { return nil }
        switch effect {
        case .send(let id, _):
            let isCounted = dialogues.counts[id, default: 0] >= cut.passing
            guard interface(of: id) == cut.interface, !isProbe(id), isCounted else { return nil }
        case .open(let id, _, .interface(cut.interface)) where !isProbe(id) && cut.passing == 0: break
        default: return nil
        }
        switch cut.harm {
        case .refuse, .tooMany: return cut.harm
        case .reset, .finish, .swallow, .hold, .renumber, .lie, .move: return nil
        }
    }

    private func isProbe(_ id: ConnectionID) -> Bool { id >= Appliance.firstProbe }

    /// nil: it passes.
    mutating func cutShort(_ effect: Effect, at now: Moment) -> [Input]? {
        switch effect {
        case .open(let id, let endpoint, .interface(let name)) where !isProbe(id):
            let isAtLiar = endpoint.address == (cut?.harm == .move ? LinkCut.house : LinkCut.liar)
            dialogues.opened(id, isAtLiar: isAtLiar)
            guard isAtLiar else { return nil }
            note(id, by: name)
            return [.connected(id)]
        case .close(let id):
            dialogues.closed(id)
            return nil
        case .startTLS(let id, _, _, _) where interface(of: id) != nil:
            if dialogues.isAtLiar(id) { return end(id, .tls(.selfSigned)) }
            return cutShort(id, at: now).map { answer in
                guard case .swallowed = answer else { return end(id, .tls(.cutOff)) }
                dialogues.delay(.closed(id, .tls(.stalled)), until: now.boot + LinkCut.handshakePatience)
                return []
            }
        case .send(let id, _) where interface(of: id) != nil:
            if dialogues.isAtLiar(id) { return [] }
            return cutShort(id, at: now).map { answer in
                guard case .ended(let connectionEnd) = answer else { return [] }
                return end(id, connectionEnd)
            }
        default: return nil
        }
    }

    private mutating func end(_ id: ConnectionID, _ end: ConnectionEnd) -> [Input] {
        dialogues.closed(id)
        dialogues.swallow(id)
        return [.closed(id, end)]
    }

    private enum Harmed {
        case ended(ConnectionEnd), swallowed, delayed(Duration)
    }

    /// Fate of the next record; nil: nothing happens to it.
    private mutating func cutShort(_ id: ConnectionID, at now: Moment) -> Harmed? {
        switch harm(to: id, at: now) {
        case .delayed, nil: nil
        case let harmed?: harmed
        }
    }

    private mutating func harm(to id: ConnectionID, at now: Moment) -> Harmed? {
        if dialogues.isSwallowed(id) { return .swallowed }
        let before = dialogues.count(id)
        guard let cut, interface(of: id) == cut.interface, before >= cut.passing else { return nil }
        switch cut.harm {
        case .reset: return .ended(.reset)
        case .finish: return .ended(.finished)
        case .swallow:
            dialogues.swallow(id)
            return .swallowed
        case .hold: return .delayed(LinkCut.held)
        case .renumber:
            dialogues.renumber(from: now.boot)
            return .delayed(LinkCut.slowed)
        case .lie, .move, .refuse, .tooMany: return nil
        }
    }

    /// Bytes that come in; nil: none, or not yet.
    mutating func arriving(_ input: Input, at now: Moment) -> Input? {
        switch input {
        case .received(let id, _), .secured(let id):
            guard interface(of: id) != nil, !isProbe(id), !dialogues.takesLate(input) else { return input }
            if dialogues.isSwallowed(id) { return nil }
            // The handshake was counted when it began.
            if case .secured = input { return input }
            switch harm(to: id, at: now) {
            case nil: return input
            case .ended(let end): return self.end(id, end).first
            case .swallowed: return nil
            case .delayed(let span):
                dialogues.delay(input, until: now.boot + span)
                return nil
            }
        case .closed(let id, _):
            guard interface(of: id) != nil, !isProbe(id) else { return input }
            if !dialogues.takesLate(input), let last = dialogues.lateEnd(of: id) {
                dialogues.delay(input, until: last)
                return nil
            }
            dialogues.closed(id)
            return input
        default: return input
        }
    }

    /// The interface of the cut has another address.
    mutating func renumbered(at now: BootTime) -> Input? {
        guard let cut, cut.harm == .renumber, dialogues.takeRenumbering(at: now),
            let place = facts.firstIndex(where: { $0.interface == cut.interface })
        else { return nil }
        facts[place].addresses = facts[place].addresses.map { address in
            var bytes = address.bytes
            bytes[3] = bytes[3] % 250 + 1
            return IPAddress(bytes: bytes) ?? address
        }
        return .links(facts)
    }
}
