import AlarmModel
import ApplianceCore
import PhoneProtocol
import Uplinks

/// What the world remembers of the modem, its texts and calls, the signs of life and the console's lock.
///
/// Guarantees: no text is passed over that leaves without need or too often, or that does not leave; no PIN that is tried
/// when it must not be, and no reset or sign of life that does not come.
struct ModemChecks: Sendable {
    private(set) var texts = TextChecks()
    private(set) var calls = CallChecks()
    private(set) var answers = AnswerChecks()
    /// Resets that the daemon of this run has ordered.
    private var resets = 0
    /// When each phone's last unasked sign of life was made.
    private var signs: [PhoneID: BootTime] = [:]
    /// The disk was told that the SIM has refused the PIN, which nobody has changed since.
    private var isRefusalKept = false
    /// Wrong PINs in a row that were looked at, and when the last was.
    private var wrongTries = 0
    private var lastTry: BootTime?
    /// The store took nothing in between: what it does not know it cannot count after a restart.
    private var isCountUnsure = false

    // MARK: What happens

    /// The daemon is new: it holds all alarms for new that nobody has got.
    mutating func restarted(with shelf: PhoneShelf, at now: BootTime) {
        resets = 0
        signs = [:]
        calls.restarted()
        answers.restarted()
        if isCountUnsure { wrongTries = 0 }
        isCountUnsure = false
        func isAtSomebody(_ address: AddressID) -> Bool {
            guard let book = shelf.book else { return false }
            return book.phones.contains { $0.addresses.contains { $0.id == address } }
                || book.contacts.contains { $0.address == address }
                || book.legacyPhones.contains { $0.address == address && !$0.isGone }
        }
        let waiting = shelf.messages.filter {
            // One that is overdue the service has taken once.
            $0.state == .waiting && $0.row.priority == .alarm && !$0.isDuress
                && !shelf.takenAt($0).contains(where: isAtSomebody)
        }
        var events: [(place: Int64, messages: [MessageID])] = []
        for message in waiting {
            if let index = events.firstIndex(where: { $0.place == message.place }) {
                events[index].messages.append(message.row.message)
            } else {
                events.append((message.place, [message.row.message]))
            }
        }
        texts.restarted(events.map(\.messages), at: now)
    }

    /// What the daemon hears.
    mutating func fed(_ input: Input, _ store: SimulatedStore, log: String, at now: BootTime) {
        switch input {
        case .modem(let fact): heard(fact, at: now)
        case .received(let connection, let bytes): if World.isPush(connection) { texts.heard(bytes) }
        case .vault(_, .opened(_, let message, _)): texts.heard(message, store.disk, log: log)
        case _: break
        }
    }

    private mutating func heard(_ fact: ModemFact, at now: BootTime) {
        switch fact {
        case .modem(let status):
            texts.setReady(status?.canText ?? false, at: now)
        case .service(let isThere): if !isThere { texts.setReady(false, at: now) }
        case .textSent(let id): texts.answered(id, isSent: true)
        case .textFailed(let id, _): texts.answered(id, isSent: false)
        case .call(let id, let fact):
            calls.heard(id, fact, at: now)
            if fact == .keyPressed { texts.keyPressed() }
        case .textReceived(let number, let text):
            if answers.heard(IncomingText(number: number, text: text), at: now) { texts.answeredOK() }
        case .done, .failed: break
        }
    }

    /// A batch leaves the core.
    mutating func ordered(_ batch: Batch, _ clock: SimulatedClock, from here: Standpoint) throws(Violation) {
        texts.ordered(batch, at: here.now) { clock.earliest($0, at: here.now) }
        calls.ordered(batch)
        try answers.ordered(batch, from: here)
    }

    /// A sign of life that nobody asked for is made.
    mutating func shows(_ phone: PhoneID, at now: BootTime) { signs[phone] = now }

    // MARK: What leaves

    /// The core orders something of the modem.
    mutating func check(
        _ order: ModemOrder, to modem: SimulatedModem, by settings: CallerSettings?, from here: Standpoint
    ) throws(Violation) {
        try calls.check(order, by: settings, from: here)
        if case .unlock(let pin) = order, pin.revealed != modem.pin.revealed, isRefusalKept {
            throw here.broken(
                .simIsNotLocked, "a PIN is tried again, and the disk was told that the SIM has refused it")
        }
        if order.task == .reset { resets += 1 }
    }

    /// A text leaves the box.
    /// - Parameters:
    ///   - isRefusing: the store takes nothing
    ///   - waitingEvents: what the core has not ordered to be stored
    mutating func check(
        _ message: TextMessage, by settings: TextAlarmSettings?, isRefusing: Bool, waitingEvents: Int,
        from here: Standpoint
    ) throws(Violation) {
        guard let settings else {
            throw here.broken(.textsOnlyWhenNeeded, "a text leaves, and none is configured")
        }
        guard settings.numbers.contains(message.number), message.text.count <= TextWords.limit else {
            throw here.broken(.textsOnlyWhenNeeded, "to \(message.number), \(message.text.count) letters")
        }
        try Self.checkSecrets(in: message.text, from: here)
        // Waiting alarms have been accepted by no service.
        let patience = min(settings.patience, TextAlarm.unacceptedPatience)
        func isDue(_ alarm: TextChecks.Alarm) -> Bool { here.now - alarm.since >= patience }
        // While the store refuses, an alarm waits in the core alone.
        let mayWaitUnseen = isRefusing && waitingEvents > 0
        guard mayWaitUnseen || texts.open.contains(where: isDue) else {
            throw here.broken(
                .textsOnlyWhenNeeded,
                "'\(message.text)' leaves, and no alarm has waited that long: " + "\(texts.open)")
        }
        let why = texts.leaves(
            message, at: here.now, gap: TextAlarm.gap, pause: TextAlarm.pauseBetweenTries)
        if let why { throw here.broken(.textsAreFew, "\(why): '\(message.text)'") }
        texts.texted(message.number, isDue)
        answers.left(message)
    }

    /// Of what leaves the box as words that anybody may read or hear.
    static func checkSecrets(in words: String, from here: Standpoint) throws(Violation) {
        for secret in [
            "1234", SimulatedModem.pin.revealed, World.consolePIN.revealed, ChannelChecks.secretMark, "toy-key", "Anna",
        ]
        where words.contains(secret) {
            throw here.broken(.secretsStay, "a secret is in the words '\(words)'")
        }
    }

    // MARK: Every few seconds

    mutating func look(
        at modem: SimulatedModem, by settings: TextAlarmSettings?, _ store: SimulatedStore, runSince: BootTime,
        from here: Standpoint
    ) throws(Violation) {
        if store.disk.snapshot?.refusedPIN != nil { isRefusalKept = true }
        if let settings { try checkTexts(by: settings, store, from: here) }
        try calls.look(store, from: here)
        try answers.look(store, from: here)
        // Five minutes without progress, doubled with each reset; an order under way may take three.
        let patience = Duration.minutes(5 << min(resets, 4)) + .minutes(5)
        if let hung = modem.hungSince, here.now - max(hung, runSince, modem.serviceAwayUntil) > patience {
            throw here.broken(
                .stuckModemsAreReset, "it has answered nothing since \((hung - .zero).milliseconds) ms")
        }
    }

    private func checkTexts(
        by settings: TextAlarmSettings, _ store: SimulatedStore, from here: Standpoint
    ) throws(Violation) {
        guard let ready = texts.readySince, store.isSound(at: here.now) else { return }
        for number in settings.numbers {
            try checkTexts(to: texts.receiver(at: number), by: settings, readySince: ready, store, from: here)
        }
    }

    private func checkTexts(
        to receiver: TextChecks.Receiver, by settings: TextAlarmSettings, readySince ready: BootTime,
        _ store: SimulatedStore, from here: Standpoint
    ) throws(Violation) {
        guard receiver.rounds < 10 else { return }
        // A round under way comes first, with an answer that may be missing and the pause behind it.
        let free = (receiver.lastAt ?? .zero) + TextAlarm.answerPatience + TextAlarm.pauseBetweenTries
        for alarm in texts.open where !alarm.textedTo.contains(receiver.number) && !alarm.mayBeConfirmed {
            let patience =
                min(settings.patience, TextAlarm.unacceptedPatience) + (alarm.isOld ? .minutes(5) : .zero)
            let due = max(alarm.sinceAtLatest + patience, ready, free, store.goodSince)
            guard here.now - due > .seconds(20) else { continue }
            throw here.broken(
                .textsGoOut,
                "'\(alarm.words)' waits for \(receiver.number) since \((alarm.sinceAtLatest - .zero).milliseconds) ms, a text could leave since "
                    + "\((ready - .zero).milliseconds) ms")
        }
    }

    /// A PIN of the console is about to be looked at.
    mutating func checkTry(
        _ job: PINJob, _ store: SimulatedStore, runSince: BootTime, from here: Standpoint
    ) throws(Violation) {
        guard case .check(let pin, let kept) = job else { return }
        defer { lastTry = here.now }
        if Array(pin.revealed.utf8) == kept.hash {
            wrongTries = 0
            return
        }
        let wait: Duration =
            switch wrongTries {
            case ..<5: .zero
            case 5: .minutes(1)
            case 6: .minutes(5)
            case 7: .minutes(15)
            default: .minutes(60)
            }
        let since = max(lastTry ?? .zero, runSince)
        guard here.now - since >= wait else {
            throw here.broken(
                .consoleIsLocked, "a PIN is looked at \(here.now - since) after \(wrongTries) wrong ones")
        }
        wrongTries += 1
        if !store.isSound(at: here.now) { isCountUnsure = true }
    }

    // MARK: At the end

    /// Calm has lasted: everybody who is paired has heard from the box.
    func checkSigns(
        every interval: Duration, _ book: PhoneBook?, runSince: BootTime, from here: Standpoint
    ) throws(Violation) {
        for phone in book?.phones ?? [] where phone.addresses.contains(where: { $0.state == .inUse }) {
            let last = max(signs[phone.id] ?? .zero, runSince)
            guard here.now - last > interval + .seconds(30) else { continue }
            throw here.broken(.lifeIsTold, "phone \(phone.id) has heard nothing unasked for \(here.now - last)")
        }
    }
}
