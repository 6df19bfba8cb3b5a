import AlarmModel
import ApplianceCore
import PhoneProtocol

/// Somebody at the box pairs the phones, as the protocol has it: the code, the digits, the confirmation.
extension World {
    static let contact = "Ben"

    func isPaired(_ index: Int) -> Bool {
        guard let id = phones[index].id, let phone = store.disk.phones.book?.phone(id) else { return false }
        return phone.addresses.contains { address in
            if case .gone = address.state { false } else { true }
        }
    }

    mutating func careForPhones() throws(Violation) {
        agenda.add(.pairingCheck, at: now + .seconds(5))
        try checkLateAlarms()
        try checkModem()
        guard appliance != nil else { return }
        try careForConsole()
        try checkResending()
        guard store.disk.phones.book?.person(named: Self.contact) != nil else {
            var change = PersonChange()
            change.isDuressContact = true
            try operatorAsks(.people(.add(name: Self.contact, change)))
            return
        }
        if let affair { return try goOn(with: affair) }
        guard contactAffair == nil,
            let index = phones.indices.first(where: { !isPaired($0) && phones[$0].isOn })
        else { return }
        let request = PhonesRequest.pair(
            person: phones[index].person, roles: [.view, .arm, .disarm, .bypass, .panic, .admin], noPresence: false)
        guard let client = boxOperator.begin(.phones(request), at: now) else { return }
        affair = PairingAffair(phone: index, client: client, since: now)
        try submit(.phones(request), from: client)
    }

    private mutating func goOn(with affair: PairingAffair) throws(Violation) {
        if now - affair.since > .seconds(200) {
            self.affair = nil
            try operatorAsks(.phones(.cancelPairing))
            return
        }
        guard affair.isHeard, let digits = phones[affair.phone].app.digits,
            affair.confirmedAt.map({ now - $0 > .seconds(20) }) ?? true
        else { return }
        if !affair.hasMistyped, phoneChance.next() % 6 == 0 {
            self.affair?.hasMistyped = true
            try operatorAsks(.phones(.confirm(Secret("000000"))))
            return
        }
        self.affair?.confirmedAt = now
        try operatorAsks(.phones(.confirm(Secret(digits))))
    }

    mutating func pairingGoesOn(_ progress: PairingProgress, on client: ConnectionID) {
        guard let affair, affair.client == client else { return }
        switch progress {
        case .ready:
            guard let code = vault.pairingText?.revealed else { return }
            phoneTurn(affair.phone) { $0.pair(code, at: $1, into: &$2) }
        case .heard: self.affair?.isHeard = true
        case .wrongCode, .subscribe, .codeSent, .codesReady, .codesOn: break
        case .paired(let phone, _):
            if let id = PhoneID(phone) { phoneChecks.isPaired(id) }
            self.affair = nil
        case .ended: self.affair = nil
        }
    }
}
