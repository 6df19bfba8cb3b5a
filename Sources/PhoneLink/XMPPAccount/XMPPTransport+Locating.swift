package import AlarmModel
package import PhoneProtocol

/// Where the server of a domain is: SRV records (RFC 6120 3.2, XEP-0368), then where it was when it last proved itself,
/// then the domain itself.
///
/// The name that the server has to prove stays the domain: who forges an answer gains nothing but failed logins. What the
/// records say keeps us from no other place: a forged "there is no such service" (a record without a target, RFC 2782)
/// would silence the account. Names of servers are asked by the link that the connection takes, records by the usual one.
extension XMPPTransport {
    /// A question to the name servers that is under way, or answered.
    struct Lookup: Codable, Equatable, Sendable {
        var job: TransportJobID
        var isDirect: Bool
        var answer: ServiceLookup?
    }

    /// What is tried, in this order; never empty.
    var routes: [XMPPSettings.Route] { located ?? settings.routes }

    /// Places of one lookup that are tried.
    private static var placeLimit: Int { 8 }

    mutating func locate(at now: Moment, into actions: inout [TransportAction]) {
        attempts.dialPatience = settings.lookupPatience
        attempts.dial(at: now)
        lookups = settings.routes.map(\.isDirect).map { isDirect in
            jobs &+= 1
            return Lookup(job: TransportJobID(jobs), isDirect: isDirect)
        }
        for lookup in lookups {
            actions.append(.locate(lookup.job, service: settings.serviceName(isDirect: lookup.isDirect)))
        }
    }

    package mutating func located(
        _ job: TransportJobID, _ lookup: ServiceLookup, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard let index = lookups.firstIndex(where: { $0.job == job }) else { return }
        lookups[index].answer = lookup
        guard lookups.allSatisfy({ $0.answer != nil }) else { return }
        dialLocated(at: now, into: &actions)
    }

    /// With what the name servers have said so far.
    mutating func dialLocated(at now: Moment, into actions: inout [TransportAction]) {
        let answers = lookups
        lookups = []
        var found: [(route: XMPPSettings.Route, record: ServiceRecord)] = []
        var closed = 0
        for lookup in answers {
            guard case .records(let records)? = lookup.answer else { continue }
            if records.count == 1, records[0].target.isEmpty { closed += 1 }
            for record in records where !record.target.isEmpty && record.port != 0 {
                found.append((settings.route(to: record, isDirect: lookup.isDirect), record))
            }
        }
        saysNoService = closed == answers.count
        var places = Array(ServiceOrder.sorted(found, by: \.record, &jitter).prefix(Self.placeLimit).map(\.route))
        if !places.isEmpty || !proved.isEmpty { route = 0 }
        for other in proved + settings.routes where !places.contains(other) { places.append(other) }
        located = places
        route %= routes.count
        failedRoutes = 0
        connect(at: now, into: &actions)
    }
}
