import AlarmModel
import ApplianceCore
import Uplinks

/// What the world remembers of the modem, the signs of life and the console's lock.
struct ModemChecks: Sendable {
    struct Told: Hashable, Sendable {
        var run: Int
        var isServiceThere: Bool
        var status: ModemStatus?
    }

    var told: Told?
    /// Resets that the daemon of this run has ordered.
    var resets = 0
    /// When each phone's last unasked sign of life was made.
    var signs: [PhoneID: BootTime] = [:]
    /// The disk was told that the SIM has refused the PIN, which nobody has changed since.
    var isRefusalKept = false
    /// Wrong PINs in a row that were looked at, and when the last was.
    var wrongTries = 0
    var lastTry: BootTime?
    /// The store took nothing in between: what it does not know it cannot count after a restart.
    var isCountUnsure = false

    mutating func restarted() {
        told = nil
        resets = 0
        signs = [:]
        if isCountUnsure { wrongTries = 0 }
        isCountUnsure = false
    }
}

/// The promises about text messages, the modem, signs of life and the console's lock.
extension World {
    /// What the daemon hears of the modem.
    mutating func heardOfModem(_ fact: ModemFact) {
        switch fact {
        case .modem(let status):
            let isReady = status?.canText ?? false
            textChecks.readySince = isReady ? textChecks.readySince ?? now : nil
        case .service(let isThere): if !isThere { textChecks.readySince = nil }
        case .textSent(let id): textChecks.answered(id, isSent: true)
        case .textFailed(let id, _): textChecks.answered(id, isSent: false)
        case .done, .failed: break
        }
    }

    /// A text leaves the box.
    mutating func checkText(_ message: TextMessage) throws(Violation) {
        guard let settings = configuration.texts else {
            throw broken(.textsOnlyWhenNeeded, "a text leaves, and none is configured")
        }
        guard settings.numbers.contains(message.number), message.text.count <= TextWords.limit else {
            throw broken(.textsOnlyWhenNeeded, "to \(message.number), \(message.text.count) letters")
        }
        for secret in [
            "1234", SimulatedModem.pin.revealed, Self.consolePIN.revealed, ChannelChecks.secretMark, "toy-key", "Anna",
        ]
        where message.text.contains(secret) {
            throw broken(.secretsStay, "a secret is in the text '\(message.text)'")
        }
        func isDue(_ alarm: TextChecks.Alarm) -> Bool { now - alarm.since >= settings.patience }
        // While the store refuses, an alarm waits in the core alone.
        let mayWaitUnseen = store.isRefusing && (appliance?.waitingEvents ?? 0) > 0
        guard mayWaitUnseen || textChecks.open.contains(where: isDue) else {
            throw broken(
                .textsOnlyWhenNeeded,
                "'\(message.text)' leaves, and no alarm has waited that long: " + "\(textChecks.open)")
        }
        let why = textChecks.leaves(
            message, at: now, gap: TextAlarm.gap, pause: TextAlarm.pauseBetweenTries)
        if let why { throw broken(.textsAreFew, "\(why): '\(message.text)'") }
        textChecks.texted(isDue)
    }

    /// Every few seconds.
    mutating func checkModem() throws(Violation) {
        guard let modem = uplinks?.modem, appliance != nil else { return }
        if store.disk.snapshot?.refusedPIN != nil { modemChecks.isRefusalKept = true }
        try checkTexts()
        // Five minutes without progress, doubled with each reset; an order under way may take three.
        let patience = Duration.minutes(5 << min(modemChecks.resets, 4)) + .minutes(5)
        if let hung = modem.hungSince, now - max(hung, runSince, modem.serviceAwayUntil) > patience {
            throw broken(.stuckModemsAreReset, "it has answered nothing since \((hung - .zero).milliseconds) ms")
        }
    }

    private func checkTexts() throws(Violation) {
        guard let settings = configuration.texts, let ready = textChecks.readySince, textChecks.rounds < 10,
            store.disk.fault == nil, !store.isBad(at: now)
        else { return }
        // A round under way comes first, with an answer that may be missing and the pause behind it.
        let free = (textChecks.lastAt ?? .zero) + TextAlarm.answerPatience + TextAlarm.pauseBetweenTries
        for alarm in textChecks.open where !alarm.isTexted && !alarm.mayBeConfirmed {
            let patience = settings.patience + (alarm.isOld ? .minutes(5) : .zero)
            let due = max(alarm.sinceAtLatest + patience, ready, free, store.goodSince)
            guard now - due > .seconds(20) else { continue }
            throw broken(
                .textsGoOut,
                "'\(alarm.words)' waits since \((alarm.sinceAtLatest - .zero).milliseconds) ms, a text could leave since "
                    + "\((ready - .zero).milliseconds) ms")
        }
    }

    /// A PIN of the console is about to be looked at.
    mutating func checkTry(_ job: PINJob) throws(Violation) {
        guard uplinks?.modem != nil, case .check(let pin, let kept) = job else { return }
        defer { modemChecks.lastTry = now }
        if Array(pin.revealed.utf8) == kept.hash {
            modemChecks.wrongTries = 0
            return
        }
        let wait: Duration =
            switch modemChecks.wrongTries {
            case ..<5: .zero
            case 5: .minutes(1)
            case 6: .minutes(5)
            case 7: .minutes(15)
            default: .minutes(60)
            }
        let since = max(modemChecks.lastTry ?? .zero, runSince)
        guard now - since >= wait else {
            throw broken(
                .consoleIsLocked, "a PIN is looked at \(now - since) after \(modemChecks.wrongTries) wrong ones")
        }
        modemChecks.wrongTries += 1
        if store.disk.fault != nil || store.isBad(at: now) { modemChecks.isCountUnsure = true }
    }

    /// Calm has lasted: everybody who is paired has heard from the box.
    func checkModemSettled() throws(Violation) {
        guard let modem = uplinks?.modem, let interval = configuration.phones.heartbeat else { return }
        for phone in store.disk.phones.book?.phones ?? [] where phone.addresses.contains(where: { $0.state == .inUse })
        {
            let last = max(modemChecks.signs[phone.id] ?? .zero, runSince)
            guard now - last > interval + .seconds(30) else { continue }
            throw broken(.lifeIsTold, "phone \(phone.id) has heard nothing unasked for \(now - last)")
        }
        guard configuration.modem?.pin?.revealed == modem.pin.revealed, modem.hungSince == nil else { return }
        guard modem.isRegistered(at: now) else {
            throw broken(.everythingSettles, "the modem is \(modem.status(at: now).map { "\($0)" } ?? "away")")
        }
    }
}
