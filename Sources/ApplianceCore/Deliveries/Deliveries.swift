import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What people are told: the outbox with every message that is not delivered, answers that are worth something only
/// now, signs of life, and the answers to what a phone may ask without signing.
///
/// Guarantees: those of `Outbox`; alarms go before answers, answers before the rest, signs of life last; duress goes to
/// its contacts alone. Knows nothing of connections: it learns which channels have room, and what they say of a
/// message.
struct Deliveries: Machine, Codable, Equatable, Sendable {
    enum Action: Codable, Equatable, Sendable {
        /// A channel is to send this; `sent` or `notTaken` follows.
        case send(Delivery, by: ChannelKind)
        /// A service refuses a message to this address; `address` where it is one of the phone book. `isService`: its
        /// account is at fault, and with it messages to other addresses.
        case refused(by: ChannelKind, DeliveryAddress?, AddressID?, Refusal, isService: Bool)
        /// A service has taken a message at this address.
        case taken(AddressID)
        /// The service names the address anew.
        case learned(String, insteadOf: AddressID)
        case dropAddress(AddressID, why: String)
        /// A button goes out with an alert.
        case offered(Button)
        /// A phone has the welcome.
        case welcomed(Phone)
        /// A phone returns what was sent to a new address.
        case probeAnswered(String, by: Phone)
        case alarm(AlarmFate)
        /// A paired phone wants a page of a list, from this row on.
        case listWanted(PhoneList, from: Int, rid: [UInt8], by: Phone)
        /// A paired phone wants the pictures of an alarm once more.
        case pictureWanted(PictureWish)
        /// A paired phone asks for something that does not exist.
        case malformed
    }

    var outbox: Outbox
    var answers = AnswerQueue()
    var answerBudget = AnswerBudget()
    var heartbeat: Heartbeat
    var storms = StormFilter()
    var testAlarms = TestAlarms()
    /// Messages that were given up or expired, since the store was begun.
    var counts = OutboxCounts()
    /// People of whom it was told that no channel leads to them.
    var unreachable: [PersonID] = []
    /// People of whom it was told that the configuration has no channel to them.
    var channelless: [PersonID] = []
    /// Since when something is known against a channel.
    var unhealthy: [Unhealthy] = []
    /// When phones claimed to know more of the journal than the box, within the last day.
    var aheadClaims: [BootTime] = []
    /// The outbox is being read.
    var isReading = false
    var actions: [Action] = []

    struct Unhealthy: Codable, Equatable, Sendable {
        var channel: ChannelKind
        var since: BootTime
    }

    init(bootMark: String, seed: UInt64, policy: OutboxPolicy = OutboxPolicy()) {
        outbox = Outbox(bootMark: bootMark, seed: seed, policy: policy)
        heartbeat = Heartbeat(seed: seed)
    }

    init(_ start: Start, _ known: Snapshot, _ step: Step) {
        var policy = OutboxPolicy()
        policy.receiptDelay = start.configuration.phones.timing.receiptPatience
        self.init(bootMark: start.bootMark, seed: start.seed &+ 1, policy: policy)
        counts = start.outboxCounts
        testAlarms.restore(
            known.reminders?.due ?? [], start.configuration.phones.testAlarm, in: start.configuration.panel.timeZone)
        // Never above what there is: a number that is given out yet is an alarm that nobody has seen.
        if let seen = known.seenUpTo { outbox.seen(.alarms(upTo: min(seen, start.lastSequence)), at: step.now) }
        #if SABOTAGE
            outbox.sabotage = step.sabotage
        #endif
    }

    /// The rows of a step's events, for its batch.
    mutating func post(
        _ writes: StepWrites, as batch: BatchID, healthy: [ChannelKind], _ step: inout Step
    ) -> [OutboxRow] {
        guard !step.channels.isEmpty else { return [] }
        var rows: [OutboxRow] = []
        for (index, event) in writes.events.enumerated() {
            let announcement = writes.announcements.first { $0.event == index }
            let audience = announcement?.audience
            let about = writes.subjects.first { $0.event == index }?.about
            // Pictures have a budget of their own.
            guard announcement?.picture != nil || storms.passes(event, about: about, to: audience, at: step.now.boot)
            else { continue }
            #if SABOTAGE
                if step.sabotage == .stormHoldsEnd, event.type == .disarmed { continue }
            #endif
            let new = outbox.post(
                event, index: index, batch: batch, legacyType: event.legacyType, healthy: healthy, audience: audience,
                picture: announcement?.picture, at: step.now)
            if event.flags.contains(.testAlarm), !new.isEmpty { testAlarms.sent(new, at: step.now.boot) }
            rows += new
            if audience != nil { rows += postToTubes(event, index: index, batch: batch, beside: new, step) }
        }
        return rows
    }

    /// Messages for the work queue's tubes about a command: its request and its outcome, which are told to phones whatever
    /// their class. A program learns only there what became of its job (docs/messages.md B.3).
    ///
    /// - Parameter rows: of the same event; a tube that is among them gets no second message
    private mutating func postToTubes(
        _ event: Event, index: Int, batch: BatchID, beside rows: [OutboxRow], _ step: Step
    ) -> [OutboxRow] {
        guard event.code == EventCode.command.rawValue, event.flags.isDisjoint(with: [.maintenance, .duress]) else {
            return []
        }
        let tubes = step.book.house.filter { tube in
            tube.kind == .tube && tube.triggers.contains(event.legacyType)
                && !rows.contains { $0.address == tube.address }
        }
        return tubes.flatMap { tube in
            outbox.post(
                event, index: index, batch: batch, legacyType: event.legacyType, healthy: [],
                audience: .address(tube.address), at: step.now)
        }
    }

    mutating func timerFired(_ step: inout Step) {
        outbox.timerFired(at: step.now)
        tellHeldBack(&step)
        lookAtTestAlarms(&step)
    }

    /// What happened too often to be told each time is told with its latest news.
    private mutating func tellHeldBack(_ step: inout Step) {
        guard step.life == .running else { return }
        for held in storms.takeDue(at: step.now) {
            if let audience = held.audience {
                step.announce(held.event, to: audience, about: held.about)
            } else {
                step.record(held.event, about: held.about)
            }
        }
    }

    /// The outbox follows the phone book; original apps are in it only while they are served.
    mutating func updateRoutes(_ step: inout Step) {
        var book = step.book
        if !step.configuration.phones.isLegacyEnabled { book.legacyPhones = [] }
        outbox.update(book, channels: step.channels, at: step.now)
    }

    /// The changes of state that go into the step's batch.
    mutating func flush(into batch: BatchID, _ step: inout Step) {
        guard !step.channels.isEmpty else { return }
        for noted in outbox.flush(into: batch, at: step.now) {
            step.writes.outboxChanges.append(noted.change)
            testAlarms.changed(noted.change, at: step.now.boot)
            switch noted.change.state {
            case .dead: if !noted.isHidden { counts.dead += 1 }
            case .expired: if !noted.isHidden { counts.expired += 1 }
            case .waiting, .accepted, .received, .overdue, .seen, .spared: break
            }
        }
    }

    /// Takes over what phones and contacts are to be told beside events.
    mutating func takeAnswers(_ step: inout Step) {
        for answer in step.answers where mayGo(answer, step) {
            answers.add(
                answer.content, to: answer.place, as: answer.message, isHeartbeat: answer.isHeartbeat,
                at: step.now.boot)
        }
        step.answers = []
    }

    private mutating func mayGo(_ answer: Answer, _ step: Step) -> Bool {
        let channel = answer.place.channel
        guard let limit = step.answersADay(by: channel), let phone = answer.budgeted else { return true }
        return answerBudget.take(
            for: phone, of: step.phones(by: channel), isHistory: answer.isHistory, limit: limit, at: step.now.boot)
    }

    /// The phone was revoked: it hears of that and of nothing else.
    mutating func forgetAnswers(of phone: PhoneID, _ step: inout Step) {
        takeAnswers(&step)
        answers.forget(phone)
    }

    func nextDeadline(_ step: Step) -> BootTime? {
        // While the run stops nothing of its own accord is sent.
        let isRunning = step.life == .running
        return [
            outbox.nextDeadline(after: step.now), answers.nextDeadline(after: step.now.boot),
            isRunning ? heartbeat.nextAt : nil, isRunning ? storms.nextDeadline : nil,
            isRunning ? testAlarms.nextDeadline(step.configuration.phones.testAlarm, at: step.now.boot) : nil,
            unreachableDeadlines(step).filter { $0 > step.now.boot }.min(),
        ].compactMap { $0 }.min()
    }
}
