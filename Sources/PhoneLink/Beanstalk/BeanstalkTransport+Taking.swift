package import AlarmModel
import PhoneProtocol

extension BeanstalkTransport {
    mutating func takeAnswered(_ reply: BeanstalkReply, at now: Moment, into actions: inout [TransportAction]) {
        switch (taking, reply) {
        case (_, .outOfMemory): fail(take.slot, BeanstalkProblem.outOfMemory, at: now, into: &actions)
        case (_, .internalError): fail(take.slot, BeanstalkProblem.internalError, at: now, into: &actions)
        case (.learning, .table(let table)):
            // Without a log on disk its numbers begin anew with each start.
            let hasLog = BeanstalkReader.value("binlog-current-index", in: table).map { $0 != "0" } ?? false
            run = hasLog ? "" : BeanstalkReader.value("id", in: table).map { "\($0)-" } ?? ""
            watchNext(settings.commandTubes, at: now, into: &actions)
        case (.watching(let rest), .watching): watchNext(rest, at: now, into: &actions)
        case (.ignoring, .watching): reserve(at: now, into: &actions)
        case (.waiting, .timedOut), (.waiting, .deadlineSoon):
            take.worked()
            reserve(at: now, into: &actions)
        case (.waiting, .reserved(let id, let body)):
            take.worked()
            settle(into: &actions)
            taking = .asking(Job(id: id, body: body))
            take.say("stats-job \(id)", at: now, into: &actions)
        case (.asking(let job), .table(let table)): judge(job, table, at: now, into: &actions)
        case (.asking, .notFound), (.touching(_, _, _, isDone: false), .notFound):
            // Its time was over; it comes again.
            reserve(at: now, into: &actions)
        case (.finishing(let name), .deleted), (.finishing(let name), .notFound):
            settled.removeAll { $0.name == name }
            reserve(at: now, into: &actions)
        case (.touching(let job, let inbound, let since, let isDone), .touched),
            (.touching(let job, let inbound, let since, let isDone), .notFound):
            if isDone {
                finish("delete \(job.id)", inbound, at: now, into: &actions)
            } else {
                taking = .handed(job, inbound: inbound, since: since)
            }
        case (.finishing, .buried), (.finishing, .released):
            reserve(at: now, into: &actions)
        default: fail(take.slot, BeanstalkProblem.unexpected("a wait for jobs"), at: now, into: &actions)
        }
    }

    private mutating func watchNext(_ tubes: [String], at now: Moment, into actions: inout [TransportAction]) {
        if let tube = tubes.first {
            taking = .watching(rest: Array(tubes.dropFirst()))
            take.say("watch \(tube)", at: now, into: &actions)
        } else if settings.commandTubes.contains("default") {
            reserve(at: now, into: &actions)
        } else {
            taking = .ignoring
            take.say("ignore default", at: now, into: &actions)
        }
    }

    private mutating func reserve(at now: Moment, into actions: inout [TransportAction]) {
        if !take.isOfJob { take.problem = nil }
        settle(into: &actions)
        taking = .waiting
        take.say("reserve-with-timeout \(settings.waitSeconds)", at: now, into: &actions)
    }

    private mutating func finish(
        _ line: String, _ settled: String? = nil, at now: Moment, into actions: inout [TransportAction]
    ) {
        taking = .finishing(settled: settled)
        take.say(line, at: now, into: &actions)
    }

    /// Hands a job on, or puts it aside.
    private mutating func judge(
        _ job: Job, _ table: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        let tube = BeanstalkReader.value("tube", in: table) ?? settings.commandTubes.first ?? ""
        let reserves = BeanstalkReader.value("reserves", in: table).flatMap { Int($0) } ?? 1
        var inbound = InboundMessage(
            channel: .beanstalk, connection: take.wire?.id, from: tube, id: "\(run)\(job.id)",
            body: .text(String(decoding: job.body ?? [], as: UTF8.self)))
        // Whole seconds, cut off. A job that was reserved before may be one that our last run carried out: it counts as
        // nearly a second older, so that who has just started does not take it for one that came after it.
        let rest: Int64 = reserves > 1 ? 1 : 0
        let age = BeanstalkReader.value("age", in: table).flatMap { Int64($0) }
        inbound.age = age.map { .seconds($0 &+ rest) }
        // One that somebody had in his hands before may be the one that we had.
        inbound.mayReuseID = run.isEmpty && reserves == 1
        if let known = settled.last(where: { $0.name == inbound.id }),
            !inbound.isAnother(thanHeardAt: known.at, at: now)
        {
            return finish("delete \(job.id)", inbound.id, at: now, into: &actions)
        }
        let why: String
        if reserves > settings.reserveLimit {
            why = "it came \(reserves) times"
        } else {
            do throws(CommandJobError) {
                guard let body = job.body else { throw .tooLong }
                _ = try CommandJob(parsing: body)
                taking = .handed(job, inbound: inbound.id, since: now.boot)
                actions.append(.inbound(inbound))
                return
            } catch {
                why = error.description
            }
        }
        buriedCount &+= 1
        logBuried(job, of: tube, why, at: now, into: &actions)
        finish("bury \(job.id) 1024", at: now, into: &actions)
    }

    /// One a minute is told whole, the others by their number with the next one.
    private mutating func logBuried(
        _ job: Job, of tube: String, _ why: String, at now: Moment, into actions: inout [TransportAction]
    ) {
        if let lastBuriedLog, now.boot - lastBuriedLog < .minutes(1) {
            buriedUnlogged += 1
            return
        }
        var fields = [
            LogEntry.Field("tube", tube), LogEntry.Field("job", "\(job.id)"), LogEntry.Field("why", why),
        ]
        if buriedUnlogged > 0 { fields.append(LogEntry.Field("before", "\(buriedUnlogged) more")) }
        lastBuriedLog = now.boot
        buriedUnlogged = 0
        actions.append(
            .log(
                LogEntry(
                    .warning, "a job in a command tube was buried; look at it with 'peek-buried', then delete it",
                    fields)))
    }

    package mutating func acknowledge(
        _ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard inbound.channel == .beanstalk else { return }
        settled.removeAll { $0.name == inbound.id }
        settled.append(Settled(name: inbound.id, at: now.boot))
        if settled.count > Self.settledLimit { settled.removeFirst() }
        switch taking {
        case .handed(let job, inbound.id, _): finish("delete \(job.id)", inbound.id, at: now, into: &actions)
        case .touching(let job, inbound.id, let since, _):
            taking = .touching(job, inbound: inbound.id, since: since, isDone: true)
        case .learning, .watching, .ignoring, .waiting, .asking, .handed, .touching, .finishing: break
        }
    }

    // MARK: Time

    private var putDeadline: BootTime? {
        if let time = put.attempts.nextDeadline { return time }
        guard let since = put.wire?.since else { return nil }
        switch putting {
        case .greeting: return since + settings.setupDeadline
        case .idle: return since + settings.idleBeforePing
        case .pinging, .choosing, .putting: return since + settings.answerPatience
        }
    }

    private var takeDeadline: BootTime? {
        if let time = take.attempts.nextDeadline { return time }
        guard let since = take.wire?.since else { return nil }
        switch taking {
        case .learning, .watching, .ignoring: return since + settings.setupDeadline
        case .waiting: return since + .seconds(settings.waitSeconds) + settings.answerPatience
        case .asking, .touching, .finishing: return since + settings.answerPatience
        case .handed: return since + settings.touchInterval
        }
    }

    package var nextDeadline: BootTime? {
        [putDeadline, takeDeadline].compactMap { $0 }.min()
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        if let time = putDeadline, time <= now.boot {
            switch (put.attempts.due(at: now), putting) {
            case (.attempt, _): put.connect(settings, at: now, into: &actions)
            case (.dialStalled, _): fail(put.slot, BeanstalkProblem.dialStalled, at: now, into: &actions)
            case (nil, .idle): ping(at: now, into: &actions)
            case (.setupStalled, _), (nil, _): fail(put.slot, BeanstalkProblem.unanswered, at: now, into: &actions)
            }
        }
        guard let time = takeDeadline, time <= now.boot else { return }
        switch (take.attempts.due(at: now), taking) {
        case (.attempt, _): take.connect(settings, at: now, into: &actions)
        case (.dialStalled, _): fail(take.slot, BeanstalkProblem.dialStalled, at: now, into: &actions)
        case (nil, .handed(let job, let inbound, let since)):
            if now.boot - since >= settings.handedPatience {
                finish("release \(job.id) 1024 60", at: now, into: &actions)
            } else {
                taking = .touching(job, inbound: inbound, since: since, isDone: false)
                take.say("touch \(job.id)", at: now, into: &actions)
            }
        case (.setupStalled, _), (nil, _): fail(take.slot, BeanstalkProblem.unanswered, at: now, into: &actions)
        }
    }

    private mutating func ping(at now: Moment, into actions: inout [TransportAction]) {
        putting = .pinging
        put.say("list-tube-used", at: now, into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        put.attempts.setUrgent(isUrgent, at: now)
        take.attempts.setUrgent(isUrgent, at: now)
    }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        if put.attempts.waitsForNetwork { put.connect(settings, at: now, into: &actions) }
        if take.attempts.waitsForNetwork { take.connect(settings, at: now, into: &actions) }
        if put.wire != nil, putting == .idle { ping(at: now, into: &actions) }
    }
}
