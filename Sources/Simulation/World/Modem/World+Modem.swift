import AlarmModel
import ApplianceCore
import PanelLink
import Uplinks

/// The modem, where the house has one that the box drives itself, and who tries the console's lock.
extension World {
    static let consolePIN = Secret("864213579")

    mutating func drawModemFaults(for span: Duration) {
        guard uplinks?.modem != nil else { return }
        var chance = Jitter(seed: seed ^ 0x6D_6F_64_65_6D)
        for (time, fault) in ModemFault.draw(for: span, from: &chance) { agenda.add(.modemFault(fault), at: time) }
    }

    /// It shows itself a moment after the machine has started.
    mutating func beginWithModem() {
        guard var modem = uplinks?.modem else { return }
        modem.goAway(until: .zero + .seconds(1))
        uplinks?.modem = modem
        lookAtModem()
        lookAtLinks()
    }

    // MARK: Orders of the core

    mutating func carryOutModem(_ order: ModemOrder) throws(Violation) {
        guard var modem = uplinks?.modem else { return }
        if case .sendText(let message) = order { try checkText(message) }
        if case .unlock(let pin) = order, pin.revealed != modem.pin.revealed, modemChecks.isRefusalKept {
            throw broken(.simIsNotLocked, "a PIN is tried again, and the disk was told that the SIM has refused it")
        }
        let answer = modem.take(order, at: now)
        if order.task == .reset { modemChecks.resets += 1 }
        uplinks?.modem = modem
        switch answer {
        case .silence: break
        case .now(let fact, let span): later(.modem(fact), in: span)
        case .work(let task, let span): agenda.add(.modemWork(task, life: modem.life), at: now + span)
        }
        lookAtModem()
        if modem.isSIMDead { throw broken(.simIsNotLocked, "the SIM has taken three wrong PINs") }
    }

    mutating func modemWorked(_ task: ModemTask, life: Int) {
        guard var modem = uplinks?.modem, modem.life == life, let fact = modem.finish(task, at: now) else { return }
        let wasConnected = uplinks?.modem?.hasBearer ?? false
        uplinks?.modem = modem
        // Each data connection has another address.
        if !wasConnected, modem.hasBearer { uplinks?.renumberModem() }
        if task == .find { modemChecks.told = nil }
        later(.modem(fact), in: .milliseconds(2))
        lookAtModem()
    }

    /// Tells the daemon of a change, and the links of the data connection.
    mutating func lookAtModem() {
        guard let modem = uplinks?.modem else { return }
        if let next = modem.nextChange(after: now) { agenda.add(.modemChanges, at: next) }
        if uplinks?.detachModem(!modem.hasBearer) == true { lookAtLinks() }
        let isThere = modem.serviceAwayUntil <= now
        let picture = ModemChecks.Told(run: run, isServiceThere: isThere, status: modem.status(at: now))
        guard modemChecks.told != picture, appliance != nil else { return }
        if modemChecks.told?.isServiceThere != isThere || modemChecks.told?.run != run {
            later(.modem(.service(isThere: isThere)), in: .milliseconds(2))
        }
        modemChecks.told = picture
        if isThere { later(.modem(.modem(picture.status)), in: .milliseconds(5)) }
    }

    /// Somebody sets the console's PIN where there is none.
    mutating func careForConsole() throws(Violation) {
        guard uplinks?.modem != nil, store.disk.snapshot?.console?.pin == nil, store.disk.fault == nil else { return }
        try operatorAsks(.console(.setPIN(old: nil, new: Self.consolePIN)))
    }

    // MARK: What befalls

    mutating func inject(_ fault: ModemFault) throws(Violation) {
        guard var modem = uplinks?.modem else { return }
        switch fault {
        case .losesNetwork(let span): modem.loseNetwork(until: now + span)
        case .dropsData: modem.dropData()
        case .refusesData(let span): modem.refusesUntil = max(modem.refusesUntil, now + span)
        case .hangs: modem.hang(at: now)
        case .unplugged(let span): modem.goAway(until: now + span)
        case .serviceDies(let span): modem.loseService(until: now + span)
        case .takesNoTexts(let span): modem.textsFailUntil = max(modem.textsFailUntil, now + span)
        case .alarmWithoutData(let span, let after):
            agenda.add(.linkFault(.allDown(span, isBlackHole: true)), at: now)
            agenda.add(.fault(.house(.key(.panic))), at: now + after)
        case .intruder(let tries):
            for number in 0..<tries {
                agenda.add(.consoleTry(Secret("55500\(number)")), at: now + .seconds(3 * number))
            }
            agenda.add(.consoleTry(Self.consolePIN), at: now + .minutes(12))
        }
        uplinks?.modem = modem
        lookAtModem()
    }

    /// Without power it forgets everything, as the box does.
    mutating func modemLosesPower() {
        guard var modem = uplinks?.modem else { return }
        modem.goAway(until: now + .seconds(3))
        uplinks?.modem = modem
        lookAtModem()
    }

    /// The daemon is new: it knows nothing of the modem, and holds all alarms for new that nobody has got.
    mutating func modemMeetsDaemon() {
        guard uplinks?.modem != nil else { return }
        modemChecks.restarted()
        let waiting = store.disk.phones.messages.filter {
            // One that is overdue the service has taken once.
            $0.state == .waiting && $0.row.priority == .alarm && !$0.isDuress
                && !store.disk.phones.takenAt($0).contains(where: isAtSomebody)
        }
        var events: [(place: Int64, messages: [MessageID])] = []
        for message in waiting {
            if let index = events.firstIndex(where: { $0.place == message.place }) {
                events[index].messages.append(message.row.message)
            } else {
                events.append((message.place, [message.row.message]))
            }
        }
        textChecks.restarted(events.map(\.messages), at: now)
        lookAtModem()
    }

    private func isAtSomebody(_ address: AddressID) -> Bool {
        guard let book = store.disk.phones.book else { return false }
        return book.phones.contains { $0.addresses.contains { $0.id == address } }
            || book.contacts.contains { $0.address == address }
            || book.legacyPhones.contains { $0.address == address && !$0.isGone }
    }
}
