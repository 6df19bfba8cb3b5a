import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// One-time codes by chat.
extension World {
    /// After phones and store apps have been looked after.
    func careForCodes() throws(Violation) {
        guard running != nil, household.affair == nil, contacts.affair == nil, let app = contacts.coded,
            let book = store.disk.phones.book, let contact = HouseContacts.contact(of: app, in: book),
            let wish = codeHolder.wish(app, contact, book, text: vault.codesText, wall: rightMoment.wall, at: now),
            let client = boxOperator.begin(.phones(wish.request), at: now)
        else { return }
        if wish.begins != nil { codeHolder.begins(client, at: now) }
        try submit(.phones(wish.request), from: client)
    }

    func happens(_ use: CodeUse) {
        guard let app = contacts.coded, let book = store.disk.phones.book else { return }
        let others = contacts.apps.filter { $0.kind == .xmpp && $0.name != app.name }.map(\.address)
        guard
            let said = codeHolder.says(
                use, app, book, others: others + ["mallory@elsewhere.example"], wall: rightMoment.wall)
        else { return }
        if let step = said.step {
            // Whatever comes of it, once.
            channelChecks.give("code of step \(step)", to: app.address)
            channelChecks.give("code of step \(step)", to: ChannelChecks.coded(app.address))
        }
        guard let index = hosts.index(.xmpp) else { return }
        for from in said.from {
            let id = channelChecks.name("coded")
            channelTurn(index, XMPPPeer.self) { $0.say(said.text, from: from, id: id, at: $1, into: &$2) }
        }
    }
}
