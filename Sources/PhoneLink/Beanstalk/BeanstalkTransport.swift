package import AlarmModel

/// The bridge to programs that were written for HowAlarming: events go into tubes, commands come out of others. One
/// connection puts, a second one waits for jobs, one at a time; a job is deleted when it was dealt with, and buried
/// when it cannot be read, so that it does no harm twice.
package struct BeanstalkTransport: Transport {
    /// What the first connection does.
    enum Putting: Codable, Equatable, Sendable {
        case greeting, idle, pinging, choosing, putting
    }
    /// What the second connection does.
    enum Taking: Codable, Equatable, Sendable {
        case learning
        case watching(rest: [String])
        case ignoring, waiting
        case asking(Job)
        case handed(Job, inbound: String, since: BootTime)
        case touching(Job, inbound: String, since: BootTime, isDone: Bool)
        /// Deleting, burying or giving back; the job is named if it was dealt with.
        case finishing(settled: String?)
    }
    struct Job: Codable, Equatable, Sendable {
        var id: UInt64
        /// Nil: it was too long.
        var body: [UInt8]?
    }
    struct Settled: Codable, Equatable, Sendable {
        var name: String
        var at: BootTime
    }
    struct Waiting: Codable, Equatable, Sendable {
        var message: MessageID
        var tube: String
        var body: [UInt8]
        var isAlarm: Bool
    }

    package let settings: BeanstalkSettings
    var jitter: Jitter
    var put: BeanstalkConnection
    var putting = Putting.greeting
    var usedTube = "default"
    /// Taken and not answered; the first is under way while `putting` says so.
    var queue: [Waiting] = []
    var take: BeanstalkConnection
    var taking = Taking.learning
    /// Tells jobs of this run of the queue from those of an earlier one, where it starts counting anew. Empty with a log
    /// on disk: then its numbers go on over a restart, unless no job was left, and those that are left keep theirs.
    var run = ""
    /// Jobs that were dealt with but perhaps not deleted.
    var settled: [Settled] = []
    static let settledLimit = 64
    var told = ToldProblem()
    var lastAccepted: WallTime?
    /// Jobs that were put aside since the start.
    package internal(set) var buriedCount = 0
    var lastBuriedLog: BootTime?
    /// Jobs that were put aside since then.
    var buriedUnlogged = 0

    package init(settings: BeanstalkSettings, seed: UInt64) {
        self.settings = settings
        jitter = Jitter(seed: seed)
        put = BeanstalkConnection(slot: 0, settings)
        take = BeanstalkConnection(slot: 1, settings)
    }

    package var room: TransportRoom {
        guard put.attempts.isReady else { return .none }
        return TransportRoom(
            alarm: max(0, settings.window - queue.count),
            other: max(0, settings.window - settings.reservedForAlarms - queue.count))
    }

    package var health: TransportHealth {
        TransportHealth(
            phase: put.attempts.shown, problem: told.current, underWay: queue.count, lastAccepted: lastAccepted)
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !put.attempts.isRunning else { return }
        if !["localhost", "127.0.0.1", "::1"].contains(settings.host) {
            actions.append(
                .log(
                    LogEntry(
                        .warning,
                        "events and commands go over the network unencrypted; run beanstalkd on this machine",
                        [LogEntry.Field("host", settings.host)])))
        }
        put.connect(settings, at: now, into: &actions)
        if let bad = settings.commandTubes.first(where: { !BeanstalkSettings.isTubeName($0) }) {
            take.problem = BeanstalkProblem.badTube(bad)
            settle(into: &actions)
        } else if !settings.commandTubes.isEmpty {
            take.connect(settings, at: now, into: &actions)
        }
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard put.attempts.isRunning else { return }
        unready(into: &actions)
        put.stop(into: &actions)
        take.stop(into: &actions)
        settle(into: &actions)
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard (delivery.isAlarm ? room.alarm : room.other) > 0 else { return false }
        precondition(
            !queue.contains { $0.message == delivery.message }, "a message is sent again only after it has ended")
        let tube = delivery.address.value
        func refuse(_ reaction: PushReaction, _ why: String) -> Bool {
            actions.append(.refused(delivery.message, Refusal(reaction, why: why)))
            return true
        }
        guard case .event(let event, _) = delivery.content else {
            return refuse(.giveUp, "a tube carries events for programs only")
        }
        guard BeanstalkSettings.isTubeName(tube) else {
            return refuse(.dropAddress, "'\(PeerText.printable(tube))' cannot be the name of a tube; correct it")
        }
        guard tube != BeanstalkSettings.everybodysTube else {
            return refuse(.dropAddress, "the tube 'default' is not for events; name another")
        }
        guard let body = BeanstalkJob.body(event) else {
            return refuse(
                .giveUp, "the event does not have the form of a job; this is a fault of this program, please report it")
        }
        queue.append(Waiting(message: delivery.message, tube: tube, body: body, isAlarm: delivery.isAlarm))
        putNext(at: now, into: &actions)
        return true
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        let isPut = slot == put.slot
        guard isPut ? put.attempts.connected(at: now) : take.attempts.connected(at: now) else {
            return actions.append(.close(connection))
        }
        let wire = BeanstalkConnection.Wire(id: connection, since: now.boot)
        if isPut {
            put.wire = wire
            putting = .greeting
            usedTube = "default"
            put.say("list-tube-used", at: now, into: &actions)
        } else {
            take.wire = wire
            taking = .learning
            take.say("stats", at: now, into: &actions)
        }
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard slot == put.slot ? put.attempts.isDialing : take.attempts.isDialing else { return }
        if slot == put.slot { put.attempts.rest() } else { take.attempts.rest() }
        fail(slot, BeanstalkProblem.connect(failure), at: now, into: &actions)
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        if put.wire?.id == connection {
            put.wire = nil
            fail(put.slot, BeanstalkProblem.lost(end), at: now, into: &actions)
        } else if take.wire?.id == connection {
            take.wire = nil
            fail(take.slot, BeanstalkProblem.lost(end), at: now, into: &actions)
        }
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        if put.wire?.id == connection { put.wire?.reader.append(bytes) }
        if take.wire?.id == connection { take.wire?.reader.append(bytes) }
        do throws(BeanstalkReader.Failure) {
            // One command is under way at a time: what comes behind its answer answers nothing.
            if put.wire?.id == connection, let reply = try put.wire?.reader.next() {
                putAnswered(reply, at: now, into: &actions)
                if put.wire?.reader.hasRest == true {
                    fail(put.slot, BeanstalkProblem.unasked, at: now, into: &actions)
                }
            }
            if take.wire?.id == connection, let reply = try take.wire?.reader.next() {
                takeAnswered(reply, at: now, into: &actions)
                if take.wire?.reader.hasRest == true {
                    fail(take.slot, BeanstalkProblem.unasked, at: now, into: &actions)
                }
            }
        } catch {
            let slot = put.wire?.id == connection ? put.slot : take.slot
            fail(slot, BeanstalkProblem.malformed(error), at: now, into: &actions)
        }
    }
}
