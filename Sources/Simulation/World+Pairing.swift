import AlarmModel
import ApplianceCore
import PhoneProtocol
import Simulators

/// Somebody at the box pairs the phones, as the protocol has it: the code, the digits, the confirmation.
extension World {
    static let contact = "Ben"

    func careForPhones() throws(Violation) {
        agenda.add(.pairingCheck, at: now + .seconds(5))
        try checkLateAlarms()
        try checkModem()
        guard running != nil else { return }
        try careForConsole()
        try phonePromises.checkResending()
        guard store.disk.phones.book?.person(named: Self.contact) != nil else {
            var change = PersonChange()
            change.isDuressContact = true
            try operatorAsks(.people(.add(name: Self.contact, change)))
            return
        }
        let isBusy = contacts.affair != nil
        guard let wish = household.wish(store.disk.phones, isBusy: isBusy, at: now, &chances.phones),
            let client = boxOperator.begin(.phones(wish.request), at: now)
        else { return }
        if let phone = wish.begins { household.begins(phone, client, at: now) }
        try submit(.phones(wish.request), from: client)
    }

    func pairingGoesOn(_ progress: PairingProgress, on client: ConnectionID) {
        switch household.goesOn(progress, on: client) {
        case .showsCode(let phone):
            guard let code = vault.pairingText?.revealed else { break }
            phoneTurn(phone) { $0.pair(code, at: $1, into: &$2) }
        case .isPaired(let phone): phoneChecks.hasPaired(phone)
        case nil: break
        }
        contacts.goesOn(progress, on: client)
        codeHolder.goesOn(progress, on: client)
    }
}
