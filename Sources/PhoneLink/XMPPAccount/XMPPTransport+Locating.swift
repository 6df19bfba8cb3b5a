package import AlarmModel
package import PhoneProtocol

/// Where the server of a domain is: SRV records (RFC 6120 3.2, XEP-0368), and without them the domain itself.
///
/// The name that the server has to prove stays the domain: who forges an answer gains nothing but a failed login.
extension XMPPTransport {
    /// A question to the name servers that is under way, or answered.
    struct Lookup: Codable, Hashable, Sendable {
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
        var isClosed: (direct: Bool, plain: Bool) = (false, false)
        var isKnown = false
        for lookup in answers {
            guard case .records(let records)? = lookup.answer else { continue }
            isKnown = true
            // A single record without a target says that there is no such service (RFC 2782).
            if records.count == 1, records[0].target.isEmpty {
                if lookup.isDirect { isClosed.direct = true } else { isClosed.plain = true }
            }
            for record in records where !record.target.isEmpty && record.port != 0 {
                found.append((settings.route(to: record, isDirect: lookup.isDirect), record))
            }
        }
        if !found.isEmpty {
            let sorted = ServiceOrder.sorted(found, by: \.record, &jitter).prefix(Self.placeLimit).map(\.route)
            located = sorted
            lastLocated = sorted
            route = 0
        } else if !isKnown, !lastLocated.isEmpty {
            // The name servers are dead: where it was is where it is.
            located = lastLocated
        } else {
            let isDirectClosed = isClosed.direct
            let rest = isClosed.plain ? [] : settings.routes.filter { !($0.isDirect && isDirectClosed) }
            guard !rest.isEmpty else { return giveUp(XMPPProblem.noService, at: now, into: &actions) }
            located = rest
        }
        route %= routes.count
        failedRoutes = 0
        connect(at: now, into: &actions)
    }
}
