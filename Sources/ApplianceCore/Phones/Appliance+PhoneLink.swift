import AlarmModel
import PhoneLink
import PhoneProtocol
import Uplinks

/// The connection to the push service: dialing, TLS, and what the link reports.
extension Appliance {
    /// The link that the configuration asks for; nil without an account.
    static func makeLink(_ settings: PhoneSettings, seed: UInt64) -> CCSLink? {
        ccsSettings(settings).map { CCSLink(settings: $0, seed: seed) }
    }

    static func ccsSettings(_ settings: PhoneSettings) -> CCSSettings? {
        guard let account = settings.account else { return nil }
        var ccs = CCSSettings(
            senderID: account.senderID, apiKey: account.apiKey, host: settings.host, port: settings.port,
            caFile: settings.authorityFile)
        ccs.idleBeforePing = settings.timing.pingAfter
        ccs.pingPatience = settings.timing.pingPatience
        ccs.setupDeadline = settings.timing.setupDeadline
        ccs.ackPatience = settings.timing.ackPatience
        ccs.backoffMinimum = settings.timing.reconnectMinimum
        ccs.backoffMaximum = settings.timing.reconnectMaximum
        ccs.urgentMaximum = settings.timing.reconnectUrgent
        ccs.refusedWait = settings.timing.refusedWait
        return ccs
    }

    /// Lets the link act and carries out what it orders.
    mutating func driveLink(
        at now: Moment, into effects: inout [Effect], _ act: (inout CCSLink, inout [CCSAction]) -> Void
    ) {
        guard var link = hall.link else { return }
        var actions: [CCSAction] = []
        act(&link, &actions)
        hall.link = link
        for action in actions { perform(action, at: now, into: &effects) }
    }

    private mutating func perform(_ action: CCSAction, at now: Moment, into effects: inout [Effect]) {
        switch action {
        case .connect:
            drivePhoneDialer(at: now, into: &effects) { dialer, core, actions in
                dialer.dial(
                    name: core.configuration.phones.host, port: core.configuration.phones.port, link: .any,
                    remembered: core.addresses, at: now, into: &actions)
            }
        case .cancelConnect:
            if let securing = hall.securing {
                hall.securing = nil
                effects.append(.close(securing))
            }
            drivePhoneDialer(at: now, into: &effects) { dialer, _, actions in dialer.cancel(at: now, into: &actions) }
        case .send(let connection, let bytes):
            effects.append(.send(connection, bytes))
            flow(on: connection, into: &effects) { $0.ordered += UInt64(bytes.count) }
        case .close(let connection):
            effects.append(.close(connection))
            hall.flows.removeAll { $0.connection == connection }
        case .ready:
            hall.isReady = true
            hall.legacy.connectionReady(at: now.boot)
            tellOnline(at: now)
        case .notReady:
            hall.isReady = false
            hall.legacy.connectionLost(at: now.boot)
            if hall.offlineSince == nil { hall.offlineSince = now.boot }
        case .upstream(let upstream): heard(upstream, at: now, into: &effects)
        case .accepted(let message, let canonical): accepted(message, canonical: canonical, at: now, into: &effects)
        case .refused(let message, let error, let text): refused(message, error, text, at: now)
        case .returned(let messages): returned(messages, at: now)
        case .received(let message, _): hall.outbox.received(message, at: now)
        case .problem(let problem):
            if let problem, problem.isWorthTelling { tellOffline(problem.description, at: now) }
        case .log(let entry): effects.append(.log(entry))
        }
    }

    // MARK: Dialing and TLS

    private mutating func drivePhoneDialer(
        at now: Moment, into effects: inout [Effect],
        _ act: (inout Dialer, Appliance, inout [Dialer.Action]) -> Void
    ) {
        var actions: [Dialer.Action] = []
        act(&hall.dialer, self, &actions)
        for action in actions {
            switch action {
            case .resolve(let id, let name, let link): effects.append(.resolve(id, name: name, link))
            case .open(let connection, let endpoint, let link): effects.append(.open(connection, endpoint, link))
            case .close(let connection): effects.append(.close(connection))
            case .connected(let connection):
                hall.securing = connection
                effects.append(
                    .startTLS(
                        connection, serverName: configuration.phones.host,
                        authorityFile: configuration.phones.authorityFile))
            case .failed(let failure):
                driveLink(at: now, into: &effects) { $0.connectFailed(.dial(failure), at: now, into: &$1) }
            case .remember(let address): remember(address)
            }
        }
    }

    mutating func phoneResolved(
        _ id: ResolveID, _ resolution: Resolution, at now: Moment, into effects: inout [Effect]
    ) {
        drivePhoneDialer(at: now, into: &effects) { dialer, _, actions in
            dialer.resolved(id, resolution, at: now, into: &actions)
        }
    }

    mutating func phoneOpened(_ connection: ConnectionID, at now: Moment, into effects: inout [Effect]) {
        drivePhoneDialer(at: now, into: &effects) { dialer, _, actions in
            dialer.opened(connection, at: now, into: &actions)
        }
    }

    mutating func secured(_ connection: ConnectionID, at now: Moment, into effects: inout [Effect]) {
        guard hall.securing == connection else { return }
        hall.securing = nil
        driveLink(at: now, into: &effects) { $0.connected(connection, at: now, into: &$1) }
    }

    mutating func phoneClosed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into effects: inout [Effect]
    ) {
        if hall.securing == connection {
            hall.securing = nil
            let failure: CCSConnectFailure =
                if case .tls(let failure) = end { .tls(failure) } else { .dial(.unreachable(end)) }
            return driveLink(at: now, into: &effects) { $0.connectFailed(failure, at: now, into: &$1) }
        }
        hall.flows.removeAll { $0.connection == connection }
        drivePhoneDialer(at: now, into: &effects) { dialer, _, actions in
            dialer.openFailed(connection, end, at: now, into: &actions)
        }
        driveLink(at: now, into: &effects) { $0.closed(connection, end, at: now, into: &$1) }
    }

    mutating func phoneDialerDue(at now: Moment, into effects: inout [Effect]) {
        drivePhoneDialer(at: now, into: &effects) { dialer, _, actions in dialer.timerFired(at: now, into: &actions) }
    }

    // MARK: Backpressure

    mutating func phoneSent(_ connection: ConnectionID, upTo: UInt64, into effects: inout [Effect]) {
        flow(on: connection, into: &effects) { $0.left = max($0.left, upTo) }
    }

    private mutating func flow(
        on connection: ConnectionID, into effects: inout [Effect], _ change: (inout PhoneHall.Flow) -> Void
    ) {
        let index: Int
        if let known = hall.flows.firstIndex(where: { $0.connection == connection }) {
            index = known
        } else {
            index = hall.flows.count
            hall.flows.append(PhoneHall.Flow(connection: connection))
        }
        change(&hall.flows[index])
        let waiting = hall.flows[index].ordered - min(hall.flows[index].left, hall.flows[index].ordered)
        if !hall.flows[index].isPaused, waiting >= PhoneHall.Flow.pauseAt {
            hall.flows[index].isPaused = true
            effects.append(.pause(connection))
        } else if hall.flows[index].isPaused, waiting <= PhoneHall.Flow.resumeAt {
            hall.flows[index].isPaused = false
            effects.append(.resume(connection))
        }
    }

    // MARK: Telling about it

    /// A lost way that comes back within this is no news.
    static let offlinePatience: Duration = .seconds(90)

    mutating func tellOffline(_ why: String, at now: Moment) {
        guard hall.offlineTold != why else { return }
        hall.offlineTold = why
        note(.fault, .pushOffline, "Phones cannot be reached: \(why).", at: now)
    }

    private mutating func tellOnline(at now: Moment) {
        hall.offlineSince = nil
        guard hall.offlineTold != nil else { return }
        hall.offlineTold = nil
        note(.recovery, .pushOnline, "Phones can be reached again.", at: now)
    }

    mutating func noticeOffline(at now: Moment) {
        guard let since = hall.offlineSince, now.boot - since >= Self.offlinePatience, hall.offlineTold == nil,
            let link = hall.link
        else { return }
        tellOffline(link.report.problem?.description ?? "the push service does not answer", at: now)
    }
}

extension CCSProblem {
    /// Told at once: it does not pass by itself. Everything else is told when it lasts.
    fileprivate var isWorthTelling: Bool {
        if case .tls = self { return true }
        return isRefusal
    }
}
