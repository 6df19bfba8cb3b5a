import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// Store apps: how they are paired, and what their owners and the server's do with them.
extension World {
    /// After the phones have been looked after.
    func careForContacts() throws(Violation) {
        guard running != nil, household.affair == nil, let book = store.disk.phones.book,
            book.person(named: Self.contact) != nil
        else { return }
        try checkDelivery()
        if let app = contacts.unpaired(in: book).first(where: \.isPromised) {
            throw broken(.phonesStayPaired, "\(app.name) is not in the phone book any more")
        }
        guard let wish = contacts.wish(book, at: now, &chances.channels),
            let client = boxOperator.begin(.phones(wish.request), at: now)
        else { return }
        if let app = wish.begins { contacts.begins(app, client, at: now) }
        try submit(.phones(wish.request), from: client)
    }

    // MARK: What befalls

    func inject(_ fault: ChannelFault) throws(Violation) {
        switch fault {
        case .outage(let kind, let span):
            hosts.cut(kind, until: now + span)
        case .fault(let kind, let fault):
            guard let index = hosts.index(kind) else { return }
            if case .tooMany = fault { channelChecks.heldBack(at: now) }
            if case .quota = fault { channelChecks.heldBack(at: now) }
            hosts.suffers(fault, index, at: now)
            channelTurn(index) { $0.perform(fault, at: $1, into: &$2) }
        case .press(let app, let back, let copies): press(app, back: back, copies: copies)
        case .replay(let app): replay(app)
        case .say(let app, let word, let copies): say(word, by: app, copies: copies)
        case .order(let kind, let order): give(order, by: kind)
        case .revoke(let app): try revoke(app)
        case .calm:
            for index in hosts.indices {
                hosts.mend(index, at: now)
                channelTurn(index) { $0.perform(.off, at: $1, into: &$2) }
            }
        }
    }

    private func press(_ number: Int, back: Int, copies: Int) {
        guard let button = contacts.press(number, back: back) else { return }
        if button.label == "Arm" || button.label == "Disarm", let topic = contacts.apps[number].topic {
            channelChecks.give(button.body, to: topic)
        }
        for _ in 0..<copies { post(button.body, to: button.target) }
    }

    /// Whoever runs the server has all that was ever posted, and the topics.
    private func replay(_ number: Int) {
        let posted = contacts.apps[number].posted
        guard let last = posted.last else { return }
        for button in posted.suffix(3) { post(button.body, to: button.target) }
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: chances.channels.next()) }
        post(Capability.body(bytes), to: last.target)
        post("disarm", to: last.target)
        if let other = contacts.button(notOf: number) { post(other.body, to: last.target) }
    }

    private func post(_ body: String, to topic: String) {
        guard let index = hosts.index(.ntfy) else { return }
        channelTurn(index, NtfySimulator.self) {
            $0.perform(.publish(topic: topic, text: body, age: .zero), at: $1, into: &$2)
        }
    }

    /// Somebody writes to the box; the same message may come more than once.
    private func say(_ word: String, by number: Int, copies: Int) {
        let app = contacts.apps[number]
        let id = channelChecks.name("chat")
        if word.hasPrefix("arm"), app.allowed.contains(.arm) { channelChecks.give(id, to: app.address) }
        guard let index = hosts.index(.xmpp) else { return }
        // A stranger says the same.
        for from in [app.address] + (copies > 1 ? ["mallory@elsewhere.example"] : []) {
            channelTurn(index, XMPPPeer.self) { server, moment, actions in
                for _ in 0..<copies { server.say(word, from: from, id: id, at: moment, into: &actions) }
            }
        }
    }

    /// Somebody in the house, or what pretends to be.
    private func give(_ order: HouseOrderKind, by kind: ChannelKind) {
        guard let index = hosts.index(kind) else { return }
        let name = channelChecks.name("order")
        let topic = "howalarming/\(MQTTPeer.site)/partition/1/set"
        // What the broker shows like any new order is one.
        let isLikeNew = order == .retained && (hosts[index].peer as? MQTTPeer)?.showsRetained(topic) == false
        if kind == .mqtt ? order.isValid || isLikeNew : order == .arm {
            channelChecks.give(name, to: "house \(kind.rawValue)")
        }
        channelTurn(index, MQTTPeer.self) { broker, moment, actions in
            broker.publish(
                order.payload(MQTTPeer.code.revealed), to: topic, isRetained: order == .retained, at: moment,
                into: &actions)
        }
        channelTurn(index, BeanstalkPeer.self) { $0.ask(order.job, at: $1, into: &$2) }
    }

    private func revoke(_ number: Int) throws(Violation) {
        let app = contacts.apps[number]
        guard HouseContacts.contact(of: app, in: store.disk.phones.book) != nil, contacts.affair == nil else { return }
        contacts.asksToRevoke(number)
        try operatorAsks(.phones(.revoke(phone: app.name)))
    }
}
