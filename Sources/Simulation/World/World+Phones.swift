import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol

/// The phones and their way to the push service.
extension World {
    /// Lets a phone act and carries out what it does.
    mutating func phoneTurn(
        _ index: Int,
        _ act: (inout VirtualPhone<ToyCrypto>, Moment, inout [VirtualPhone<ToyCrypto>.Action]) -> Void
    ) {
        guard phones[index].isOn else { return }
        var actions: [VirtualPhone<ToyCrypto>.Action] = []
        act(&phones[index].app, rightMoment, &actions)
        let commands = noteSigned(by: index)
        for action in actions {
            switch action {
            case .tell(let line): heard(line, from: index, isCommand: commands)
            case .print, .quit: break
            case .store:
                if let paired = phones[index].app.phone, let secrets = paired.secrets {
                    phones[index].stored = (secrets, paired.memory)
                }
            }
        }
        guard let next = phones[index].app.nextDeadline else { return }
        let due = max(next, now + .milliseconds(1))
        guard phones[index].timerAt.map({ due < $0 }) ?? true else { return }
        phones[index].timerAt = due
        agenda.add(.phoneTimer(index, due), at: due)
    }

    private mutating func heard(_ line: JSON, from index: Int, isCommand: Bool) {
        let token = phones[index].token
        if line["hello"] != nil {
            let client = PushClient(kind: phones[index].kind, category: "house.app")
            pushTurn { $0.phoneRegistered(token, client, at: $1, into: &$2) }
            pushTurn { $0.phonePresence(token, .online, at: $1, into: &$2) }
        } else if let isOnline = line["online"]?.boolValue {
            pushTurn { $0.phonePresence(token, isOnline ? .online : .offline, at: $1, into: &$2) }
        } else if let message = line["send"], let id = message["id"]?.stringValue, let data = message["data"] {
            guard attacker.lets(data, from: index, isCommand: isCommand, at: now, &phoneChance) else { return }
            agenda.add(
                .pushTakes(phone: index, id: "\(index)-\(id)-\(phones[index].restarts)", data), at: now + phoneDelay())
        }
    }

    mutating func pushTakes(from index: Int, _ id: String, _ data: JSON) {
        if databaseTakes(data) { return }
        let token = phones[index].token
        pushTurn { $0.phoneSends(token, messageID: id, data: data, ttl: 0, at: $1, into: &$2) }
    }

    /// A message of the push service is on its way to a phone.
    mutating func deliver(_ data: JSON, to token: String) {
        guard let index = phones.firstIndex(where: { $0.token == token }) else { return }
        guard attacker.lets(data, to: index, at: now, &phoneChance) else { return }
        agenda.add(.phoneHears(index, Self.message(data)), at: now + phoneDelay())
    }

    static func message(_ data: JSON) -> JSON { .object(["message": .object(["data": data])]) }

    mutating func tell(_ token: String, _ line: JSON) {
        guard let index = phones.firstIndex(where: { $0.token == token }) else { return }
        agenda.add(.phoneHears(index, line), at: now + phoneDelay())
    }

    private mutating func phoneDelay() -> Duration {
        phoneChance.duration(in: .milliseconds(20)..<(.milliseconds(400)))
    }

    /// Remembers what was signed just now; true if something was.
    private mutating func noteSigned(by index: Int) -> Bool {
        guard let id = phones[index].id, let memory = phones[index].app.phone?.memory else { return false }
        var isNew = false
        for record in memory.commands.suffix(8) {
            guard let counter = record.counter, let number = UInt64(exactly: counter) else { continue }
            let name = PhoneShelf.Spent(phone: id, counter: number)
            if phoneChecks.signs(record.command, name, at: now) { isNew = true }
        }
        return isNew
    }

    // MARK: What owners and the world do to them

    mutating func inject(_ fault: PhoneFault) throws(Violation) {
        switch fault {
        case .off(let index):
            phoneTurn(index) { phone, _, actions in phone.setOnline(false, into: &actions) }
            phones[index].isOn = false
        case .on(let index): switchOn(index)
        case .background(let index):
            guard phones[index].isOn else { return }
            let token = phones[index].token
            pushTurn { $0.phonePresence(token, .background, at: $1, into: &$2) }
        case .restart(let index):
            phones[index].restart()
            phones[index].isOn = true
            phoneTurn(index) { phone, _, actions in phone.connected(into: &actions) }
        case .command(let index, let command): phoneTurn(index) { $0.give(command, at: $1, into: &$2) }
        case .word(let index, let word): phoneTurn(index) { $0.perform(word, at: $1, into: &$2) }
        case .newToken(let index):
            let old = phones[index].token
            let new = "token-\(index)-\(hex(Int(phoneChance.next() % 1_000_000)))"
            pushTurn { $0.perform(.canonicalID(old: old, new: new), at: $1, into: &$2) }
        case .push(let stimulus):
            if case .nack = stimulus { phoneChecks.isHeld(at: now) }
            pushTurn { $0.perform(stimulus, at: $1, into: &$2) }
        case .outage(let span): pushHost.cut(until: now + span)
        case .revoke(let index): try revoke(index)
        case .test: try operatorAsks(.phones(.test(phone: nil)))
        case .house(let stimulus): panelTurn { $0.perform(stimulus, at: $1, into: &$2) }
        case .attack(let attack): perform(attack)
        case .calm:
            pushHost.mend(at: now)
            attacker.rest()
            for waiting in attacker.takeHeld(at: nil) { agenda.add(waiting, at: now) }
            pushTurn { $0.perform(.faultsOff, at: $1, into: &$2) }
            pushTurn { $0.perform(.whitespaceOnly(false), at: $1, into: &$2) }
            for index in phones.indices { switchOn(index) }
        }
    }

    private mutating func switchOn(_ index: Int) {
        phones[index].isOn = true
        phoneTurn(index) { phone, _, actions in
            if !phone.isOnline { phone.setOnline(true, into: &actions) }
        }
        // It may have got another one while the app did not run.
        if phones[index].app.token != phones[index].token {
            tell(phones[index].token, .object(["token": .string(phones[index].token)]))
        }
        let token = phones[index].token
        pushTurn { $0.phonePresence(token, .online, at: $1, into: &$2) }
    }

    private mutating func revoke(_ index: Int) throws(Violation) {
        guard let id = phones[index].id, store.disk.phones.book?.phone(id) != nil, affair == nil else { return }
        phoneChecks.asksToRevoke(id)
        guard let client = try operatorAsks(.phones(.revoke(phone: id.description))) else { return }
        phoneChecks.isRevoking(id, client)
    }
}
