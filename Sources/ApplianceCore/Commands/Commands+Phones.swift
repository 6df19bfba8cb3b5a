import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// Signed commands: the order of checks of docs/pairing.md 7.4.
extension Commands {
    /// Steps 2 to 4.
    mutating func commanded(
        _ command: PhoneCommand, _ verdict: CommandVerdict, by phone: Phone, from inbound: InboundMessage,
        _ step: inout Step
    ) {
        guard let index = account(phone.id) else { return }
        let verb = PhoneVerb(rawValue: command.verb)
        guard isSigned(command, verdict, verb, by: phone) else {
            actions.append(.acknowledge(inbound))
            return badSignature(of: command, verdict, by: phone, &step)
        }
        switch accounts[index].place(of: command.counter, digest: verdict.digest) {
        case .new: break
        #if SABOTAGE
            case .known where step.sabotage == .repeatsCommands: break
        #endif
        case .known(let row):
            actions.append(.acknowledge(inbound))
            guard accounts[index].mayAnswerRepeat(at: step.now.boot) else { return reject(.repeated, &step) }
            return sendResult(row.result ?? PhoneResult(.pending), counter: row.counter, to: phone.id, &step)
        case .stale:
            actions.append(.acknowledge(inbound))
            return deny("stale", command, of: phone, &step)
        case .wrong:
            actions.append(.acknowledge(inbound))
            return deny("counter", command, of: phone, &step)
        }
        // Without a counter on the disk it might be done twice.
        guard step.isStoreGood else {
            actions.append(.acknowledge(inbound))
            return sendResult(PhoneResult(.failed, why: "storage"), counter: command.counter, to: phone.id, &step)
        }
        spend(command, verdict, by: phone, from: inbound, &step)
        #if SABOTAGE
            if step.sabotage == .executesBeforeCommit, case .judge(let accepted) = step.writes.continuations.last {
                step.writes.continuations.removeLast()
                judge(accepted, stored: true, &step)
            }
        #endif
    }

    /// Step 2.
    private func isSigned(
        _ command: PhoneCommand, _ verdict: CommandVerdict, _ verb: PhoneVerb?, by phone: Phone
    ) -> Bool {
        guard verdict.signature == .good else { return false }
        guard let verb else { return true }
        return command.key == 2 || !verb.wantsPresence(command.arguments) || phone.key1Suffices
    }

    private mutating func badSignature(
        of command: PhoneCommand, _ verdict: CommandVerdict, by phone: Phone, _ step: inout Step
    ) {
        guard let index = account(phone.id) else { return }
        let (isNew, locks) = accounts[index].noteBadSignature(verdict.digest, at: step.now.boot)
        guard isNew else { return reject(.repeated, &step) }
        let who = step.book.actor(phone)
        step.announce(
            .response, .phoneDenied,
            "\(who.words): \(Self.printable(command.verb)) refused, the signature is not good enough.",
            except: phone.id, about: .phone(phone.id))
        if locks {
            step.announce(
                .fault, .phoneLocked,
                "\(who.words): five bad signatures. Its commands are refused for 15 minutes; \(Hint.lift.atBox) ends that.",
                except: phone.id, about: .phone(phone.id))
        }
        sendResult(PhoneResult(.denied, why: "key"), counter: command.counter, to: phone.id, &step)
    }

    /// Answered, and not written down: a relay can repeat a true command for ever.
    private mutating func deny(_ why: String, _ command: PhoneCommand, of phone: Phone, _ step: inout Step) {
        guard let index = account(phone.id) else { return }
        guard accounts[index].mayAnswerRefusal(of: command.counter, at: step.now.boot) else {
            return reject(.repeated, &step)
        }
        sendResult(PhoneResult(.denied, why: why), counter: command.counter, to: phone.id, &step)
    }

    /// Step 4: from here on the counter is spent, whatever follows.
    private mutating func spend(
        _ command: PhoneCommand, _ verdict: CommandVerdict, by phone: Phone, from inbound: InboundMessage,
        _ step: inout Step
    ) {
        guard let index = account(phone.id) else { return }
        let wasResync = accounts[index].isResync
        let action = PhoneVerb(rawValue: command.verb)?.action(command.arguments)
        let actor = step.book.actor(phone)
        let origin = OpenCommands.Origin.phone(phone.id, counter: command.counter, digest: verdict.digest)
        let row = PhoneLedgerRow(
            phone: phone.id, counter: command.counter, digest: verdict.digest, time: step.now.wall)
        store(row, at: index, &step)
        let entry: OpenCommands.Entry
        if case .panel(let order) = action {
            entry = accept(order, from: origin, by: actor, &step)
        } else {
            entry = accept(summary: Self.summary(command, action), from: origin, by: actor, &step)
        }
        #if SABOTAGE
            if step.sabotage == .forgetsCounter {
                step.wait(.acknowledge(inbound))
            } else {
                step.writes.phoneLedger.append(row)
            }
        #else
            step.writes.phoneLedger.append(row)
        #endif
        step.wait(
            .judge(
                AcceptedCommand(
                    phone: phone.id, command: command, verdict: verdict, id: entry.id, wasResync: wasResync,
                    inbound: inbound)))
    }

    /// Steps 5 and 6, once step 4 is on the disk.
    mutating func judge(_ accepted: AcceptedCommand, stored: Bool, _ step: inout Step) {
        actions.append(.acknowledge(accepted.inbound))
        guard stored else { return ended(accepted.id, .failed(.storageFailed), &step) }
        guard step.life == .running else { return ended(accepted.id, .refused(.stopping), &step) }
        guard let phone = step.book.phone(accepted.phone) else {
            return ended(accepted.id, .refused(.notAllowed), &step)
        }
        if let outcome = refusal(of: accepted, by: phone, step) {
            return ended(accepted.id, outcome, &step)
        }
        guard let action = PhoneVerb(rawValue: accepted.command.verb)?.action(accepted.command.arguments) else {
            return ended(
                accepted.id, .refused(.unknownVerb(Self.printable(accepted.command.verb))), &step)
        }
        execute(action, accepted, by: phone, &step)
    }

    /// Step 5.
    private mutating func refusal(of accepted: AcceptedCommand, by phone: Phone, _ step: Step) -> Outcome? {
        let command = accepted.command
        let verb = PhoneVerb(rawValue: command.verb)
        let wantsChallenge = (verb?.wantsChallenge ?? true) || !step.now.isWallTrusted || accepted.wasResync
        switch command.freshness {
        case .challenge:
            guard case .ours(let expiry) = accepted.verdict.challenge else { return .refused(.staleChallenge) }
            #if SABOTAGE
                let isOld = step.sabotage != .ignoresChallengeAge && step.secondsUp > expiry
            #else
                let isOld = step.secondsUp > expiry
            #endif
            if isOld { return .refused(.staleChallenge) }
        case .time(let issued, let ttl):
            if wantsChallenge { return .refused(.staleChallenge) }
            let time = step.now.wall.seconds
            let (latest, overflow) = issued.addingReportingOverflow(Int64(ttl) + 10)
            guard !overflow, ttl <= 60, issued >= 10, issued - 10 <= time, time <= latest else { return .expired }
        }
        guard let index = account(phone.id) else { return .refused(.notAllowed) }
        if verb?.isRefusedWhileSuspended ?? false, phone.isSuspended { return .refused(.notAllowed) }
        if verb?.acts ?? false, accounts[index].isLocked(at: step.now.boot) { return .refused(.notAllowed) }
        if let verb, !phone.roles.contains(verb.role) { return .refused(.notAllowed) }
        guard let verb, verb.action(command.arguments) != nil else {
            return .refused(.unknownVerb(Self.printable(command.verb)))
        }
        guard accounts[index].mayCommand(rate: step.configuration.phones.commandRate, at: step.now.boot) else {
            return .refused(.tooManyCommands)
        }
        if !command.condition.pairs.isEmpty {
            guard verb.takesCondition, holds(command.condition, for: verb.action(command.arguments), step) else {
                return .refused(.conditionChanged)
            }
        }
        return nil
    }

    /// Whether the partition was neither armed nor disarmed after the event that the phone saw.
    private func holds(_ condition: Arguments, for action: PhoneAction?, _ step: Step) -> Bool {
        guard condition["log"] == step.log, let seq = condition["seq"].flatMap({ Int64($0) }),
            condition.pairs.count == 2, case .panel(let command) = action, let partition = command.partition
        else { return false }
        guard let arming = armings.first(where: { $0.partition == partition }) else { return true }
        return arming.seq.map { $0.number <= seq } ?? false
    }

    /// Step 6.
    private mutating func execute(
        _ action: PhoneAction, _ accepted: AcceptedCommand, by phone: Phone, _ step: inout Step
    ) {
        switch action {
        case .panel(let command):
            actions.append(.submit(step.order(accepted.id, command)))
        case .address(let kind, let value):
            actions.append(.changeAddress(accepted.id, kind, value, of: phone))
        case .leave:
            ended(accepted.id, .done, &step)
            step.wait(.leave(phone.id))
        case .suspend(let other): ended(accepted.id, suspend(other, by: phone, &step), &step)
        case .seen(let log, let seq):
            guard log == nil || log == step.log else {
                let why = "this alarm is of another journal: look at what is new, then try again"
                return ended(accepted.id, .refused(.badRequest(why)), &step)
            }
            ended(accepted.id, .done, &step)
            let name = step.book.actor(phone).name
            seen(upTo: seq ?? step.lastSequence, by: name, of: phone.person, except: phone.id, &step)
        }
    }

    private mutating func suspend(_ other: PhoneID, by phone: Phone, _ step: inout Step) -> Outcome {
        guard let index = step.book.phones.firstIndex(where: { $0.id == other }) else {
            return .refused(.badRequest("there is no such phone"))
        }
        step.book.phones[index].isSuspended = true
        step.bookChanged()
        step.announce(
            .fault, .phoneLocked,
            "\(step.book.actor(step.book.phones[index]).words) was suspended by \(step.book.actor(phone).words); \(Hint.lift.atBox) ends that.",
            about: .phone(other))
        return .done
    }

    /// The alarms up to this number need no repeats any more; a later one does: nobody has seen it yet.
    ///
    /// - Parameter person: whose repeats end; nil: everybody's, because somebody at the box says so
    mutating func seen(
        upTo seq: SequenceNumber, by who: String, of person: PersonID? = nil, except phone: PhoneID? = nil,
        _ step: inout Step
    ) {
        actions.append(.seen(upTo: min(seq, step.lastSequence), of: person))
        step.announce(step.event(.info, .seen, "\(who) has seen the alarm."), to: .people(except: phone))
    }

    // MARK: Results

    /// The outcome goes into the ledger with its event; the phone hears of it when both are stored.
    mutating func phoneEnded(
        _ phone: PhoneID, _ counter: UInt64, _ digest: [UInt8], _ result: PhoneResult, _ event: Event,
        _ step: inout Step
    ) {
        let index = step.writes.events.count
        step.announce(event, to: .everybody(except: phone))
        let row = PhoneLedgerRow(phone: phone, counter: counter, digest: digest, time: step.now.wall, result: result)
        if let account = account(phone) {
            store(row, at: account, &step)
            step.writes.phoneLedger.append(row)
        }
        step.wait(.tellPhone(phone, counter: counter, event: index))
    }

    mutating func tellResult(_ phone: PhoneID, _ counter: UInt64, _ seq: SequenceNumber?, _ step: inout Step) {
        guard let account = account(phone), let result = accounts[account].row(counter)?.result else {
            return
        }
        sendResult(result, counter: counter, to: phone, seq: seq, &step)
    }

    mutating func sendResult(
        _ result: PhoneResult, counter: UInt64, to phone: PhoneID, seq: SequenceNumber? = nil, _ step: inout Step
    ) {
        var members: [JSON.Member] = []
        func add(_ key: String, _ value: String?) {
            if let value { members.append(.init(key: key, value: .string(value))) }
        }
        add("ctr", String(counter))
        add("out", result.out.rawValue)
        add("why", result.why)
        add("log", seq.map { _ in step.log })
        add("seq", seq.map { String($0.number) })
        step.tell(
            phone, BoxMessage(.result, content: .object(members)),
            wantsChallenge: result.why == "challenge" || result.out == .expired)
    }

    private static func summary(_ command: PhoneCommand, _ action: PhoneAction?) -> String {
        switch action {
        case .address: "new address of the phone"
        case .leave: "unpair the phone"
        case .suspend(let phone): "suspend phone \(phone)"
        case .seen: "alarm seen"
        case .panel, nil: "'\(printable(command.verb))'"
        }
    }

    /// Words of a phone in a sentence of ours.
    static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(32).filter { (33...126).contains($0.value) }))
    }
}
