import AlarmModel
import PanelLink
import PhoneLink
import Uplinks

/// The modem.
extension Links {
    mutating func startModem(refusedPIN: UInt64?, _ step: inout Step) {
        if let settings = step.configuration.modem {
            let isRefused = refusedPIN != nil && settings.pin.map { Self.mark(of: $0) } == refusedPIN
            modem = ModemSession(settings: settings, isPINRefused: isRefused, at: step.now)
            #if SABOTAGE
                if step.sabotage == .refusedPINTriedAgain {
                    modem = ModemSession(settings: settings, isPINRefused: false, at: step.now)
                }
            #endif
            driveModem(&step) { $0.start(at: $1, into: &$2) }
        }
    }

    mutating func reconfigureModem(refusedPIN: UInt64?, _ step: inout Step) {
        switch (step.configuration.modem, modem) {
        case (nil, nil): break
        case (nil, .some):
            driveModem(&step) { $0.setWanted(false, at: $1, into: &$2) }
            actions.append(.modemRemoved)
        case (.some, nil): startModem(refusedPIN: refusedPIN, &step)
        case (.some(let settings), .some):
            driveModem(&step) { $0.change(settings, at: $1, into: &$2) }
        }
        // Perhaps nobody asked before.
        actions.append(.lastResort(.ready(modem?.status?.canText ?? false)))
    }

    static func refusedPIN(_ modem: ModemSession) -> UInt64? {
        guard modem.isPINRefused, let pin = modem.settings.pin else { return nil }
        return mark(of: pin)
    }

    /// Short and without a key (FNV-1a): to know a PIN again, not to hide it.
    private static func mark(of pin: Secret) -> UInt64 {
        pin.revealed.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    mutating func driveModem(
        _ step: inout Step, _ act: (inout ModemSession, Moment, inout [ModemAction]) -> Void
    ) {
        guard modem != nil else { return }
        var orders: [ModemAction] = []
        modem.mutate {
            $0.callsUntil = step.modemCallsUntil
            act(&$0, step.now, &orders)
        }
        for order in orders { actions.append(.modem(order)) }
    }

    mutating func perform(_ action: ModemAction, _ step: inout Step) {
        switch action {
        case .order(let order):
            #if SABOTAGE
                if step.sabotage == .stuckModemNeverReset, order.task == .reset { return }
            #endif
            step.effects.append(.modem(order))
        case .bearer(let bearer):
            let names = step.configuration.uplinks?.links.filter { $0.kind == .modem && $0.interface == nil }.map(
                \.name)
            for name in names ?? [] {
                driveLinks(&step) {
                    $0.modemInterface(name, bearer?.interface, at: $1, into: &$2)
                }
            }
        case .problem(let problem?):
            step.note(.fault, .modem, "The modem does not work: \(problem). What to do: \(problem.remedy).")
        case .problem(nil): step.note(.recovery, .modem, "The modem works again.")
        case .textsReady(let isReady):
            actions.append(.lastResort(.ready(isReady)))
        case .pinRefused: step.writes.writesState = true
        }
    }

    mutating func modemTold(_ fact: ModemFact, _ step: inout Step) {
        switch fact {
        case .textSent(let id): actions.append(.lastResort(.sent(id)))
        case .textFailed(let id, let why): actions.append(.lastResort(.failed(id, why)))
        case .textReceived(let number, let text): actions.append(.lastResort(.received(number: number, text)))
        case .call(let id, let fact): actions.append(.lastResort(.call(id, fact)))
        case .service, .modem, .done, .failed:
            driveModem(&step) { $0.heard(fact, at: $1, into: &$2) }
        }
    }
}

extension Optional {
    /// Changes the value in its place, where there is one.
    mutating func mutate(_ change: (inout Wrapped) -> Void) {
        guard var value = self else { return }
        self = nil
        change(&value)
        self = value
    }
}
