import AlarmModel
import ApplianceCore
import PanelLink
import Simulators
import Uplinks

/// The modem that the box drives itself: what is ordered of it and befalls it, and what the daemon is told.
extension SimulatedUplinks {
    /// Lets something happen to it, and tells what has changed.
    /// - Parameter isRunning: there is a daemon that hears it
    mutating func modemTurn(
        isRunning: Bool, at here: Standpoint, _ agenda: inout Agenda, _ act: (inout SimulatedModem) -> Void
    ) {
        guard var modem else { return }
        act(&modem)
        self.modem = modem
        lookAtModem(isRunning: isRunning, at: here, &agenda)
    }

    mutating func take(_ order: ModemOrder, isRunning: Bool, at here: Standpoint, _ agenda: inout Agenda) {
        guard var modem else { return }
        let answer = modem.take(order, at: here.now)
        self.modem = modem
        switch answer {
        case .silence: break
        case .now(let fact, let span): agenda.add(.input(run: here.run, .modem(fact)), at: here.now + span)
        case .work(let task, let span): agenda.add(.modemWork(task, life: modem.life), at: here.now + span)
        }
        lookAtModem(isRunning: isRunning, at: here, &agenda)
    }

    mutating func modemWorked(
        _ task: ModemTask, life: Int, isRunning: Bool, at here: Standpoint, _ agenda: inout Agenda
    ) {
        guard var modem, modem.life == life, let fact = modem.finish(task, at: here.now) else { return }
        let wasConnected = self.modem?.hasBearer ?? false
        self.modem = modem
        // Each data connection has another address.
        if !wasConnected, modem.hasBearer { renumberModem() }
        if task == .find { toldModem = nil }
        agenda.add(.input(run: here.run, .modem(fact)), at: here.now + .milliseconds(2))
        lookAtModem(isRunning: isRunning, at: here, &agenda)
    }

    /// Tells the daemon of a change, and the links of the data connection.
    mutating func lookAtModem(isRunning: Bool, at here: Standpoint, _ agenda: inout Agenda) {
        guard let modem else { return }
        if let next = modem.nextChange(after: here.now) { agenda.add(.modemChanges, at: next) }
        if detachModem(!modem.hasBearer) { look(at: here, &agenda) }
        let isThere = modem.serviceAwayUntil <= here.now
        let picture = ToldModem(run: here.run, isServiceThere: isThere, status: modem.status(at: here.now))
        guard toldModem != picture, isRunning else { return }
        if toldModem?.isServiceThere != isThere || toldModem?.run != here.run {
            agenda.add(
                .input(run: here.run, .modem(.service(isThere: isThere))), at: here.now + .milliseconds(2))
        }
        toldModem = picture
        if isThere {
            agenda.add(.input(run: here.run, .modem(.modem(picture.status))), at: here.now + .milliseconds(5))
        }
    }

    /// The daemon is new, and knows nothing of the modem.
    mutating func modemMeetsDaemon(at here: Standpoint, _ agenda: inout Agenda) {
        toldModem = nil
        lookAtModem(isRunning: true, at: here, &agenda)
    }

    mutating func inject(_ fault: ModemFault, isRunning: Bool, at here: Standpoint, _ agenda: inout Agenda) {
        guard var modem else { return }
        switch fault {
        case .losesNetwork(let span): modem.loseNetwork(until: here.now + span)
        case .dropsData: modem.dropData()
        case .refusesData(let span): modem.refusesUntil = max(modem.refusesUntil, here.now + span)
        case .hangs: modem.hang(at: here.now)
        case .unplugged(let span): modem.goAway(until: here.now + span)
        case .serviceDies(let span): modem.loseService(until: here.now + span)
        case .takesNoTexts(let span): modem.textsFailUntil = max(modem.textsFailUntil, here.now + span)
        case .alarmWithoutData(let span, let after):
            agenda.add(.linkFault(.allDown(span, isBlackHole: true)), at: here.now)
            agenda.add(.fault(.house(.key(.panic))), at: here.now + after)
        case .intruder(let tries):
            for number in 0..<tries {
                agenda.add(.consoleTry(Secret("55500\(number)")), at: here.now + .seconds(3 * number))
            }
            agenda.add(.consoleTry(World.consolePIN), at: here.now + .minutes(12))
        case .textComes(let text):
            guard modem.isRegistered(at: here.now), isRunning else { return }
            let fact = ModemFact.textReceived(number: text.sender.rawValue, text: text.text)
            agenda.add(.input(run: here.run, .modem(fact)), at: here.now + .milliseconds(20))
        }
        self.modem = modem
        lookAtModem(isRunning: isRunning, at: here, &agenda)
    }
}
