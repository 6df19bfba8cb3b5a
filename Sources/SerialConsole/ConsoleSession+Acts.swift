import AlarmModel
import ApplianceCore
import CommandKit

/// From the wish to change something to what came of it: PIN, question, order, outcome.
extension ConsoleSession {
    /// Says so where nothing can be changed now.
    mutating func needsDaemon() -> Bool {
        guard ready.contains(.act), view.lock != nil else {
            dialog = .outcome("The daemon is away: nothing can be changed now. It is tried again every second.", .red)
            return false
        }
        guard runningAct == nil, !awaitsLock else {
            dialog = .outcome("The daemon is still busy with what was asked before; try again.", .yellow)
            return false
        }
        return true
    }

    mutating func begin(_ act: ConsoleAct, into actions: inout [Action]) {
        if isBoxEmpty, case .stick(let stick) = act, stick.fitsEmptyBox { return ask(act, into: &actions) }
        guard needsDaemon(), let lock = view.lock else { return }
        if !lock.isPINSet {
            dialog = .entry(ConsoleEntry(purpose: .newPIN(old: nil, then: act)))
        } else if lock.isUnlocked {
            ask(act, into: &actions)
        } else if let wait = view.lockWait {
            dialog = .outcome(Self.waitText(wait), .yellow)
        } else {
            dialog = .entry(ConsoleEntry(purpose: .pin(then: act)))
        }
    }

    private mutating func ask(_ act: ConsoleAct, into actions: inout [Action]) {
        guard act.question == nil else { return dialog = .confirm(act) }
        run(act, into: &actions)
    }

    mutating func run(_ act: ConsoleAct, into actions: inout [Action]) {
        if isBoxEmpty, case .stick(let stick) = act, stick.fitsEmptyBox {
            return runOnEmptyBox(stick, into: &actions)
        }
        guard needsDaemon() else { return }
        runningAct = act
        dialog = .working(act.waiting)
        let id: Int64 = if case .stick(let stick) = act { expect(stick) } else { 0 }
        actions.append(.send(.act, act.request(id: id)))
    }

    mutating func entered(_ entry: ConsoleEntry, into actions: inout [Action]) {
        var entry = entry
        guard !entry.typed.isEmpty else { return }
        let typed = entry.typed
        entry.typed = ""
        func again(_ remark: String) -> ConsoleDialog {
            entry.remark = remark
            return .entry(entry)
        }
        switch entry.purpose {
        case .zone:
            guard let number = Int(typed), (1...64).contains(number) else {
                return dialog = again("A zone has a number from 1 to 64.")
            }
            begin(bypass(view.panelState?.zone(number) ?? ZoneState(number: number)), into: &actions)
        case .userCode(let command, let words):
            guard (4...6).contains(typed.utf8.count), typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return dialog = again("A code has 4 to 6 digits. Nothing was sent.")
            }
            begin(.command(command, words: words, code: Secret(typed)), into: &actions)
        case .person(let kind):
            let name = typed.trimmingBlanks
            guard (1...Person.nameLimit).contains(name.utf8.count) else {
                return dialog = again("A name has 1 to \(Person.nameLimit) letters.")
            }
            switch kind {
            case .ownApp: begin(.pair(person: name), into: &actions)
            case .storeApp: begin(.pairContact(contact(.topic, of: name)), into: &actions)
            case .account: dialog = .entry(ConsoleEntry(purpose: .account(person: name)))
            }
        case .account(let person):
            let account = typed.trimmingBlanks
            guard account.contains("@"), account.utf8.count <= 256 else {
                return dialog = again("An account has the form name@server.")
            }
            begin(.pairContact(contact(.xmpp, of: person, value: account)), into: &actions)
        case .newPassphrase:
            guard typed.utf8.count >= StickRequest.passphraseLength.lowerBound else {
                return dialog = again(
                    "At least \(StickRequest.passphraseLength.lowerBound) letters: whoever finds the stick may try millions."
                )
            }
            dialog = .entry(ConsoleEntry(purpose: .repeatedPassphrase(Secret(typed))))
        case .repeatedPassphrase(let first):
            guard first == Secret(typed) else {
                return dialog = .entry(ConsoleEntry(purpose: .newPassphrase, remark: "The two differ: once more."))
            }
            begin(.stick(.backup(passphrase: first)), into: &actions)
        case .passphrase(let file):
            guard typed.utf8.count >= StickRequest.passphraseLength.lowerBound else {
                return dialog = again("A passphrase has at least \(StickRequest.passphraseLength.lowerBound) letters.")
            }
            begin(.stick(.restore(file: file, passphrase: Secret(typed))), into: &actions)
        case .pin(let act):
            pendingAct = act
            askLock(.unlock(pin: Secret(typed)), "Checking the PIN …", into: &actions)
        case .oldPIN:
            dialog = .entry(ConsoleEntry(purpose: .newPIN(old: Secret(typed), then: nil)))
        case .newPIN(let old, let act):
            let pin = Secret(typed)
            guard ConsolePIN.isAcceptable(pin) else {
                return dialog = again("This is no PIN: it has \(ConsoleEntry.pinForm).")
            }
            dialog = .entry(ConsoleEntry(purpose: .repeatedPIN(pin, old: old, then: act)))
        case .repeatedPIN(let first, let old, let act):
            guard first == Secret(typed) else {
                return dialog = .entry(
                    ConsoleEntry(purpose: .newPIN(old: old, then: act), remark: "The two differ: once more."))
            }
            pendingAct = act
            askLock(.setPIN(old: old, new: first), "Storing the PIN …", into: &actions)
        }
    }

    /// Named after its owner; the next one gets a number.
    private func contact(_ kind: Contact.Kind, of person: String, value: String = "") -> ContactRequest {
        let taken = Set((view.status?.phones?.entries ?? []).map(\.name))
        let base = "\(String(person.prefix(20))) \(kind == .topic ? "ntfy" : "chat")"
        let name = ([base] + (2...99).map { "\(base) \($0)" }).first { !taken.contains($0) } ?? base
        return ContactRequest(
            kind: kind, person: person, name: name, value: value, allowed: [], tellsArming: false)
    }

    private mutating func askLock(_ request: ConsoleRequest, _ words: String, into actions: inout [Action]) {
        guard needsDaemon() else { return }
        awaitsLock = true
        dialog = .working(words)
        actions.append(.send(.act, .console(request)))
    }

    /// The daemon told of the lock, asked for or not.
    mutating func told(_ report: ConsoleReport, into actions: inout [Action]) {
        view.lock = report
        view.lockTime = view.now.boot
        guard report.answer != .state, awaitsLock else { return }
        awaitsLock = false
        let act = pendingAct
        // Somebody has stopped waiting: only the lock itself is another one.
        guard case .working = dialog else { return pendingAct = nil }
        switch report.answer {
        case .state, .locked: dialog = nil
        case .unlocked:
            dialog = nil
            if let act { ask(act, into: &actions) }
        case .pinSet:
            dialog = .outcome("The PIN is set. This console is unlocked.", .green)
            if let act { ask(act, into: &actions) }
        case .wrongPIN:
            if let wait = view.lockWait {
                dialog = .outcome("Wrong PIN. \(Self.waitText(wait))", .red)
            } else if let act {
                let tries = report.triesLeft == 1 ? "1 try" : "\(report.triesLeft) tries"
                dialog = .entry(ConsoleEntry(purpose: .pin(then: act), remark: "Wrong PIN. \(tries) left."))
                return
            } else {
                dialog = .outcome("Wrong PIN. Nothing was changed.", .red)
            }
        case .mustWait: dialog = .outcome(Self.waitText(view.lockWait ?? .zero), .yellow)
        case .noPIN: dialog = .entry(ConsoleEntry(purpose: .newPIN(old: nil, then: act)))
        case .oldPINNeeded: dialog = .entry(ConsoleEntry(purpose: .oldPIN))
        case .unknownPIN:
            dialog = .outcome(
                "The storage has failed, so nobody knows whether there is a PIN. See the overview; replace the card.",
                .red)
        }
        pendingAct = nil
    }

    static func waitText(_ wait: Duration) -> String {
        "After wrong PINs none is taken for \(Text.span(wait)). Forgotten? Put a file named reset-pin beside the "
            + "configuration on the card and restart."
    }
}

extension String {
    /// Without blanks at its ends.
    fileprivate var trimmingBlanks: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
