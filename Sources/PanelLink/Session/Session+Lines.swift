package import AlarmModel

extension Session {
    /// Bytes of the module, cut anywhere.
    package mutating func received(_ bytes: [UInt8], at now: Moment, into actions: inout [PanelAction]) {
        switch phase {
        case .idle, .waiting, .connecting, .stopped: return
        case .greeting, .greeted, .authenticating, .resynchronising, .up: break
        }
        counters.bytesReceived &+= UInt64(bytes.count)
        reader.append(bytes)
        // Losing the session starts a new reader, which has no further item.
        while let item = reader.next() {
            switch item {
            case .line(let line): take(line, at: now, into: &actions)
            case .rejected(let rejection): reject(rejection, at: now, into: &actions)
            }
        }
        if looksLikeOtherFirmware(reader.unfinishedText) {
            lose(.otherFirmware, closing: true, at: now, into: &actions)
        }
        watchLosses(at: now, into: &actions)
        pump(at: now, into: &actions)
    }

    /// A line that does not parse is counted and costs nothing else.
    private mutating func reject(_ rejection: Rejection, at now: Moment, into actions: inout [PanelAction]) {
        if looksLikeOtherFirmware(rejection.text) {
            lose(.otherFirmware, closing: true, at: now, into: &actions)
            return
        }
        counters.count(rejection)
        noise.count(rejection)
        // It may have been a change that nothing repeats: the panel is asked for its state, at most once a minute.
        if isLoggedIn { wantReport(at: now) }
        // What may have been a duress line is not shown either.
        let isShown = !rejection.text.includes("620")
        let text = isShown ? Redactor(secrets: settings.secrets).text(rejection.description) : "a line was rejected"
        actions.append(.trace(TraceLine(.remark, text)))
        sumUpNoise(at: now, into: &actions)
    }

    mutating func sumUpNoise(at now: Moment, into actions: inout [PanelAction]) {
        guard let tally = noise.due(at: now.boot) else { return }
        let message =
            "Rejected input from the panel's module: \(tally.text). The panel is asked for its state in case a change was among it."
        actions.append(.event(writer(at: now).event(.panelNoise, .unknown, message)))
    }

    private mutating func take(_ line: DSCLine, at now: Moment, into actions: inout [PanelAction]) {
        hasReceivedLine = true
        counters.linesReceived &+= 1
        lastLineAt = now.boot
        queue.lineArrived(at: now.boot)
        let line = isLoggedIn ? disguised(line, at: now, into: &actions) : line
        trace(line, into: &actions)
        if case .acknowledged(let command) = line.message {
            acknowledged(command, at: now, into: &actions)
        } else if case .commandError = line.message {
            commandRejected(at: now, into: &actions)
        } else if case .systemError(let error) = line.message {
            commandRefused(error, at: now, into: &actions)
        } else if case .login(let reply) = line.message {
            login(reply, at: now, into: &actions)
        } else if isLoggedIn {
            // What an order of ours brings about is news, not something that the report has found.
            if cause(of: line.message) == nil, statusReport?.claims(line.message) ?? false {
                reportLine(line, at: now, into: &actions)
            } else {
                liveLine(line, at: now, into: &actions)
            }
        }
    }

    private func trace(_ line: DSCLine, into actions: inout [PanelAction]) {
        guard isTraced, line.message != .duress else { return }
        var text = line.redacted
        if case .unknown = line.message { text = Redactor(secrets: settings.secrets).text(text) }
        actions.append(.trace(TraceLine(.fromPanel, text)))
    }

    /// Something happened now.
    private mutating func liveLine(_ line: DSCLine, at now: Moment, into actions: inout [PanelAction]) {
        let message = line.message
        if message == .duress {
            actions.append(.event(writer(at: now).event(line)))
            return
        }
        panelSpoke(message, at: now, into: &actions)
        let isHeartbeat = note(message, at: now) || line.isFurtherZone && hasToldFurtherZones
        hasToldFurtherZones = hasToldFurtherZones || line.isFurtherZone
        let partition = Subject(of: message, names: settings.names).partition
        let before = partition.flatMap { state.partition($0) }
        let lightsMemory = gaps.lightsMemory(message, state)
        let tellsUnheardAlarm = gaps.tellsUnheardAlarm(message, state)
        let cause = cause(of: message) ?? queue.endedDisarm(message, at: now.boot)
        let isRepeat = reducer.isRepeat(message, at: now)
        reducer.take(
            message, at: now, settings: settings, isReport: false, believesClosed: true,
            isOwnDisarm: queue.isOwnDisarm(message), isInGap: gaps.isInGap)
        let clockLoss = watchTroubles(message, at: now, into: &actions)
        delays.lineArrived(message, at: now.boot)
        if !isHeartbeat || clockLoss == .stays {
            let change = PartitionChange(before: before, after: partition.flatMap { state.partition($0) })
            var event = writer(at: now).event(line, change, command: cause)
            if tellsUnheardAlarm { writer(at: now).makeUnheardAlarm(&event) }
            if case .zoneOpen(let zone, _) = message {
                let count = flaps.changed(zone, at: now.boot)
                if count >= settings.flapThreshold {
                    event.flapCount = count
                    event.flags.insert(.flapping)
                }
            }
            if isRepeat && clockLoss != .stays || clockLoss == .beingSet { event.flags.insert(.repeats) }
            if event.partition == nil { locate(&event) }
            if !troubles.holds(message, event, at: now.boot) { actions.append(.event(event)) }
        }
        found(gaps.lineTaken(message, lightsMemory: lightsMemory, state, at: now), at: now, into: &actions)
        settleZones(after: message, at: now, into: &actions)
        if case .partition(_, .ready) = message { settleByReadiness(at: now, into: &actions) }
        tellTransactions(message, at: now, into: &actions)
    }

    /// The order under way that this line confirms or refuses.
    private func cause(of message: DSCMessage) -> CommandID? {
        queue.transactions.first { $0.confirmation(of: message) != nil }?.order?.id
    }

    /// The partition of a zone's event, where only the panel has told it.
    func locate(_ event: inout Event) {
        guard let zone = event.zone, let partition = state.zone(zone)?.partition else { return }
        event.partition = partition
        event.partitionName = settings.names.partition(partition)
    }

    /// What the session itself learns from a line.
    ///
    /// - Returns: whether the line only repeats what is known
    private mutating func note(_ message: DSCMessage, at now: Moment) -> Bool {
        if case .zoneOpen(let zone, _) = message { evidence.zoneChanged(zone) }
        if case .keypadLockout = message { lockedOutUntil = now.boot + settings.lockoutPause }
        // 680 comes for each partition; one event is enough until installer mode ends.
        if message == .installerMode { return state.system.isInstallerMode }
        if case .zoneTimers(let timers) = message {
            evidence.take(timers, at: now.boot)
            reducer.takeTimers(timers, at: now)
        }
        if case .troubles(let bits) = message {
            troublesEndAt = now.boot + Self.troubleSilence
            return bits == reducer.troubleBits
        }
        if case .unknown(let misfit) = message {
            switch misfit {
            case .unknownCode: counters.unknownCode &+= 1
            case .wrongData: counters.wrongData &+= 1
            }
        }
        return false
    }

    /// Lines that only the panel can have caused show that the module reaches it.
    private mutating func panelSpoke(_ message: DSCMessage, at now: Moment, into actions: inout [PanelAction]) {
        if case .time = message { return }
        if case .zoneTimers = message { return }
        if case .unknown = message { return }
        guard state.system[.keybus].last == .trouble else { return reducer.setKeybus(.ok) }
        busAnswered(at: now, into: &actions)
    }

    mutating func tellTransactions(_ message: DSCMessage, at now: Moment, into actions: inout [PanelAction]) {
        if case .codeRequired(let kind) = message {
            guard var transaction = queue.transactions.first(where: { $0.isInteractive && $0.hasBeenSent }) else {
                return
            }
            let ending = transaction.codeRequested(kind, context(at: now))
            if transaction.bypassEntry != .plain { bypassNeedsCode = true }
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
            return
        }
        guard !queue.transactions.isEmpty else { return }
        for number in queue.transactions.map(\.number) {
            guard var transaction = queue.transaction(number) else { continue }
            let ending = transaction.lineArrived(message, context(at: now))
            queue.update(transaction)
            apply(ending, to: transaction, at: now, into: &actions)
        }
    }
}
