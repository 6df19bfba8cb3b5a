package import AlarmModel

/// The last resort for one recipient: alarms that no data path delivered in time go out as one short text to each of the
/// recipient's numbers, as a text message or, with other settings, spoken in a telephone call. At most one such round in 2 min and 10 in 24 h, as far as this value knows: it is kept in memory
/// only, so a restart counts anew. Several alarms share one text. A number is tried three times, 30 s apart.
///
/// Alarms of a round that reached nobody wait for the next: 2 min, doubling to 1 h, at once when the network takes the
/// modem in anew, until a day is over. Where every try was refused, so that nobody can have got it, the round does not
/// count for the 10.
///
/// What counts as delivered say the settings: that a phone or the person has confirmed it, that the person has seen it, or
/// that a data path took it. One that a data path took and may still send back, or that nobody has confirmed, is waited
/// for. What no service accepts for anybody goes out after `unacceptedPatience`. An alarm that was
/// delivered after all before its round began is not sent; a round that began is not called back, but once all its
/// alarms are delivered nothing of it is tried again. Duress never comes in here as words.
package struct TextAlarm: Codable, Equatable, Sendable {
    package static let gap = Duration.minutes(2)
    package static let roundsPerDay = 10
    package static let triesPerNumber = 3
    package static let pauseBetweenTries = Duration.seconds(30)
    /// A text without any answer for so long counts as failed.
    package static let answerPatience = Duration.minutes(2)
    /// The same of a call, which has to be answered and heard.
    package static let callPatience = Duration.minutes(5)
    /// The longest time between rounds in vain.
    package static let longestPause = Duration.hours(1)
    /// An alarm that waits longer is no news any more.
    package static let longestWait = Duration.hours(24)
    /// So long a person has to look at the phone whose service took the alarm.
    package static let lookSpan = Duration.minutes(2)
    /// Longest wait for an alarm that no service has accepted for anybody.
    package static let unacceptedPatience = Duration.seconds(60)
    /// Of more waiting alarms the words are not kept: they would not fit into a text.
    package static let wordsKept = 32
    /// More are not taken, and of earlier ones it is not known any more that they waited once.
    package static let capacity = 1000

    package private(set) var settings: TextAlarmSettings
    package private(set) var isReady = false
    /// In the order in which they were told.
    private(set) var waiting: [Waiting] = []
    /// All that have waited, whatever became of them. The store can bring one again: its rows say nothing of what a
    /// service has taken until it is known whether the phone has it.
    private var known: [WaitingAlarmID] = []
    private var round: TextRound?
    private var nextID: TextID
    /// When rounds began that somebody may have got, in the last 24 hours.
    private var rounds: [BootTime] = []
    private var lastRound: BootTime?
    private var isHoldingBackTold = false
    private var handled: BootTime

    /// - Parameter firstID: the texts are named upwards from here
    package init(settings: TextAlarmSettings, firstID: TextID = TextID(1), at now: Moment) {
        self.settings = settings
        nextID = firstID
        handled = now.boot
    }

    /// Copy of what waits, for a recipient who has got nothing of it.
    package func copy(for settings: TextAlarmSettings, firstID: TextID, at now: Moment) -> TextAlarm {
        var copy = TextAlarm(settings: settings, firstID: firstID, at: now)
        copy.isReady = isReady
        copy.known = known
        copy.waiting = open.map { Waiting(id: $0.id, words: $0.words, inLanguages: $0.inLanguages, since: $0.since) }
        for index in copy.waiting.indices { copy.waiting[index].number = open[index].number }
        return copy
    }

    /// A text or a call that is under way.
    package struct UnderWay: Equatable, Sendable {
        package var number: String
        /// nil: the one for all.
        package var language: NoticeLanguage?
        package var alarms: [WaitingAlarmID]
        package var numbers: [SequenceNumber]
        /// Some of its alarms still wait for somebody.
        package var isWanted: Bool
    }

    /// nil: it is over.
    package func called(_ id: TextID) -> UnderWay? {
        guard let round, let letter = round.letters.first(where: { $0.id == id }) else { return nil }
        return UnderWay(
            number: letter.number, language: letter.language, alarms: round.alarms,
            numbers: round.undelivered.compactMap(\.number), isWanted: !round.undelivered.isEmpty)
    }

    /// Alarms that nothing has delivered.
    package var waitingAlarms: [WaitingAlarmID] { waiting.map(\.id) }
    package var waitingCount: Int { waiting.count }
    /// A text is under way.
    package var isSending: Bool { round != nil }

    /// What is under way goes on; the next round keeps to the new settings.
    package mutating func change(
        _ settings: TextAlarmSettings, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        self.settings = settings
        if settings.unless == .taken {
            waiting.removeAll { $0.takenAt != nil }
            round?.undelivered.removeAll { $0.takenAt != nil }
        }
        advance(at: now.boot, into: &actions)
    }

    /// An event of class alarm exists that nobody has got yet. An alarm that is told twice counts once.
    ///
    /// - Parameters:
    ///   - words: what happened, with its time of day, as a person shall read it; cut and put into the letters of text
    ///     messages here. No codes and no names of users
    ///   - inLanguages: the same for each person's own language; nil: one text for all
    ///   - isDuress: then it is passed over: a text lies open on the phone's lock screen
    ///   - since: when the event came about
    package mutating func alarmWaits(
        _ id: WaitingAlarmID, words: String, inLanguages: InLanguages<String>? = nil, isDuress: Bool, since: BootTime,
        at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        guard !isDuress, !settings.numbers.isEmpty, !known.contains(id),
            waiting.count + (round?.undelivered.count ?? 0) < Self.capacity
        else { return }
        known.append(id)
        if known.count > Self.capacity { known.removeFirst() }
        let isKept = waiting.count < Self.wordsKept
        waiting.append(
            Waiting(id: id, words: isKept ? words : "", inLanguages: isKept ? inLanguages : nil, since: since))
        advance(at: now.boot, into: &actions)
    }

    /// It needs no delivery any more.
    package mutating func delivered(
        _ id: WaitingAlarmID, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        waiting.removeAll { $0.id == id }
        round?.undelivered.removeAll { $0.id == id }
        advance(at: now.boot, into: &actions)
    }

    /// The alarm has this number in the journal.
    package mutating func numbered(_ id: WaitingAlarmID, _ number: SequenceNumber) {
        change(id) { $0.number = number }
    }

    /// The recipient's phone says that it has the alarm, or the recipient has seen it.
    package mutating func confirmed(
        _ id: WaitingAlarmID, as word: AlarmWord, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        confirmed(as: word, at: now, into: &actions) { $0.id == id }
    }

    /// Takes a recipient's word about all alarms with these numbers.
    package mutating func confirmed(
        _ numbers: ClosedRange<SequenceNumber>, as word: AlarmWord, at now: Moment,
        into actions: inout [TextAlarmAction]
    ) {
        confirmed(as: word, at: now, into: &actions) { $0.number.map { numbers.contains($0) } ?? false }
    }

    private mutating func confirmed(
        as word: AlarmWord, at now: Moment, into actions: inout [TextAlarmAction], _ isMeant: (Waiting) -> Bool
    ) {
        switch (word, settings.unless) {
        case (.seen, _), (.receipt, .confirmed), (.receipt, .taken):
            waiting.removeAll(where: isMeant)
            round?.undelivered.removeAll(where: isMeant)
        case (.receipt, .seen):
            for id in open.filter(isMeant).map(\.id) { change(id) { $0.wasTaken(at: now.boot) } }
        }
        advance(at: now.boot, into: &actions)
    }

    /// Notes whether any service has accepted these alarms within `unacceptedPatience`.
    package mutating func unaccepted(
        _ ids: [WaitingAlarmID], _ isUnaccepted: Bool, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        for id in ids { change(id) { $0.isUnaccepted = isUnaccepted } }
        advance(at: now.boot, into: &actions)
    }

    /// A data path took it.
    ///
    /// - Parameter end: until then it may send it back
    package mutating func taken(
        _ id: WaitingAlarmID, until end: BootTime?, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        switch settings.unless {
        case .confirmed, .seen: change(id) { $0.wasTaken(at: now.boot) }
        case .taken:
            guard let end else { return delivered(id, at: now, into: &actions) }
            change(id) { $0.takenUntil.append(end) }
        }
        advance(at: now.boot, into: &actions)
    }

    /// A data path sent back what it had taken. Which of several does not matter: the last of those that are left
    /// decides.
    package mutating func cameBack(_ id: WaitingAlarmID, at now: Moment, into actions: inout [TextAlarmAction]) {
        change(id) { $0.cameBack() }
        advance(at: now.boot, into: &actions)
    }

    private var open: [Waiting] { waiting + (round?.undelivered ?? []) }

    private mutating func change(_ id: WaitingAlarmID, _ body: (inout Waiting) -> Void) {
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            body(&waiting[index])
        } else if var known = round, let index = known.undelivered.firstIndex(where: { $0.id == id }) {
            body(&known.undelivered[index])
            round = known
        }
    }

    /// Whether a text would leave now (`ModemAction.textsReady`); calls go to their provider at any time.
    package mutating func ready(_ isReady: Bool, at now: Moment, into actions: inout [TextAlarmAction]) {
        if isReady, !self.isReady {
            for index in waiting.indices where waiting[index].again != nil { waiting[index].again = now.boot }
        }
        self.isReady = isReady
        advance(at: now.boot, into: &actions)
    }

    /// The network took a text, or somebody has heard the call. One that belongs to no round is passed over.
    package mutating func sent(_ id: TextID, at now: Moment, into actions: inout [TextAlarmAction]) {
        round?.answered(id, .sent, at: now.boot)
        advance(at: now.boot, into: &actions)
    }

    package mutating func failed(
        _ id: TextID, why: ModemFailure, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        failed(id, why: why.description, mayBeThere: why.kind == .timedOut, at: now, into: &actions)
    }

    /// - Parameter mayBeThere: the number may have got it all the same
    package mutating func failed(
        _ id: TextID, why: String, mayBeThere: Bool, at now: Moment, into actions: inout [TextAlarmAction]
    ) {
        round?.answered(id, .failed(why, mayBeThere: mayBeThere), at: now.boot)
        advance(at: now.boot, into: &actions)
    }

    /// When `timerFired` is due; nil while there is nothing to wait for.
    package var nextDeadline: BootTime? {
        var candidates: [BootTime] = []
        if let round {
            candidates += round.deadlines(isReady: isReady)
        } else if isReady, let first = waiting.compactMap({ $0.due(settings.patience) }).min() {
            // That it is held back is told when it is due.
            candidates += [first, max(first, earliestRound)]
        }
        candidates += open.flatMap(\.takenUntil)
        candidates += open.map { $0.since + Self.longestWait }
        return candidates.filter { $0 > handled }.min()
    }

    /// Time has passed; does nothing when it is too early.
    package mutating func timerFired(at now: Moment, into actions: inout [TextAlarmAction]) {
        advance(at: now.boot, into: &actions)
    }

    // MARK: Rounds

    /// When the next round may begin, by the gap and by the day's number.
    private var earliestRound: BootTime {
        let afterGap = lastRound.map { $0 + Self.gap } ?? .zero
        guard rounds.count >= Self.roundsPerDay else { return afterGap }
        return max(afterGap, rounds[rounds.count - Self.roundsPerDay] + .hours(24))
    }

    private mutating func advance(at now: BootTime, into actions: inout [TextAlarmAction]) {
        handled = max(handled, now)
        rounds.removeAll { $0 + .hours(24) <= now }
        waiting.removeAll { $0.takenUntil.contains { $0 <= now } }
        round?.undelivered.removeAll { $0.takenUntil.contains { $0 <= now } }
        giveUpOld(at: now, into: &actions)
        if round != nil {
            goOn(at: now, into: &actions)
            // What a round in vain gives back may be old by now.
            giveUpOld(at: now, into: &actions)
        }
        if round == nil { begin(at: now, into: &actions) }
    }

    /// What a text under way is about is given up when its answer is there.
    private mutating func giveUpOld(at now: BootTime, into actions: inout [TextAlarmAction]) {
        let resting = round.flatMap { $0.isUnderWay ? nil : $0.undelivered } ?? []
        let old = (resting + waiting).filter { now >= $0.since + Self.longestWait }.map(\.id)
        guard !old.isEmpty else { return }
        waiting.removeAll { old.contains($0.id) }
        round?.undelivered.removeAll { old.contains($0.id) }
        actions.append(.note(.givenUp(old), words: "neither a data path nor a text message got through for a day"))
    }

    private mutating func begin(at now: BootTime, into actions: inout [TextAlarmAction]) {
        let due = waiting.filter { $0.due(settings.patience).map { $0 <= now } ?? false }
        guard isReady, !due.isEmpty, !settings.numbers.isEmpty else { return }
        guard now >= earliestRound else {
            if rounds.count >= Self.roundsPerDay, !isHoldingBackTold {
                isHoldingBackTold = true
                let words = "\(Self.roundsPerDay) texts in 24 hours are the limit"
                actions.append(.note(.heldBack(due.map(\.id)), words: words))
            }
            return
        }
        isHoldingBackTold = false
        lastRound = now
        let alarms = waiting.filter { $0.ripe(settings.patience).map { $0 <= now } ?? false }
        let ids = alarms.map(\.id)
        waiting.removeAll { ids.contains($0.id) }
        round = TextRound(alarms: alarms, by: settings, at: now)
        goOn(at: now, into: &actions)
    }

    private mutating func goOn(at now: BootTime, into actions: inout [TextAlarmAction]) {
        guard var round else { return }
        round.expire(at: now)
        if isReady, round.undelivered.contains(where: \.takenUntil.isEmpty) {
            for index in round.letters.indices where round.letters[index].isDue(at: now) {
                let id = nextID
                nextID.number += 1
                round.letters[index].begin(id, deadline: now + settings.answerPatience)
                let letter = round.letters[index]
                let text = letter.text ?? round.text
                actions.append(.sendText(TextMessage(id: id, number: letter.number, text: text)))
            }
        }
        guard round.isOver else {
            self.round = round
            return
        }
        self.round = nil
        if round.mayHaveReached { rounds.append(round.begin) }
        let reached = round.letters.count { $0.isSent }
        guard reached == 0 else {
            actions.append(
                .note(.sent(round.alarms), words: "\(settings.sentWords) \(reached) of \(round.letters.count) numbers"))
            return
        }
        if settings.speech != nil, round.mayHaveReached { return unheard(round, into: &actions) }
        let fresh = round.undelivered.filter { $0.again == nil }.map(\.id)
        if !fresh.isEmpty {
            let why = round.letters.compactMap(\.why).last ?? "no try was made"
            actions.append(.note(.failed(fresh), words: "\(why); it is tried again for a day"))
        }
        for index in round.undelivered.indices { round.undelivered[index].wasInVain(at: now) }
        waiting.insert(contentsOf: round.undelivered, at: 0)
    }

    /// It rang and nobody pressed a key. The telephones of people who are not there, and mailboxes, are left alone then.
    private func unheard(_ round: TextRound, into actions: inout [TextAlarmAction]) {
        let why = round.letters.compactMap(\.why).last ?? "nobody pressed a key"
        actions.append(.note(.unheard(round.alarms), words: why))
    }
}
