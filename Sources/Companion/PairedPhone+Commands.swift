import PhoneProtocol

extension PairedPhone {
    /// The owner has ordered something, now. Returns its number; the outcome comes with `PhoneAction.command`.
    ///
    /// It is signed at once when it can be, else as soon as the box has given a challenge, for which the touch holds 30 s.
    @discardableResult
    public mutating func give(
        _ command: HouseCommand, at time: PhoneTime, into actions: inout [PhoneAction]
    ) -> CommandRecord.ID {
        let id = memory.nextCommand
        memory.nextCommand += 1
        memory.commands.append(
            CommandRecord(id: id, command: command, counter: nil, time: time.wall, outcome: .pending))
        memory.commands.removeFirst(max(0, memory.commands.count - PhoneMemory.commandsKept))
        var condition = Arguments()
        if command.wantsCondition, let seen = memory.view.position {
            condition = Arguments(["log": seen.logText, "seq": "\(seen.seq)"])
        }
        let order = LiveCommand(id: id, command: command, condition: condition, touchedAt: time.uptime)
        guard secrets != nil else {
            end(order, .failed("no contact"), &actions)
            return id
        }
        live.append(order)
        work(at: time, &actions)
        return id
    }

    mutating func workOnCommands(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        for order in live {
            if let envelope = order.envelope {
                repeatOrEnd(order, envelope, at: time, &actions)
            } else if order.unsigned != nil {
                if time.uptime - order.askedAt >= LiveCommand.signingPatience {
                    end(order, .failed("not signed"), &actions)
                }
            } else if time.uptime - order.touchedAt >= LiveCommand.touchHolds {
                end(order, .failed("no contact"), &actions)
            } else if let freshness = freshness(for: order, at: time) {
                // One after the other: a higher counter that comes first makes the lower one worthless.
                if !live.contains(where: { $0.unsigned != nil }) { sign(order, freshness, at: time, &actions) }
            } else if !isOpen(.ping) {
                wantPing(at: time)
            }
        }
    }

    mutating func take(result content: JSON, at time: PhoneTime, _ actions: inout [PhoneAction]) {
        guard let counter = Decimal.read(content.text("ctr")),
            let outcome = CommandOutcome(out: content.text("out"), why: content.text("why"))
        else {
            refused += 1
            return
        }
        if let place = LogPosition(log: content.text("log"), seq: content.text("seq")) { _ = memory.log.heard(place) }
        guard let record = memory.commands.last(where: { $0.counter == counter }) else { return }
        guard let order = live.first(where: { $0.id == record.id }) else {
            // A late word about what was given up.
            if record.outcome == .timeout, outcome != .pending { settle(record.id, outcome, &actions) }
            return
        }
        // Only the box could answer what was signed then.
        memory.view.touched(time.wall - max(0, time.uptime - order.sentAt) / 1000, at: time)
        guard outcome != .pending else { return }
        let mayTryAgain =
            !order.hasBeenSignedAgain && time.uptime - order.touchedAt < LiveCommand.touchHolds
        let new = content.text("ch").flatMap { try? Base64URL.decode($0) }
        if mayTryAgain, outcome == .denied("challenge") || outcome == .expired, let new {
            challenge = HeldChallenge(bytes: new, since: time.uptime)
            again(order, afterContact: true)
        } else if mayTryAgain, outcome == .denied("stale") {
            challenge = nil
            again(order, afterContact: true)
        } else {
            end(order, outcome, &actions)
        }
    }

    mutating func end(_ order: LiveCommand, _ outcome: CommandOutcome, _ actions: inout [PhoneAction]) {
        live.removeAll { $0.id == order.id }
        settle(order.id, outcome, &actions)
    }

    private mutating func again(_ order: LiveCommand, afterContact: Bool) {
        guard let index = live.firstIndex(where: { $0.id == order.id }) else { return }
        live[index].hasBeenSignedAgain = true
        live[index].needsContact = afterContact
        live[index].envelope = nil
    }

    private mutating func settle(_ id: CommandRecord.ID, _ outcome: CommandOutcome, _ actions: inout [PhoneAction]) {
        guard let index = memory.commands.firstIndex(where: { $0.id == id }) else { return }
        memory.commands[index].outcome = outcome
        addressTold(memory.commands[index])
        actions += [.store, .command(memory.commands[index])]
    }

    private func freshness(for order: LiveCommand, at time: PhoneTime) -> PhoneCommand.Freshness? {
        if let challenge, isPrepared(at: time) { return .challenge(challenge.bytes) }
        guard !order.command.wantsChallenge, !order.needsContact else { return nil }
        return .time(issued: time.wall, ttl: 60)
    }

    private mutating func sign(
        _ order: LiveCommand, _ freshness: PhoneCommand.Freshness, at time: PhoneTime,
        _ actions: inout [PhoneAction]
    ) {
        guard let channel = secrets?.channel, let index = live.firstIndex(where: { $0.id == order.id }) else { return }
        // Without a key 2 the box may let key 1 stand for it; that is the box's to say.
        let presence = order.command.wantsPresence ? signers.key2 : nil
        memory.counter += 1
        if let record = memory.commands.firstIndex(where: { $0.id == order.id }) {
            memory.commands[record].counter = memory.counter
        }
        actions.append(.store)
        let command = PhoneCommand(
            key: presence == nil ? 1 : 2, counter: UInt64(clamping: memory.counter), freshness: freshness,
            verb: order.command.verb, arguments: order.command.arguments, condition: order.condition)
        let key = presence ?? signers.key1
        do throws(PhoneSealingError) {
            let unsigned = try channel.unsigned(command)
            live[index].unsigned = unsigned
            live[index].askedAt = time.uptime
            let bytes = channel.bytesToSign(unsigned)
            if let sign = key.sign {
                finish(order.id, sign(bytes), at: time, &actions)
            } else {
                actions.append(.sign(order.id, key: command.key, bytes))
            }
        } catch {
            end(order, error, &actions)
        }
    }

    /// The key that `PhoneAction.sign` named has answered; nil when it did not sign. Too late or twice changes nothing.
    public mutating func signed(
        _ id: CommandRecord.ID, _ signature: [UInt8]?, at time: PhoneTime, into actions: inout [PhoneAction]
    ) {
        finish(id, signature, at: time, &actions)
        work(at: time, &actions)
    }

    private mutating func finish(
        _ id: CommandRecord.ID, _ signature: [UInt8]?, at time: PhoneTime, _ actions: inout [PhoneAction]
    ) {
        guard let channel = secrets?.channel, let index = live.firstIndex(where: { $0.id == id }),
            let unsigned = live[index].unsigned
        else { return }
        live[index].unsigned = nil
        do throws(PhoneSealingError) {
            let envelope = try channel.seal(unsigned, signature: signature, &crypto)
            live[index].envelope = envelope
            live[index].sentAt = time.uptime
            live[index].repeats = 0
            actions.append(.send(envelope))
        } catch {
            end(live[index], error, &actions)
        }
    }

    private mutating func end(_ order: LiveCommand, _ error: PhoneSealingError, _ actions: inout [PhoneAction]) {
        switch error {
        case .notSigned: end(order, .failed("not signed"), &actions)
        case .unwritable(.tooLong): end(order, .failed("too long"), &actions)
        case .unwritable: end(order, .failed("not valid"), &actions)
        }
    }

    /// The same bytes again: the box carries them out once and tells the outcome each time.
    private mutating func repeatOrEnd(
        _ order: LiveCommand, _ envelope: [UInt8], at time: PhoneTime, _ actions: inout [PhoneAction]
    ) {
        guard time.uptime - order.sentAt < LiveCommand.patience else { return end(order, .timeout, &actions) }
        guard order.repeats < LiveCommand.repeatAfter.count,
            time.uptime - order.sentAt >= LiveCommand.repeatAfter[order.repeats],
            let index = live.firstIndex(where: { $0.id == order.id })
        else { return }
        live[index].repeats += 1
        actions.append(.send(envelope))
    }
}
