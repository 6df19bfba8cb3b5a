import AlarmModel
import ApplianceCore
import PanelLink
import Uplinks

/// The modem, where the house has one that the box drives itself, and who tries the console's lock.
extension World {
    static let consolePIN = Secret("864213579")

    /// It shows itself a moment after the machine has started.
    func beginWithModem() {
        guard uplinks?.modem != nil else { return }
        modemGoesAway(until: .zero + .seconds(1))
        lookAtLinks()
    }

    func carryOutModem(_ order: ModemOrder) throws(Violation) {
        guard let modem = uplinks?.modem else { return }
        let (here, isRunning) = (standpoint, running != nil)
        if case .sendText(let message) = order {
            try modemChecks.check(
                message, by: ownersFile.configuration.texts, isRefusing: store.isRefusing,
                waitingEvents: running?.waitingEvents ?? 0, from: here)
        }
        try modemChecks.check(order, to: modem, by: ownersFile.configuration.calls, from: here)
        uplinks?.take(order, isRunning: isRunning, at: here, &agenda)
        guard uplinks?.modem?.isSIMDead == true else { return }
        throw broken(.simIsNotLocked, "the SIM has taken three wrong PINs")
    }

    func modemWorked(_ task: ModemTask, life: Int) {
        let (here, isRunning) = (standpoint, running != nil)
        uplinks?.modemWorked(task, life: life, isRunning: isRunning, at: here, &agenda)
    }

    func lookAtModem() {
        let (here, isRunning) = (standpoint, running != nil)
        uplinks?.lookAtModem(isRunning: isRunning, at: here, &agenda)
    }

    func inject(_ fault: ModemFault) {
        let (here, isRunning) = (standpoint, running != nil)
        uplinks?.inject(fault, isRunning: isRunning, at: here, &agenda)
    }

    /// Without power it forgets everything, as the box does.
    func modemGoesAway(until time: BootTime) {
        let (here, isRunning) = (standpoint, running != nil)
        uplinks?.modemTurn(isRunning: isRunning, at: here, &agenda) { $0.goAway(until: time) }
    }

    func modemMeetsDaemon() {
        guard uplinks?.modem != nil else { return }
        let here = standpoint
        modemChecks.restarted(with: store.disk.phones, at: now)
        uplinks?.modemMeetsDaemon(at: here, &agenda)
    }

    /// Somebody sets the console's PIN where there is none.
    func careForConsole() throws(Violation) {
        guard uplinks?.modem != nil, store.disk.snapshot?.console?.pin == nil, store.disk.fault == nil else { return }
        try operatorAsks(.console(.setPIN(old: nil, new: Self.consolePIN)))
    }

    /// Every few seconds.
    func checkModem() throws(Violation) {
        guard let modem = uplinks?.modem, running != nil else { return }
        try modemChecks.look(
            at: modem, by: ownersFile.configuration.texts, store, runSince: runSince, from: standpoint)
    }

    func checkModemSettled() throws(Violation) {
        guard let modem = uplinks?.modem, let interval = ownersFile.configuration.phones.heartbeat else { return }
        try modemChecks.checkSigns(every: interval, store.disk.phones.book, runSince: runSince, from: standpoint)
        guard ownersFile.configuration.modem?.pin?.revealed == modem.pin.revealed, modem.hungSince == nil else {
            return
        }
        guard modem.isRegistered(at: now) else {
            throw broken(.everythingSettles, "the modem is \(modem.status(at: now).map { "\($0)" } ?? "away")")
        }
    }
}
