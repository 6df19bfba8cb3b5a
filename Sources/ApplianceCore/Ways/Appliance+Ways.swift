import AlarmModel
import PhoneLink
import PhoneProtocol
import Uplinks

/// The ways to people: what they order and tell.
extension Appliance {
    /// The ways that the configuration asks for, in the order of `WayKind`.
    static func waySettings(_ settings: PhoneSettings) -> [WaySettings] {
        var ways: [WaySettings] = settings.ways
        if let ccs = ccsSettings(settings) { ways.append(.ccs(ccs)) }
        return ways.sorted { $0.kind < $1.kind }
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
        ccs.pace.minimum = settings.timing.reconnectMinimum
        ccs.pace.maximum = settings.timing.reconnectMaximum
        ccs.pace.urgentMaximum = settings.timing.reconnectUrgent
        ccs.pace.refusedWait = settings.timing.refusedWait
        return ccs
    }

    /// Lets a way act and carries out what it orders.
    mutating func drive(
        _ kind: WayKind, at now: Moment, into effects: inout [Effect],
        _ act: (inout any Transport, inout [TransportAction]) -> Void
    ) {
        guard let index = hall.way(kind) else { return }
        var actions: [TransportAction] = []
        act(&hall.ways[index].carrier.transport, &actions)
        perform(actions, of: kind, at: now, into: &effects)
    }

    mutating func perform(
        _ actions: [TransportAction], of kind: WayKind, at now: Moment, into effects: inout [Effect]
    ) {
        for action in actions { perform(action, of: kind, at: now, into: &effects) }
    }

    private mutating func perform(
        _ action: TransportAction, of kind: WayKind, at now: Moment, into effects: inout [Effect]
    ) {
        switch action {
        case .connect(let slot, let target): connect(.way(kind), slot, to: target, at: now, into: &effects)
        case .cancelConnect(let slot): cancelConnect(.way(kind), slot, at: now, into: &effects)
        case .upgrade(let connection, let serverName, let authorityFile):
            effects.append(.startTLS(connection, serverName: serverName, authorityFile: authorityFile))
        case .send(let connection, let bytes):
            effects.append(.send(connection, bytes))
            flow(on: connection, into: &effects) { $0.ordered += UInt64(bytes.count) }
        case .close(let connection):
            effects.append(.close(connection))
            forget(connection)
        case .compute(let job, let what): compute(what, for: .transport(kind, job), into: &effects)
        case .locate(let job, let service): locate(service, for: .transport(kind, job), into: &effects)
        case .ready:
            guard let index = hall.way(kind) else { return }
            hall.ways[index].isReady = true
            if kind == .ccs { hall.legacy.connectionReady(at: now.boot) }
            hall.ways[index].offlineSince = nil
            // A problem that came with a message ends when a message is taken, and not with a login.
            let problem = hall.ways[index].carrier.transport.health.problem
            if problem.map({ $0.isPassing || $0.isInward }) ?? true { tellOnline(index, at: now) }
            sendMissedHeartbeats(by: kind, at: now)
            // Who was paired while the way was down need not wait for the next try.
            for index in hall.welcomes.indices {
                hall.welcomes[index].nextAt = min(hall.welcomes[index].nextAt, now.boot + .seconds(1))
            }
        case .notReady:
            guard let index = hall.way(kind) else { return }
            hall.ways[index].isReady = false
            if kind == .ccs { hall.legacy.connectionLost(at: now.boot) }
            if hall.ways[index].offlineSince == nil { hall.ways[index].offlineSince = now.boot }
        case .inbound(let message): heard(message, at: now, into: &effects)
        case .accepted(let message, let canonical): accepted(message, canonical: canonical, at: now, into: &effects)
        case .refused(let message, let refusal):
            textRefused(message, at: now, into: &effects)
            refused(message, refusal, by: kind, at: now, into: &effects)
        case .returned(let messages):
            #if SABOTAGE
                if sabotage == .returnedMessagesDropped, kind == .mqtt { return }
            #endif
            returned(messages, at: now)
        case .received(let message):
            textSpared(message, at: now, into: &effects)
            hall.outbox.received(message, at: now)
        case .problem(let problem):
            guard let index = hall.way(kind) else { return }
            noteDeafness(index, problem, at: now)
            if let problem, !problem.isInward {
                if !problem.isPassing { tellOffline(index, problem, at: now) }
            } else if hall.ways[index].isReady {
                tellOnline(index, at: now)
            }
        case .log(let entry): effects.append(.log(entry))
        case .serverTime(let time, let server): heard(time, of: server, at: now)
        }
    }

    // MARK: Computations

    mutating func compute(
        _ job: TransportJob, for purpose: PhoneHall.ComputeWait.Purpose, into effects: inout [Effect]
    ) {
        let id = ComputeID(hall.nextCompute)
        hall.nextCompute += 1
        hall.computeWaits.append(PhoneHall.ComputeWait(id: id, purpose: purpose))
        effects.append(.compute(id, job))
    }

    private mutating func locate(
        _ service: String, for purpose: PhoneHall.ComputeWait.Purpose, into effects: inout [Effect]
    ) {
        let id = ComputeID(hall.nextCompute)
        hall.nextCompute += 1
        hall.computeWaits.append(PhoneHall.ComputeWait(id: id, purpose: purpose))
        effects.append(.locate(id, service: service, failover?.link ?? .any))
    }

    mutating func located(
        _ id: ComputeID, _ lookup: ServiceLookup, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = hall.computeWaits.firstIndex(where: { $0.id == id }),
            case .transport(let way, let job) = hall.computeWaits.remove(at: index).purpose
        else { return }
        drive(way, at: now, into: &effects) { $0.located(job, lookup, at: now, into: &$1) }
    }

    mutating func computed(
        _ id: ComputeID, _ answer: TransportAnswer, at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = hall.computeWaits.firstIndex(where: { $0.id == id }) else { return }
        switch hall.computeWaits.remove(at: index).purpose {
        case .transport(let way, let job):
            drive(way, at: now, into: &effects) { $0.computed(job, answer, at: now, into: &$1) }
        case .contactSecrets: gotContactSecrets(answer, at: now, into: &effects)
        case .buttons(let entry, let address, let verbs):
            gotButtons(answer, entry, address, verbs, at: now, into: &effects)
        case .pressed(let topic): pressed(answer, from: topic, at: now, into: &effects)
        }
    }

    // MARK: Telling about it

    /// A lost way that comes back within this is no news.
    static let offlinePatience: Duration = .seconds(90)

    /// Once for each kind, in whatever words its service says it.
    mutating func tellOffline(_ index: Int, _ problem: TransportProblem, at now: Moment) {
        if let told = hall.ways[index].offlineTold, told.isSame(as: problem) { return }
        hall.ways[index].offlineTold = problem
        // The refusal of a message may have told it a moment ago.
        guard !hall.ways[index].refused.contains(where: { $0.service?.isSame(as: problem) ?? false }) else { return }
        noteOffline(index, problem, at: now)
    }

    private mutating func tellOnline(_ index: Int, at now: Moment) {
        hall.ways[index].offlineSince = nil
        guard hall.ways[index].offlineTold != nil else { return }
        hall.ways[index].offlineTold = nil
        noteOnline(index, at: now)
    }

    mutating func noteOffline(_ index: Int, _ problem: TransportProblem, at now: Moment) {
        note(.fault, .pushOffline, "Phones cannot be reached\(wayWords(index)): \(problem).", at: now)
    }

    /// As long as its service refuses messages, the way is not well.
    mutating func noteOnline(_ index: Int, at now: Moment) {
        guard !hall.ways[index].refused.contains(where: { $0.service != nil }) else { return }
        note(.recovery, .pushOnline, "Phones can be reached again\(wayWords(index)).", at: now)
    }

    func wayWords(_ index: Int) -> String {
        hall.ways.count == 1 ? "" : " by \(hall.ways[index].kind.words)"
    }

    mutating func noticeOffline(at now: Moment) {
        for index in hall.ways.indices {
            let way = hall.ways[index]
            guard let since = way.offlineSince, now.boot - since >= Self.offlinePatience, way.offlineTold == nil
            else { continue }
            let problem = way.carrier.transport.health.problem
            tellOffline(index, problem ?? TransportProblem(.silent, "the service does not answer"), at: now)
        }
    }
}

extension WayKind {
    /// As it stands after "by".
    var words: String {
        switch self {
        case .ntfy: "ntfy"
        case .fcm: "FCM (HTTP)"
        case .ccs: "FCM (XMPP)"
        case .xmpp: "XMPP"
        case .mqtt: "MQTT"
        case .mail: "mail"
        case .url: "URL"
        case .program: "program"
        case .beanstalk: "beanstalkd"
        }
    }
}
