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
        _ kind: WayKind, _ step: inout Step,
        _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        guard let index = hall.way(kind) else { return }
        var actions: [TransportAction] = []
        hall.ways[index].carrier.drive(into: &actions) { act(&$0, step.now, &$1) }
        perform(actions, of: kind, &step)
    }

    mutating func perform(
        _ actions: [TransportAction], of kind: WayKind, _ step: inout Step
    ) {
        for action in actions { perform(action, of: kind, &step) }
    }

    private mutating func perform(
        _ action: TransportAction, of kind: WayKind, _ step: inout Step
    ) {
        switch action {
        case .connect(let slot, let target): connect(.way(kind), slot, to: target, &step)
        case .cancelConnect(let slot): cancelConnect(.way(kind), slot, &step)
        case .upgrade(let connection, let serverName, let authorityFile):
            step.effects.append(.startTLS(connection, serverName: serverName, authorityFile: authorityFile))
        case .send(let connection, let bytes):
            step.effects.append(.send(connection, bytes))
            flow(on: connection, &step) { $0.ordered += UInt64(bytes.count) }
        case .close(let connection):
            step.effects.append(.close(connection))
            forget(connection)
        case .compute(let job, let what): compute(what, for: .transport(kind, job), &step)
        case .locate(let job, let service): locate(service, for: .transport(kind, job), &step)
        case .ready:
            guard let index = hall.way(kind) else { return }
            hall.ways[index].isReady = true
            if kind == .ccs { hall.legacy.connectionReady(at: step.now.boot) }
            hall.ways[index].offlineSince = nil
            // A problem that came with a message ends when a message is taken, and not with a login.
            let problem = hall.ways[index].carrier.transport.health.problem
            if problem.map({ $0.isPassing || $0.isInward }) ?? true { tellOnline(index, &step) }
            sendMissedHeartbeats(by: kind, &step)
            // Who was paired while the way was down need not wait for the next try.
            for index in hall.welcomes.indices {
                hall.welcomes[index].nextAt = min(hall.welcomes[index].nextAt, step.now.boot + .seconds(1))
            }
        case .notReady:
            guard let index = hall.way(kind) else { return }
            hall.ways[index].isReady = false
            if kind == .ccs { hall.legacy.connectionLost(at: step.now.boot) }
            if hall.ways[index].offlineSince == nil { hall.ways[index].offlineSince = step.now.boot }
        case .upstream(let upstream): heard(upstream, &step)
        case .accepted(let message, let canonical): accepted(message, canonical: canonical, &step)
        case .refused(let message, let refusal):
            textRefused(message, &step)
            refused(message, refusal, by: kind, &step)
        case .returned(let messages):
            #if SABOTAGE
                if sabotage == .returnedMessagesDropped, kind == .mqtt { return }
            #endif
            returned(messages, &step)
        case .received(let message):
            textSpared(message, &step)
            hall.outbox.received(message, at: step.now)
        case .problem(let problem):
            guard let index = hall.way(kind) else { return }
            noteDeafness(index, problem, &step)
            if let problem, !problem.isInward {
                if !problem.isPassing { tellOffline(index, problem.description, &step) }
            } else if hall.ways[index].isReady {
                tellOnline(index, &step)
            }
        case .log(let entry): step.effects.append(.log(entry))
        case .serverTime(let time, let server): heard(time, of: server, &step)
        }
    }

    // MARK: Computations

    mutating func compute(
        _ job: TransportJob, for purpose: PhoneHall.ComputeWait.Purpose, _ step: inout Step
    ) {
        let id = ComputeID(hall.nextCompute)
        hall.nextCompute += 1
        hall.computeWaits.append(PhoneHall.ComputeWait(id: id, purpose: purpose))
        step.effects.append(.compute(id, job))
    }

    private mutating func locate(
        _ service: String, for purpose: PhoneHall.ComputeWait.Purpose, _ step: inout Step
    ) {
        let id = ComputeID(hall.nextCompute)
        hall.nextCompute += 1
        hall.computeWaits.append(PhoneHall.ComputeWait(id: id, purpose: purpose))
        step.effects.append(.locate(id, service: service, failover?.link ?? .any))
    }

    mutating func located(
        _ id: ComputeID, _ lookup: ServiceLookup, _ step: inout Step
    ) {
        guard let index = hall.computeWaits.firstIndex(where: { $0.id == id }),
            case .transport(let way, let job) = hall.computeWaits.remove(at: index).purpose
        else { return }
        drive(way, &step) { $0.located(job, lookup, at: $1, into: &$2) }
    }

    mutating func computed(
        _ id: ComputeID, _ answer: TransportAnswer, _ step: inout Step
    ) {
        guard let index = hall.computeWaits.firstIndex(where: { $0.id == id }) else { return }
        switch hall.computeWaits.remove(at: index).purpose {
        case .transport(let way, let job):
            drive(way, &step) { $0.computed(job, answer, at: $1, into: &$2) }
        case .contactSecrets: gotContactSecrets(answer, &step)
        case .buttons(let entry, let address, let verbs):
            gotButtons(answer, entry, address, verbs, &step)
        case .pressed(let topic): pressed(answer, from: topic, &step)
        }
    }

    // MARK: Telling about it

    /// A lost way that comes back within this is no news.
    static let offlinePatience: Duration = .seconds(90)

    mutating func tellOffline(_ index: Int, _ why: String, _ step: inout Step) {
        if let told = hall.ways[index].offlineTold, Self.gist(of: told) == Self.gist(of: why) { return }
        hall.ways[index].offlineTold = why
        // The refusal of a message may have told it a moment ago.
        guard !hall.ways[index].refused.contains(where: { $0.service == why }) else { return }
        noteOffline(index, why, &step)
    }

    /// A problem without what its service says: that stands in brackets, and may be worded anew each time.
    private static func gist(of why: String) -> String {
        var depth = 0
        return why.filter { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth <= 0
        }
    }

    private mutating func tellOnline(_ index: Int, _ step: inout Step) {
        hall.ways[index].offlineSince = nil
        guard hall.ways[index].offlineTold != nil else { return }
        hall.ways[index].offlineTold = nil
        noteOnline(index, &step)
    }

    mutating func noteOffline(_ index: Int, _ why: String, _ step: inout Step) {
        note(.fault, .pushOffline, "Phones cannot be reached\(wayWords(index)): \(why).", &step)
    }

    /// As long as its service refuses messages, the way is not well.
    mutating func noteOnline(_ index: Int, _ step: inout Step) {
        guard !hall.ways[index].refused.contains(where: { $0.service != nil }) else { return }
        note(.recovery, .pushOnline, "Phones can be reached again\(wayWords(index)).", &step)
    }

    func wayWords(_ index: Int) -> String {
        hall.ways.count == 1 ? "" : " by \(hall.ways[index].kind.words)"
    }

    mutating func noticeOffline(_ step: inout Step) {
        for index in hall.ways.indices {
            let way = hall.ways[index]
            guard let since = way.offlineSince, step.now.boot - since >= Self.offlinePatience, way.offlineTold == nil
            else { continue }
            let why = way.carrier.transport.health.problem?.description ?? "the service does not answer"
            tellOffline(index, why, &step)
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
