import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import Reports

/// What the daemon answers.
extension ConsoleSession {
    /// - Parameter code: of a pairing, which stands beside the reply
    mutating func heard(
        _ reply: ControlReply, code: Secret?, on channel: Channel, into actions: inout [Action]
    ) {
        switch channel {
        case .look: looked(reply)
        case .feed: fed(reply, into: &actions)
        case .trace:
            if case .trace(let line, let dropped) = reply {
                view.takeTrace(TraceText(rules: view.rules).lines(line, dropped: dropped, at: view.now.wall))
            }
        case .act: acted(reply, code, into: &actions)
        }
    }

    private mutating func looked(_ reply: ControlReply) {
        lookSince = nil
        switch reply {
        case .status(let report): view.status = report
        case .panel(let report): view.panel = report
        case .error(let why): view.daemon = .away(Text.printable(why))
        case .links(let report): view.links = report
        case .events, .endOfEvents, .unstored, .trace, .outcome, .maintenance, .people, .phones, .pairing,
            .deadMessages, .changed, .console:
            break
        }
        if view.status != nil { view.daemon = .here }
    }

    private mutating func fed(_ reply: ControlReply, into actions: inout [Action]) {
        guard case .events(let events) = reply else { return }
        // The first ones are of the past.
        let newest = view.events.last?.seq
        if let newest, events.contains(where: { $0.seq > newest && $0.event.type == .alarm }) { actions.append(.bell) }
        let before = view.eventsTaken
        view.take(events)
        // Whoever has scrolled up reads on where he was.
        if screen == .events, scroll > 0 { scroll = min(scroll + view.eventsTaken - before, ConsoleView.eventsKept) }
    }

    private mutating func acted(_ reply: ControlReply, _ code: Secret?, into actions: inout [Action]) {
        switch reply {
        case .console(let report): told(report, into: &actions)
        case .outcome(let outcome, let stored):
            guard let act = end(), case .command(let command, let words, let code) = act else { return }
            if code == nil, case .bypass = command, outcome.reason == .bypassNeedsCode, case .working = dialog {
                return dialog = .entry(ConsoleEntry(purpose: .userCode(command, words: "\(words) with your code")))
            }
            let zones = view.panelState?.zones ?? []
            let text = OutcomeText.line(
                outcome, of: command, zones: zones, whenNotReady: "close them, or bypass them with key Z")
            let remark = stored ? "" : "; the record of it is not stored yet, because the store fails"
            finish("\(text)\(remark)", outcome == .done ? .green : .red)
        case .changed(let words):
            // Of an order: what a pairing has said besides is none.
            switch runningAct {
            case .test, .testPhones, .reboot, .update, .revoke, .lift, .role, .allow, .duress, .language, .seen,
                .codesOff, .approve, .disapprove, .updates, .forgetPictures:
                _ = end()
            // Its report says what came of it.
            case .stick:
                _ = end()
                return
            case .command, .pair, .pairContact, .codes, .maintenance, nil: return
            }
            finish(Text.printable(words), .green)
        case .maintenance(let isOn):
            guard end() != nil else { return }
            finish(
                isOn ? "Maintenance is on: NOBODY IS NOTIFIED." : "Maintenance is off: people are notified.",
                isOn ? .yellow : .green)
        case .error(let why): refused(ConsoleHint.translated(Text.printable(why)))
        case .pairing(let progress): paired(progress, code, into: &actions)
        case .status, .events, .endOfEvents, .unstored, .panel, .links, .trace, .people, .phones, .deadMessages:
            break
        }
    }

    private mutating func refused(_ why: String) {
        if awaitsLock {
            awaitsLock = false
            pendingAct = nil
            finish(why, .red)
        } else if case .pairing(var screen) = dialog {
            // Wrong digits are told by the pairing itself, too; the rest only here.
            if screen.remark == nil { screen.remark = why }
            dialog = .pairing(screen)
        } else if end() != nil {
            finish("Refused: \(why)", .red)
        }
    }

    private mutating func paired(_ progress: PairingProgress, _ code: Secret?, into actions: inout [Action]) {
        let person: String
        switch runningAct {
        case .pair(let name): person = name
        case .pairContact(let request): person = request.person
        case .codes(let name): person = name
        default: return
        }
        var screen =
            if case .pairing(let shown) = dialog { shown } else { PairingScreen(person: person) }
        if case .codes = runningAct { screen.isCodes = true }
        screen.endKey = "Esc"
        screen.note(progress, code: code)
        switch progress {
        case .ready, .subscribe, .codeSent, .codesReady:
            guard case .working = dialog else {
                // Nobody waits for it any more: its code is to be worth nothing.
                return actions.append(.send(.act, .phones(.cancelPairing)))
            }
            dialog = .pairing(screen)
            if let code = screen.code { actions.append(.draw(code, link: screen.link)) }
        case .heard, .wrongCode: dialog = .pairing(screen)
        case .paired, .codesOn, .ended:
            _ = end()
            dialog = nil
            let isDone =
                switch progress {
                case .paired, .codesOn: true
                case .ready, .heard, .subscribe, .codeSent, .wrongCode, .codesReady, .ended: false
                }
            dialog = .outcome(ConsoleHint.translated(PairingText.line(progress)), isDone ? .green : .yellow)
        }
    }

    /// The order that has its answer now.
    private mutating func end() -> ConsoleAct? {
        let act = runningAct
        runningAct = nil
        return act
    }

    /// Shown where it is waited for; else it is among the events.
    private mutating func finish(_ text: String, _ style: ConsoleLine.Style) {
        guard case .working = dialog else { return }
        dialog = .outcome(ConsoleHint.translated(text), style)
    }
}
