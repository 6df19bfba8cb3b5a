import AlarmModel

extension BeanstalkTransport {
    /// Puts the next job, alarms first.
    mutating func putNext(at now: Moment, into actions: inout [TransportAction]) {
        guard putting == .idle, put.wire != nil, !queue.isEmpty else { return }
        if let alarm = queue.firstIndex(where: \.isAlarm) { queue.insert(queue.remove(at: alarm), at: 0) }
        if queue[0].tube == usedTube {
            sendJob(queue[0], at: now, into: &actions)
        } else {
            putting = .choosing
            put.say("use \(queue[0].tube)", at: now, into: &actions)
        }
    }

    /// As the original's library puts it: priority 2³¹, no delay, 120 s to work on it.
    private mutating func sendJob(_ job: Waiting, at now: Moment, into actions: inout [TransportAction]) {
        guard let id = put.wire?.id else { return }
        putting = .putting
        put.wire?.since = now.boot
        let head = Array("put 2147483648 0 120 \(job.body.count)\r\n".utf8)
        actions.append(.send(id, head + job.body + [0x0D, 0x0A]))
    }

    mutating func putAnswered(_ reply: BeanstalkReply, at now: Moment, into actions: inout [TransportAction]) {
        switch (putting, reply) {
        case (_, .draining): return fail(put.slot, BeanstalkProblem.draining, at: now, into: &actions)
        case (_, .outOfMemory): return fail(put.slot, BeanstalkProblem.outOfMemory, at: now, into: &actions)
        case (_, .internalError): return fail(put.slot, BeanstalkProblem.internalError, at: now, into: &actions)
        case (.greeting, .using):
            putting = .idle
            becameReady(at: now, into: &actions)
        case (.pinging, .using):
            putting = .idle
            // It has stood for a while.
            put.attempts.succeeded()
        case (.choosing, .using(let tube)) where tube == queue.first?.tube:
            usedTube = tube
            putting = .idle
        case (.putting, .inserted):
            lastAccepted = now.wall
            put.worked()
            settle(into: &actions)
            finish { .accepted($0, canonical: nil) }
        case (.putting, .jobTooBig):
            finish {
                .refused(
                    $0, Refusal(.giveUp, why: "beanstalkd does not take a job of this size; start it with a larger -z"))
            }
        case (.putting, .buried):
            finish {
                .refused(
                    $0,
                    Refusal(
                        .retry(first: .seconds(60), attempts: 10),
                        why: "beanstalkd had no memory to queue the job and buried it; look which tube nobody empties"))
            }
        case (.putting, .badFormat), (.putting, .expectedLineEnd), (.putting, .unknownCommand):
            finish {
                .refused($0, Refusal(.giveUp, why: "beanstalkd could not read the job; please report this fault"))
            }
            // What it takes for commands from here on is anybody's guess.
            return fail(put.slot, BeanstalkProblem.unexpected("put"), at: now, into: &actions)
        default: return fail(put.slot, BeanstalkProblem.unexpected("\(putting)"), at: now, into: &actions)
        }
        putNext(at: now, into: &actions)

        func finish(_ action: (MessageID) -> TransportAction) {
            putting = .idle
            if !queue.isEmpty { actions.append(action(queue.removeFirst().message)) }
        }
    }

    private mutating func becameReady(at now: Moment, into actions: inout [TransportAction]) {
        if !put.isOfJob { put.problem = nil }
        settle(into: &actions)
        put.attempts.becameReady(since: now.boot)
        actions.append(
            .log(LogEntry(.notice, "connected to beanstalkd", [LogEntry.Field("host", settings.host)])))
        actions.append(.ready)
    }

    // MARK: Both connections

    mutating func unready(into actions: inout [TransportAction]) {
        if put.attempts.isReady { actions.append(.notReady) }
        if !queue.isEmpty { actions.append(.returned(queue.map(\.message))) }
        queue = []
    }

    mutating func fail(
        _ slot: DialSlot, _ problem: TransportProblem, at now: Moment, into actions: inout [TransportAction]
    ) {
        if slot == put.slot {
            unready(into: &actions)
            put.wait(after: problem, isOfJob: putting == .putting, at: now, into: &actions, &jitter)
        } else {
            take.wait(after: problem, isOfJob: taking == .waiting, at: now, into: &actions, &jitter)
        }
        settle(into: &actions)
    }

    /// Tells what is wrong with either connection, if that has changed.
    mutating func settle(into actions: inout [TransportAction]) {
        told.tell(put.problem ?? take.problem, into: &actions)
    }
}
