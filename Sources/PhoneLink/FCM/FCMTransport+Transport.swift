package import AlarmModel
package import PhoneProtocol

extension FCMTransport: Transport {
    package var room: TransportRoom {
        guard wasReady else { return .none }
        let free = max(0, settings.window - underWay.count)
        return TransportRoom(alarm: free, other: max(0, free - settings.reservedForAlarms))
    }

    package var health: TransportHealth {
        let phase: TransportHealth.Phase =
            if !isRunning {
                .stopped
            } else if wasReady {
                .ready
            } else if token.isUnderWay {
                .loggingIn
            } else if signInAttempts.isWaiting || messageAttempts.isWaiting {
                .waiting
            } else {
                .connecting
            }
        return TransportHealth(
            phase: phase, problem: problem ?? (wasReady ? databaseProblem : nil), underWay: underWay.count,
            lastAccepted: lastAccepted)
    }

    package var nextDeadline: BootTime? {
        guard isRunning else { return nil }
        var times = [signIn.nextDeadline, messages.nextDeadline, messageAttempts.nextDeadline, database?.nextDeadline]
        times.append(signingSince.map { $0 + settings.signaturePatience })
        times.append(signInAttempts.nextDeadline ?? token.renewAt)
        if wasReady { times.append(token.endsAt) }
        return times.compactMap { $0 }.min()
    }

    package mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        guard !isRunning else { return }
        isRunning = true
        settle(at: now, into: &actions)
    }

    package mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        isRunning = false
        giveBack(into: &actions)
        (signInRequest, probe, signingSince) = (nil, nil, nil)
        token.failed()
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.stop(at: now, into: &orders)
            transport.messages.stop(at: now, into: &orders)
        }
        runDatabase(at: now, into: &actions) { database, _, actions in database.stop(at: now, into: &actions) }
        signInAttempts.stop()
        messageAttempts.stop()
        (signInTrouble, messageProblem) = (nil, nil)
        needsProbe = false
        settle(at: now, into: &actions)
    }

    package mutating func deliver(
        _ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]
    ) -> Bool {
        guard isReady(at: now.boot), let bearer = token.bearer(at: now.boot) else {
            // The token has come to its end before the timer: said now, or the core would offer the same for ever.
            settle(at: now, into: &actions)
            return false
        }
        guard (delivery.isAlarm ? room.alarm : room.other) > 0,
            !underWay.contains(where: { $0.message == delivery.message })
        else { return false }
        guard let message = FCMMessage(delivery, at: now) else {
            let why = "FCM carries messages for apps only; this is a fault of this program, please report it"
            actions.append(.refused(delivery.message, Refusal(.giveUp, why: why)))
            return true
        }
        underWay.append(
            UnderWay(message: delivery.message, isAlarm: delivery.isAlarm, body: Array(message.json.text.utf8)))
        send(underWay.count - 1, bearer, at: now, into: &actions)
        settle(at: now, into: &actions)
        return true
    }

    package mutating func acknowledge(
        _ inbound: InboundMessage, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard isRunning, inbound.channel == .fcm else { return }
        runDatabase(at: now, into: &actions) { database, bearer, actions in
            database.remove(inbound.id, bearer, at: now, into: &actions)
        }
        settle(at: now, into: &actions)
    }

    package mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        if slot == Self.signInSlot || slot == Self.messageSlot {
            drive(at: now, into: &actions) { transport, orders in
                transport.signIn.connected(connection, slot: slot, at: now, into: &orders)
                transport.messages.connected(connection, slot: slot, at: now, into: &orders)
            }
        } else if database != nil {
            runDatabase(at: now, into: &actions) { database, bearer, actions in
                database.connected(connection, slot: slot, bearer, at: now, into: &actions)
            }
        } else {
            actions.append(.close(connection))
        }
        settle(at: now, into: &actions)
    }

    package mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.connectFailed(failure, slot: slot, at: now, into: &orders)
            transport.messages.connectFailed(failure, slot: slot, at: now, into: &orders)
        }
        runDatabase(at: now, into: &actions) { database, bearer, actions in
            database.connectFailed(failure, slot: slot, bearer, at: now, into: &actions)
        }
        settle(at: now, into: &actions)
    }

    package mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.received(connection, bytes, at: now, into: &orders)
            transport.messages.received(connection, bytes, at: now, into: &orders)
        }
        runDatabase(at: now, into: &actions) { database, bearer, actions in
            database.received(connection, bytes, bearer, at: now, into: &actions)
        }
        settle(at: now, into: &actions)
    }

    package mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.closed(connection, end, at: now, into: &orders)
            transport.messages.closed(connection, end, at: now, into: &orders)
        }
        runDatabase(at: now, into: &actions) { database, bearer, actions in
            database.closed(connection, end, bearer, at: now, into: &actions)
        }
        settle(at: now, into: &actions)
    }

    package mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) {
        guard isRunning, token.isWaiting(for: job) else { return }
        signed(job, answer, at: now, into: &actions)
        settle(at: now, into: &actions)
    }

    package mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        if let signingSince, signingSince + settings.signaturePatience <= now.boot {
            signInFailed(
                TransportProblem(
                    .silent, of: AccessTokenProblem.place,
                    "this box did not finish its signature for Google in time; we try again", isPassing: true), at: now,
                into: &actions)
        }
        if signInAttempts.due(at: now) == .attempt { signInAttempts.rest() }
        if messageAttempts.due(at: now) == .attempt { messageAttempts.rest() }
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.timerFired(at: now, into: &orders)
            transport.messages.timerFired(at: now, into: &orders)
        }
        runDatabase(at: now, into: &actions) { database, bearer, actions in
            database.timerFired(bearer, at: now, into: &actions)
        }
        settle(at: now, into: &actions)
    }

    package mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {
        database?.setUrgent(isUrgent, at: now)
        signInAttempts.setUrgent(isUrgent, at: now)
        messageAttempts.setUrgent(isUrgent, at: now)
    }

    package mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {
        guard isRunning else { return }
        if signInAttempts.waitsForNetwork { signInAttempts.rest() }
        if messageAttempts.waitsForNetwork { messageAttempts.rest() }
        drive(at: now, into: &actions) { transport, orders in
            transport.signIn.networkChanged(at: now, into: &orders)
            transport.messages.networkChanged(at: now, into: &orders)
        }
        runDatabase(at: now, into: &actions) { database, bearer, actions in
            database.networkChanged(bearer, at: now, into: &actions)
        }
        settle(at: now, into: &actions)
    }
}
