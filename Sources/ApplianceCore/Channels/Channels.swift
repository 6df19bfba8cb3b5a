import AlarmModel
import PhoneLink
import PhoneProtocol

/// The channels to people, as the configuration asks for them, and the dead-man ping: their transports, whether they
/// can be used, and what is told when they cannot.
///
/// Guarantees: a channel whose settings stay as they are goes on undisturbed when the configuration is read anew; a
/// fault of a channel is told once, and its end once. Knows nothing of links, of messages that wait, or of what comes
/// in.
struct Channels: Machine, Codable, Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// What a transport orders or tells.
        case transport(TransportAction, of: LineOwner)
        /// The dead-man ping has acted: see what is to be told of it.
        case pinged
        /// This owner wants no connection any more.
        case ended(LineOwner)
    }

    /// One of each kind at most, in the order of `ChannelKind`.
    var channels: [Channel] = []
    /// As it was shown last.
    private var shown: HousePicture?
    /// The sign of life to a service outside; nil where none is configured.
    var ping: ConfiguredPing?
    var actions: [Action] = []

    private enum CodingKeys: String, CodingKey { case channels, shown, ping }

    // MARK: Looks

    // A channel is large: these are asked several times in each step and look at it in place.
    func index(of kind: ChannelKind) -> Int? {
        for index in channels.indices where channels[index].kind == kind { return index }
        return nil
    }

    var isAnyReady: Bool {
        for index in channels.indices where channels[index].isReady { return true }
        return false
    }

    var reach: ChannelReach {
        var reach = ChannelReach()
        for index in channels.indices where channels[index].isReady {
            reach.ready.append(channels[index].kind)
            if channels[index].carrier.transport.health.isHealthy { reach.healthy.append(channels[index].kind) }
        }
        return reach
    }

    /// nil: it takes nothing now.
    func room(of kind: ChannelKind) -> TransportRoom? {
        guard let index = index(of: kind), channels[index].isReady else { return nil }
        return channels[index].carrier.transport.room
    }

    /// True while a message is under way; nil while the channel takes none.
    func isUnderWay(_ kind: ChannelKind) -> Bool? {
        guard let index = index(of: kind), channels[index].isReady else { return nil }
        return channels[index].carrier.transport.health.underWay > 0
    }

    var nextDeadline: BootTime? {
        var times = inboundDeadlines
        for index in channels.indices {
            let next = channels[index].heldUntil ?? channels[index].carrier.transport.nextDeadline
            if let next { times.append(next) }
            guard channels[index].offlineTold == nil, let since = channels[index].offlineSince else { continue }
            times.append(since + Self.offlinePatience)
        }
        return times.min()
    }

    // MARK: Driving

    /// Lets a channel act.
    mutating func drive(
        _ kind: ChannelKind, _ step: inout Step, _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        guard let index = index(of: kind) else { return }
        var orders: [TransportAction] = []
        let before = (channels[index].carrier.transport as? ReceiverTransport)?.exchanges
        act(&channels[index].carrier.transport, step.nowForServers, &orders)
        for order in orders { actions.append(.transport(order, of: .channel(kind))) }
        guard let receiver = channels[index].carrier.transport as? ReceiverTransport else { return }
        if receiver.exchanges != before { step.tookSignOfLife(.receiver) }
        guard receiver.record != step.receiver ?? ReceiverRecord() else { return }
        step.receiver = receiver.record
        step.writes.writesState = true
    }

    /// Lets whoever owns a connection act.
    mutating func drive(
        _ owner: LineOwner, _ step: inout Step, _ act: (inout any Transport, Moment, inout [TransportAction]) -> Void
    ) {
        switch owner {
        case .channel(let kind): drive(kind, &step, act)
        case .deadManPing: drivePing(&step, act)
        case .updates, .cameras, .history, .ups, .calls: break
        }
    }

    mutating func take(_ fact: LineFact, _ owner: LineOwner, _ step: inout Step) {
        drive(owner, &step) { transport, now, actions in
            switch fact {
            case .connected(let connection, let slot):
                transport.connected(connection, slot: slot, at: now, into: &actions)
            case .failed(let failure, let slot):
                transport.connectFailed(failure, slot: slot, at: now, into: &actions)
            case .secured(let connection): transport.secured(connection, at: now, into: &actions)
            case .received(let connection, let bytes): transport.received(connection, bytes, at: now, into: &actions)
            case .closed(let connection, let end): transport.closed(connection, end, at: now, into: &actions)
            }
        }
    }

    mutating func networkChanged(_ owner: LineOwner, _ step: inout Step) {
        drive(owner, &step) { $0.networkChanged(at: $1, into: &$2) }
    }

    /// - Returns: whether the channel has taken the message
    mutating func deliver(_ delivery: Delivery, by kind: ChannelKind, _ step: inout Step) -> Bool {
        guard let index = index(of: kind), channels[index].isReady else { return false }
        var wasTaken = false
        drive(kind, &step) { wasTaken = $0.deliver(delivery, at: $1, into: &$2) }
        return wasTaken
    }

    mutating func setUrgent(_ isUrgent: Bool, _ kind: ChannelKind, _ step: inout Step) {
        guard let index = index(of: kind), channels[index].isUrgent != isUrgent, channels[index].heldUntil == nil
        else { return }
        channels[index].isUrgent = isUrgent
        drive(kind, &step) { transport, now, _ in transport.setUrgent(isUrgent, at: now) }
    }

    mutating func acknowledge(_ inbound: InboundMessage, _ step: inout Step) {
        #if SABOTAGE
            if step.sabotage == .databaseNotEmptied, inbound.channel == .fcm { return }
        #endif
        drive(inbound.channel, &step) { $0.acknowledge(inbound, at: $1, into: &$2) }
    }

    /// Channels that show the house as a whole are told each change of it.
    mutating func show(_ picture: HousePicture, _ step: inout Step) {
        guard picture != shown else { return }
        shown = picture
        for kind in [ChannelKind.mqtt, .xmpp] {
            drive(kind, &step) { $0.houseChanged(picture, at: $1, into: &$2) }
        }
    }

    /// Channels that have to know to whom they listen.
    ///
    /// - Parameter phones: `host/topic` of topics that paired phones, and one that is being paired, send to
    mutating func listen(
        to contacts: [Contact], phones: [String], _ kind: ChannelKind, _ step: inout Step
    ) {
        var theirs = contacts.filter { ChannelKind.carrying($0.kind, of: [kind]) != nil }.map(\.commandsFrom)
        if kind == .ntfy {
            let place = step.topicPlace + "/"
            // A topic server knows its topics without its own name.
            theirs = (theirs + phones.filter { $0.hasPrefix(place) }).map { address in
                address.split(separator: "/").last.map(String.init) ?? ""
            }
            theirs = theirs.filter(NtfySettings.isTopic)
        }
        drive(kind, &step) { $0.listen(to: theirs.sorted(), at: $1, into: &$2) }
    }

    /// Whoever needs another network, or another time, tries again.
    var unready: [LineOwner] {
        let channels: [LineOwner] = channels.filter { !$0.isReady && $0.heldUntil == nil }.map { .channel($0.kind) }
        return (ping?.deadManPing.misses ?? 0) > 0 ? channels + [.deadManPing] : channels
    }

    // MARK: Reports

    /// - Parameter channel: by which channel an address is reached
    func reports(_ lines: [OutboxReport], kind: (AddressID) -> ChannelKind?) -> [PhonesReport.Channel] {
        channels.map { channel in
            let health = channel.carrier.transport.health
            let theirs = lines.filter { kind($0.address) == channel.kind }
            return PhonesReport.Channel(
                kind: channel.kind.rawValue, phase: health.phase, problem: health.problem?.description,
                lastAccepted: theirs.compactMap(\.lastAccepted).max() ?? health.lastAccepted,
                waiting: theirs.reduce(0) { $0 + $1.waiting })
        }
    }

    /// Health of the channel to phones that stands for all of them where only one is shown; nil without such a channel.
    var firstHealth: TransportHealth? {
        let place = index(of: .ccs) ?? channels.firstIndex { $0.kind.leadsToPhones }
        return place.map { channels[$0].carrier.transport.health }
    }

    /// Problem of the channel of `firstHealth`, or of the first channel of the house; nil while there is none.
    var firstProblem: String? {
        if let problem = firstHealth?.problem { return problem.description }
        let house = channels.filter { !$0.kind.leadsToPhones }
        return house.compactMap { channel in
            channel.carrier.transport.health.problem.map { "\(channel.kind.words): \($0)" }
        }.first
    }

    // MARK: What a transport orders and tells

    /// What concerns this machine alone.
    ///
    /// - Returns: false for what others have to do or to know
    mutating func perform(_ action: TransportAction, of owner: LineOwner, _ step: inout Step) -> Bool {
        if case .log(let entry) = action {
            step.log(entry)
            return true
        }
        // The dead-man ping wants connections and nothing else.
        guard case .channel(let kind) = owner else {
            switch action {
            case .connect, .cancelConnect, .send, .close, .serverTime: return false
            case .upgrade, .compute, .locate, .ready, .notReady, .accepted, .received, .refused, .returned, .inbound,
                .problem, .log, .presence:
                return true
            }
        }
        switch action {
        case .upgrade(let connection, let serverName, let authorityFile):
            step.effects.append(
                .startTLS(
                    connection, serverName: serverName, authorityFile: authorityFile, at: step.timeForServers))
        case .compute(let job, let what): step.compute(what, for: .transport(kind, job))
        case .problem(let problem): self.problem(problem, of: kind, &step)
        case .connect, .cancelConnect, .send, .close, .locate, .ready, .notReady, .accepted, .received, .refused,
            .returned, .inbound, .serverTime, .log, .presence:
            return false
        }
        return true
    }

    mutating func becameReady(_ kind: ChannelKind, _ step: inout Step) {
        guard let index = index(of: kind) else { return }
        channels[index].isReady = true
        channels[index].offlineSince = nil
        if let push = channels[index].carrier.transport as? WebPushTransport { step.pushKey = push.publicKey }
        // A problem that came with a message ends when a message is taken, and not with a login.
        let problem = channels[index].carrier.transport.health.problem
        if problem.map({ $0.isPassing || $0.isInward }) ?? true { tellOnline(index, &step) }
    }

    mutating func becameUnready(_ kind: ChannelKind, _ step: inout Step) {
        guard let index = index(of: kind) else { return }
        channels[index].isReady = false
        if channels[index].offlineSince == nil { channels[index].offlineSince = step.now.boot }
    }

    private mutating func problem(_ problem: TransportProblem?, of kind: ChannelKind, _ step: inout Step) {
        guard let index = index(of: kind) else { return }
        noteInbound(index, problem, &step)
        if let problem, !problem.isInward {
            if !problem.isPassing { tellOffline(index, problem, &step) }
        } else if channels[index].isReady {
            tellOnline(index, &step)
        }
    }

    // MARK: Life

    /// Takes over the channels of the configuration; `start` begins their work.
    mutating func configure(seed: UInt64, _ step: inout Step) {
        for (index, settings) in step.channelSettings.enumerated() {
            channels.append(Channel(settings, seed: seed &+ UInt64(index), receiver: step.receiver))
        }
        step.channels = channels.map(\.kind)
        #if SABOTAGE
            for index in channels.indices {
                if var ccs = channels[index].carrier.transport as? CCSTransport {
                    ccs.sabotage = step.sabotage
                    channels[index].carrier.transport = ccs
                }
                if var mqtt = channels[index].carrier.transport as? MQTTTransport {
                    mqtt.sabotage = step.sabotage
                    channels[index].carrier.transport = mqtt
                }
            }
        #endif
    }

    /// How long a channel that was at work in the last crashes lets the others go first.
    private static let suspectHold: Duration = .minutes(2)

    /// - Parameter isSuspect: it was at work in the last crashes; with no other it starts all the same
    mutating func start(_ kind: ChannelKind, isSuspect: Bool = false, _ step: inout Step) {
        guard let index = index(of: kind) else { return }
        channels[index].offlineSince = step.now.boot
        guard !isSuspect || channels.count == 1 else {
            channels[index].heldUntil = step.now.boot + Self.suspectHold
            return step.note(
                .info, .safeMode,
                "\(kind.words) was at work in the last crashes: it starts two minutes later than the others.",
                about: .channel(kind))
        }
        channels[index].heldUntil = nil
        drive(kind, &step) { $0.start(at: $1, into: &$2) }
    }

    mutating func timerFired(_ kind: ChannelKind, _ step: inout Step) {
        guard let index = index(of: kind), let until = channels[index].heldUntil else {
            return drive(kind, &step) { $0.timerFired(at: $1, into: &$2) }
        }
        if until <= step.now.boot { start(kind, &step) }
    }

    mutating func stop(_ kind: ChannelKind, _ step: inout Step) { drive(kind, &step) { $0.stop(at: $1, into: &$2) } }

    /// The configuration was read anew. A channel whose settings are as they were goes on undisturbed.
    mutating func reconfigure(_ step: inout Step) {
        let wanted = step.channelSettings
        for kind in step.channels where !wanted.contains(where: { $0.kind == kind }) { remove(kind, &step) }
        for (number, settings) in wanted.enumerated() {
            if let index = index(of: settings.kind) {
                guard channels[index].settings != settings, !change(settings, &step) else { continue }
                remove(settings.kind, &step)
            }
            let seed = step.questions.nextVaultJob &+ UInt64(step.startedAt.nanoseconds) &+ UInt64(number)
            channels.append(Channel(settings, seed: seed, receiver: step.receiver))
            channels.sort { $0.kind < $1.kind }
            start(settings.kind, &step)
        }
        step.channels = channels.map(\.kind)
        // The house is shown again as a whole.
        shown = nil
    }

    private mutating func remove(_ kind: ChannelKind, _ step: inout Step) {
        stop(kind, &step)
        if kind == .webPush { step.pushKey = nil }
        channels.removeAll { $0.kind == kind }
        actions.append(.ended(.channel(kind)))
        step.questions.forgetWork(of: kind)
    }

    /// - Returns: false where the channel has to be begun anew for it
    private mutating func change(_ settings: ChannelSettings, _ step: inout Step) -> Bool {
        guard let index = index(of: settings.kind), case .ccs(let ccs) = settings else { return false }
        channels[index].settings = settings
        drive(settings.kind, &step) { transport, now, actions in
            guard var same = transport as? CCSTransport else { return }
            same.reconfigure(ccs, at: now, into: &actions)
            transport = same
        }
        return true
    }
}

extension Step {
    /// The channels that the configuration asks for, in the order of `ChannelKind`.
    var channelSettings: [ChannelSettings] { isOffline ? [] : configuration.phones.allChannels }
}

extension PhoneSettings {
    /// In the order of `ChannelKind`.
    var allChannels: [ChannelSettings] {
        var all = channels
        if let ccs = ccsSettings { all.append(.ccs(ccs)) }
        return all.sorted { $0.kind < $1.kind }
    }

    private var ccsSettings: CCSSettings? {
        guard let account else { return nil }
        var ccs = CCSSettings(
            senderID: account.senderID, apiKey: account.apiKey, host: host, port: port, caFile: authorityFile)
        ccs.idleBeforePing = timing.pingAfter
        ccs.pingPatience = timing.pingPatience
        ccs.setupDeadline = timing.setupDeadline
        ccs.ackPatience = timing.ackPatience
        ccs.pace.minimum = timing.reconnectMinimum
        ccs.pace.maximum = timing.reconnectMaximum
        ccs.pace.urgentMaximum = timing.reconnectUrgent
        ccs.pace.refusedWait = timing.refusedWait
        return ccs
    }
}
