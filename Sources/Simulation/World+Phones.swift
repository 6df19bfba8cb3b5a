import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Simulators

/// The phones and their way to the push service.
extension World {
    /// Lets a phone act and carries out what it does.
    func phoneTurn(
        _ index: Int,
        _ act: (inout VirtualPhone<ToyCrypto>, Moment, inout [VirtualPhone<ToyCrypto>.Action]) -> Void
    ) {
        let lines = household.turn(index, at: now, act)
        var isCommand = false
        for signed in household.signed(by: index) where phoneChecks.signs(signed.command, signed.name, at: now) {
            isCommand = true
        }
        for line in lines {
            switch household.call(line, from: index, isCommand: isCommand, at: now, &chances.phones, &agenda) {
            case .registers(let token, _) where household.isByTopics,
                .isOnline(let token, true) where household.isByTopics:
                tell(token, .object(["ready": .bool(true)]))
            case .registers(let token, let client):
                pushTurn { $0.phoneRegistered(token, client, at: $1, into: &$2) }
                pushTurn { $0.phonePresence(token, .online, at: $1, into: &$2) }
            case .isOnline(let token, let isOnline):
                pushTurn { $0.phonePresence(token, isOnline ? .online : .offline, at: $1, into: &$2) }
            case nil: break
            }
        }
        household.setTimer(index, at: now, &agenda)
    }

    func pushTakes(from index: Int, _ id: String, _ data: JSON) {
        if topicTakes(data) || databaseTakes(data) { return }
        let token = household.phones[index].token
        pushTurn { $0.phoneSends(token, messageID: id, data: data, ttl: 0, at: $1, into: &$2) }
    }

    func tell(_ token: String, _ line: JSON) {
        household.tell(token, line, at: now, &chances.phones, &agenda)
    }

    // MARK: What owners and the world do to them

    func inject(_ fault: PhoneFault) throws(Violation) {
        switch fault {
        case .off(let index):
            phoneTurn(index) { phone, _, actions in phone.setOnline(false, into: &actions) }
            household.switchOff(index)
        case .on(let index): switchOn(index)
        case .background(let index):
            guard household.phones[index].isOn else { return }
            if household.isByTopics { return household.closePage(of: index) }
            let token = household.phones[index].token
            pushTurn { $0.phonePresence(token, .background, at: $1, into: &$2) }
        case .restart(let index):
            household.restart(index)
            phoneTurn(index) { phone, _, actions in phone.connected(into: &actions) }
        case .command(let index, let command): phoneTurn(index) { $0.give(command, at: $1, into: &$2) }
        case .word(let index, let word): phoneTurn(index) { $0.perform(word, at: $1, into: &$2) }
        case .newToken(let index):
            if household.isByTopics { return household.endSubscription(of: index, &hosts, at: now, &chances.phones) }
            let old = household.phones[index].token
            let new = "token-\(index)-\(Int(chances.phones.next() % 1_000_000).padded(8, radix: 16))"
            pushTurn { $0.perform(.canonicalID(old: old, new: new), at: $1, into: &$2) }
        case .push(let stimulus):
            if case .nack = stimulus { phoneChecks.heldBack(at: now) }
            pushTurn { $0.perform(stimulus, at: $1, into: &$2) }
        case .outage(let span):
            pushHost.cut(until: now + span)
            for kind in household.topicWays { hosts.cut(kind, until: now + span) }
        case .revoke(let index): try revoke(index)
        case .test: try operatorAsks(.phones(.test(phone: nil)))
        case .house(let stimulus): panelTurn { $0.perform(stimulus, at: $1, into: &$2) }
        case .attack(let attack): household.perform(attack, at: now, &chances.phones, &agenda)
        case .calm:
            pushHost.mend(at: now)
            household.endAttacks(at: now, &agenda)
            pushTurn { $0.perform(.faultsOff, at: $1, into: &$2) }
            pushTurn { $0.perform(.whitespaceOnly(false), at: $1, into: &$2) }
            for index in household.indices { switchOn(index) }
        }
    }

    private func switchOn(_ index: Int) {
        household.switchOn(index)
        phoneTurn(index) { phone, _, actions in
            if !phone.isOnline { phone.setOnline(true, into: &actions) }
        }
        if household.isByTopics { return household.openPage(of: index, at: now, &chances.phones, &agenda) }
        // It may have got another one while the app did not run.
        if household.phones[index].app.token != household.phones[index].token {
            tell(household.phones[index].token, .object(["token": .string(household.phones[index].token)]))
        }
        let token = household.phones[index].token
        pushTurn { $0.phonePresence(token, .online, at: $1, into: &$2) }
    }

    private func revoke(_ index: Int) throws(Violation) {
        guard let id = household.phones[index].id, store.disk.phones.book?.phone(id) != nil, household.affair == nil
        else { return }
        phoneChecks.asksToRevoke(id)
        guard let client = try operatorAsks(.phones(.revoke(phone: id.description))) else { return }
        phoneChecks.awaitsRevocation(id, client)
    }
}
