import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// Signed commands: the order of checks of docs/pairing.md 7.4.
extension Appliance {
    /// Steps 2 to 4.
    mutating func commanded(
        _ command: PhoneCommand, _ verdict: CommandVerdict, by phone: Phone, from upstream: InboundMessage,
        at now: Moment, into effects: inout [Effect]
    ) {
        guard let index = hall.account(phone.id) else { return }
        let verb = PhoneVerb(rawValue: command.verb)
        guard isSigned(command, verdict, verb, by: phone) else {
            acknowledge(upstream, at: now, into: &effects)
            return badSignature(of: command, verdict, by: phone, at: now)
        }
        switch hall.accounts[index].place(of: command.counter, digest: verdict.digest) {
        case .new: break
        #if SABOTAGE
            case .known where sabotage == .repeatsCommands: break
        #endif
        case .known(let row):
            acknowledge(upstream, at: now, into: &effects)
            guard hall.accounts[index].mayAnswerRepeat(at: now.boot) else { return reject(.repeated, at: now) }
            return sendResult(row.result ?? PhoneResult(.pending), counter: row.counter, to: phone.id, at: now)
        case .stale:
            acknowledge(upstream, at: now, into: &effects)
            return deny("stale", command, of: phone, at: now)
        case .wrong:
            acknowledge(upstream, at: now, into: &effects)
            return deny("counter", command, of: phone, at: now)
        }
        // Without a counter on the disk it might be done twice.
        guard journal.isGood else {
            acknowledge(upstream, at: now, into: &effects)
            return sendResult(PhoneResult(.failed, why: "storage"), counter: command.counter, to: phone.id, at: now)
        }
        spend(command, verdict, by: phone, from: upstream, at: now)
        #if SABOTAGE
            if sabotage == .executesBeforeCommit, case .judge(let accepted) = step.continuations.last {
                step.continuations.removeLast()
                judge(accepted, stored: true, at: now, into: &effects)
            }
        #endif
    }

    /// Step 2.
    private func isSigned(
        _ command: PhoneCommand, _ verdict: CommandVerdict, _ verb: PhoneVerb?, by phone: Phone
    ) -> Bool {
        guard verdict.signature == .good else { return false }
        guard let verb else { return true }
        return command.key == 2 || !verb.wantsPresence || phone.key1Suffices
    }

    private mutating func badSignature(
        of command: PhoneCommand, _ verdict: CommandVerdict, by phone: Phone, at now: Moment
    ) {
        guard let index = hall.account(phone.id) else { return }
        let (isNew, locks) = hall.accounts[index].noteBadSignature(verdict.digest, at: now.boot)
        guard isNew else { return reject(.repeated, at: now) }
        let who = actor(phone)
        announce(
            .response, .phoneDenied,
            "\(who.words): \(Self.printable(command.verb)) refused, the signature is not good enough.",
            except: phone.id, at: now)
        if locks {
            announce(
                .fault, .phoneLocked,
                "\(who.words): five bad signatures. Its commands are refused for 15 minutes; 'howalarming phones lift' ends that.",
                except: phone.id, at: now)
        }
        sendResult(PhoneResult(.denied, why: "key"), counter: command.counter, to: phone.id, at: now)
    }

    /// Answered, and not written down: a relay can repeat a true command for ever.
    private mutating func deny(_ why: String, _ command: PhoneCommand, of phone: Phone, at now: Moment) {
        guard let index = hall.account(phone.id) else { return }
        guard hall.accounts[index].mayAnswerRepeat(at: now.boot) else { return reject(.repeated, at: now) }
        sendResult(PhoneResult(.denied, why: why), counter: command.counter, to: phone.id, at: now)
    }

    /// Step 4: from here on the counter is spent, whatever follows.
    private mutating func spend(
        _ command: PhoneCommand, _ verdict: CommandVerdict, by phone: Phone, from upstream: InboundMessage,
        at now: Moment
    ) {
        guard let index = hall.account(phone.id) else { return }
        let wasResync = hall.accounts[index].isResync
        let action = PhoneVerb(rawValue: command.verb)?.action(command.arguments)
        let actor = actor(phone)
        let origin = CommandDesk.Origin.phone(phone.id, counter: command.counter, digest: verdict.digest)
        let entry: CommandDesk.Open
        if case .panel(let order) = action {
            entry = desk.accept(order, from: origin, by: actor, at: now)
        } else {
            entry = desk.accept(summary: Self.summary(command, action), from: origin, by: actor, at: now)
        }
        let row = PhoneLedgerRow(
            phone: phone.id, counter: command.counter, digest: verdict.digest, time: now.wall)
        hall.accounts[index].store(row)
        announce(
            event(of: entry, .command, "asked for by \(actor.words)", at: now), except: phone.id)
        step.ledger.append(
            LedgerRow(
                command: entry.id, summary: entry.summary, origin: "phone \(phone.id)", time: now.wall, outcome: nil))
        #if SABOTAGE
            if sabotage == .forgetsCounter {
                step.continuations.append(.acknowledge(upstream))
            } else {
                step.phoneLedger.append(row)
            }
        #else
            step.phoneLedger.append(row)
        #endif
        step.continuations.append(
            .judge(
                AcceptedCommand(
                    phone: phone.id, command: command, verdict: verdict, id: entry.id, wasResync: wasResync,
                    upstream: upstream)))
    }

    /// Steps 5 and 6, once step 4 is on the disk.
    mutating func judge(_ accepted: AcceptedCommand, stored: Bool, at now: Moment, into effects: inout [Effect]) {
        acknowledge(accepted.upstream, at: now, into: &effects)
        guard stored else { return commandEnded(accepted.id, .failed(.storageFailed), at: now) }
        guard life == .running else { return commandEnded(accepted.id, .refused(.stopping), at: now) }
        guard let phone = hall.book.phone(accepted.phone) else {
            return commandEnded(accepted.id, .refused(.notAllowed), at: now)
        }
        if let outcome = refusal(of: accepted, by: phone, at: now) {
            return commandEnded(accepted.id, outcome, at: now)
        }
        guard let action = PhoneVerb(rawValue: accepted.command.verb)?.action(accepted.command.arguments) else {
            return commandEnded(
                accepted.id, .refused(.unknownVerb(Self.printable(accepted.command.verb))), at: now)
        }
        execute(action, accepted, by: phone, at: now, into: &effects)
    }

    /// Step 5.
    private mutating func refusal(of accepted: AcceptedCommand, by phone: Phone, at now: Moment) -> Outcome? {
        let command = accepted.command
        let verb = PhoneVerb(rawValue: command.verb)
        let wantsChallenge = (verb?.wantsChallenge ?? true) || !now.isWallTrusted || accepted.wasResync
        switch command.freshness {
        case .challenge:
            guard case .ours(let expiry) = accepted.verdict.challenge else { return .refused(.staleChallenge) }
            #if SABOTAGE
                let isOld = sabotage != .ignoresChallengeAge && secondsUp(at: now) > expiry
            #else
                let isOld = secondsUp(at: now) > expiry
            #endif
            if isOld { return .refused(.staleChallenge) }
        case .time(let issued, let ttl):
            if wantsChallenge { return .refused(.staleChallenge) }
            let time = now.wall.seconds
            let (latest, overflow) = issued.addingReportingOverflow(Int64(ttl) + 10)
            guard !overflow, ttl <= 60, issued >= 10, issued - 10 <= time, time <= latest else { return .expired }
        }
        guard let index = hall.account(phone.id) else { return .refused(.notAllowed) }
        if verb?.acts ?? false, phone.isSuspended || hall.accounts[index].isLocked(at: now.boot) {
            return .refused(.notAllowed)
        }
        if let verb, !phone.roles.contains(verb.role) { return .refused(.notAllowed) }
        guard let verb, verb.action(command.arguments) != nil else {
            return .refused(.unknownVerb(Self.printable(command.verb)))
        }
        guard hall.accounts[index].mayCommand(rate: configuration.phones.commandRate, at: now.boot) else {
            return .refused(.tooManyCommands)
        }
        if !command.condition.pairs.isEmpty {
            guard verb.takesCondition, holds(command.condition, for: verb.action(command.arguments)) else {
                return .refused(.conditionChanged)
            }
        }
        return nil
    }

    /// Whether the partition was neither armed nor disarmed after the event that the phone saw.
    private func holds(_ condition: Arguments, for action: PhoneAction?) -> Bool {
        guard condition["log"] == hall.log, let seq = condition["seq"].flatMap({ Int64($0) }),
            condition.pairs.count == 2, case .panel(let command) = action, let partition = command.partition
        else { return false }
        guard let arming = hall.armings.first(where: { $0.partition == partition }) else { return true }
        return arming.seq.map { $0.number <= seq } ?? false
    }

    /// Step 6.
    private mutating func execute(
        _ action: PhoneAction, _ accepted: AcceptedCommand, by phone: Phone, at now: Moment,
        into effects: inout [Effect]
    ) {
        switch action {
        case .panel(let command):
            let order = PanelOrder(
                id: accepted.id, command: command, deadline: now.boot + configuration.pace.commandDeadline)
            drivePanel(at: now, into: &effects) { $0.submit(order, at: now, into: &$1) }
        case .address(let kind, let value):
            commandEnded(accepted.id, newAddress(kind, value, of: phone, at: now, into: &effects), at: now)
        case .leave:
            commandEnded(accepted.id, .done, at: now)
            step.continuations.append(.leave(phone.id))
        case .suspend(let other): commandEnded(accepted.id, suspend(other, by: phone, at: now), at: now)
        case .seen(let log, let seq):
            guard log == nil || log == hall.log else {
                let why = "this alarm is of another journal: look at what is new, then try again"
                return commandEnded(accepted.id, .refused(.badRequest(why)), at: now)
            }
            commandEnded(accepted.id, .done, at: now)
            seen(upTo: seq ?? lastSequence, by: actor(phone).name, except: phone.id, at: now)
        }
    }

    private mutating func suspend(_ other: PhoneID, by phone: Phone, at now: Moment) -> Outcome {
        guard let index = hall.book.phones.firstIndex(where: { $0.id == other }) else {
            return .refused(.badRequest("there is no such phone"))
        }
        hall.book.phones[index].isSuspended = true
        bookChanged()
        announce(
            .fault, .phoneLocked,
            "\(actor(hall.book.phones[index]).words) was suspended by \(actor(phone).words); 'howalarming phones lift' ends that.",
            at: now)
        return .done
    }

    /// The alarms up to this number need no repeats any more; a later one does: nobody has seen it yet.
    mutating func seen(upTo seq: SequenceNumber, by who: String, except phone: PhoneID?, at now: Moment) {
        hall.outbox.seen(.alarms(upTo: min(seq, lastSequence)), at: now)
        step.announcements.append(Announcement(event: step.events.count, audience: .people(except: phone)))
        note(.info, .seen, "\(who) has seen the alarm.", at: now)
    }

    // MARK: Results

    /// The outcome goes into the ledger with its event; the phone hears of it when both are stored.
    mutating func phoneCommandEnded(
        _ phone: PhoneID, _ counter: UInt64, _ digest: [UInt8], _ result: PhoneResult, _ event: Event, at now: Moment
    ) {
        let index = step.events.count
        announce(event, except: phone)
        let row = PhoneLedgerRow(phone: phone, counter: counter, digest: digest, time: now.wall, result: result)
        if let account = hall.account(phone) {
            hall.accounts[account].store(row)
            step.phoneLedger.append(row)
        }
        step.continuations.append(.tellPhone(phone, counter: counter, event: index))
    }

    mutating func tellResult(_ phone: PhoneID, _ counter: UInt64, _ seq: SequenceNumber?, at now: Moment) {
        guard let account = hall.account(phone), let result = hall.accounts[account].row(counter)?.result else {
            return
        }
        sendResult(result, counter: counter, to: phone, seq: seq, at: now)
    }

    mutating func sendResult(
        _ result: PhoneResult, counter: UInt64, to phone: PhoneID, seq: SequenceNumber? = nil, at now: Moment
    ) {
        var members: [JSON.Member] = []
        func add(_ key: String, _ value: String?) {
            if let value { members.append(.init(key: key, value: .string(value))) }
        }
        add("ctr", String(counter))
        add("out", result.out.rawValue)
        add("why", result.why)
        add("log", seq.map { _ in hall.log })
        add("seq", seq.map { String($0.number) })
        tell(
            phone, BoxMessage(.result, content: .object(members)),
            wantsChallenge: result.why == "challenge" || result.out == .expired, at: now)
    }

    func actor(_ phone: Phone) -> CommandDesk.Actor {
        CommandDesk.Actor(name: hall.book.person(phone.person)?.name ?? "somebody", device: phone.name)
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
