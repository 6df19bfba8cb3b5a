import AlarmModel

/// The state of one dial: what is still to be tried, what is under way, when the next thing is due.
struct DialRace: Codable, Equatable, Sendable {
    struct Attempt: Codable, Equatable, Sendable {
        var id: ConnectionID
        var address: IPAddress
    }

    var name: String
    var port: UInt16
    var link: Link
    /// The question to the name servers; nil for an address.
    var question: ResolveID?
    var deadline: BootTime
    /// Time from which fresh addresses are tried, where the remembered ones go first; nil: at once.
    var freshFrom: BootTime?
    /// When remembered addresses come in; nil once they have, or when they are not needed.
    var fallback: BootTime?
    var isResolving: Bool
    var remembered: [IPAddress]
    /// From the name servers, or the literal; still to be tried.
    var fresh: [IPAddress] = []
    /// From memory; still to be tried, after the fresh ones.
    var old: [IPAddress] = []
    var attempts: [Attempt] = []
    /// Every address that was ever queued.
    var known: [IPAddress] = []
    var wasLastIPv6 = false
    /// The earliest start of the next attempt.
    var nextStart: BootTime
    var lastEnd: ConnectionEnd?
    var resolveFailure: ResolveFailure?
}

extension DialRace {
    var isLiteral: Bool { question == nil }
    var hasUntried: Bool { !fresh.isEmpty || !old.isEmpty }

    /// Adds what was never queued before, up to the limit of each family.
    mutating func queue(_ addresses: [IPAddress], isFresh: Bool) {
        for address in addresses where !known.contains(address) {
            guard known.count(where: { $0.isIPv6 == address.isIPv6 }) < Dialer.addressLimit else { continue }
            known.append(address)
            if isFresh { fresh.append(address) } else { old.append(address) }
        }
        // Remembered addresses that the name servers confirm go first with the rest of the answer.
        if isFresh, freshFrom == nil {
            let confirmed = old.filter { addresses.contains($0) }
            fresh.append(contentsOf: confirmed)
            old.removeAll { confirmed.contains($0) }
        }
    }

    mutating func giveUpResolving(_ failure: ResolveFailure) {
        resolveFailure = failure
        // Not again if they are in the race already.
        if fallback != nil { queue(remembered, isFresh: false) }
        fallback = nil
    }

    /// The next address: fresh before old, or the other way round; the other family than the last where there is one,
    /// IPv6 first.
    mutating func takeNext(at now: BootTime) -> IPAddress? {
        guard let address = freshFrom == nil ? take(from: \.fresh) ?? take(from: \.old) : takeOldFirst(at: now) else {
            return nil
        }
        wasLastIPv6 = address.isIPv6
        return address
    }

    private mutating func takeOldFirst(at now: BootTime) -> IPAddress? {
        if let address = take(from: \.old) { return address }
        return mayTakeFresh(at: now) ? take(from: \.fresh) : nil
    }

    private func mayTakeFresh(at now: BootTime) -> Bool {
        attempts.isEmpty || freshFrom.map { $0 <= now } ?? true
    }

    /// The earliest start of what is still to be tried; nil: there is nothing.
    var startDue: BootTime? {
        guard hasUntried else { return nil }
        guard let freshFrom, old.isEmpty, !attempts.isEmpty else { return nextStart }
        return max(nextStart, freshFrom)
    }

    private mutating func take(from list: WritableKeyPath<Self, [IPAddress]>) -> IPAddress? {
        guard !self[keyPath: list].isEmpty else { return nil }
        let index = self[keyPath: list].firstIndex { $0.isIPv6 != wasLastIPv6 } ?? 0
        return self[keyPath: list].remove(at: index)
    }
}
