import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// Store apps: how they are paired, and what their owners and the server's do with them.
extension World {
    func contact(of app: StoreApp) -> Contact? {
        store.disk.phones.book?.contacts.first { $0.name == app.name && $0.state == .inUse }
    }

    func isPaired(_ app: StoreApp) -> Bool { contact(of: app) != nil }

    /// After the phones have been looked after.
    mutating func careForContacts() throws(Violation) {
        guard appliance != nil, affair == nil, store.disk.phones.book?.person(named: Self.contact) != nil else {
            return
        }
        try checkDelivery()
        if let app = storeApps.first(where: { $0.isPromised && !isPaired($0) }) {
            throw broken(.phonesStayPaired, "\(app.name) is not in the phone book any more")
        }
        if let contactAffair { return try goOn(with: contactAffair) }
        guard let index = storeApps.firstIndex(where: { !isPaired($0) }) else { return }
        storeApps[index].forget()
        let app = storeApps[index]
        let request = PhonesRequest.pairContact(
            ContactRequest(
                kind: app.kind, person: app.person, name: app.name, value: app.address, allowed: app.allowed,
                tellsArming: app.tellsArming))
        guard let client = boxOperator.begin(.phones(request), at: now) else { return }
        contactAffair = ContactAffair(app: index, client: client, since: now)
        try submit(.phones(request), from: client)
    }

    private mutating func goOn(with affair: ContactAffair) throws(Violation) {
        if now - affair.since > .seconds(150) {
            contactAffair = nil
            try operatorAsks(.phones(.cancelPairing))
            return
        }
        guard let code = storeApps[affair.app].code, affair.confirmedAt.map({ now - $0 > .seconds(20) }) ?? true
        else { return }
        if !affair.hasMistyped, channelChance.next() % 6 == 0 {
            contactAffair?.hasMistyped = true
            try operatorAsks(.phones(.confirm(Secret("x"))))
            return
        }
        contactAffair?.confirmedAt = now
        try operatorAsks(.phones(.confirm(Secret(code))))
    }

    mutating func contactPairingGoesOn(_ progress: PairingProgress, on client: ConnectionID) {
        guard let affair = contactAffair, affair.client == client else { return }
        switch progress {
        case .subscribe(let topic): storeApps[affair.app].topic = topic
        case .paired:
            storeApps[affair.app].isPromised = true
            contactAffair = nil
        case .ended: contactAffair = nil
        case .ready, .heard, .wrongCode, .codeSent, .codesReady, .codesOn: break
        }
    }

    // MARK: What befalls

    mutating func inject(_ fault: ChannelFault) throws(Violation) {
        switch fault {
        case .outage(let kind, let span):
            hosts.cut(kind, until: now + span)
        case .fault(let kind, let fault):
            guard let index = hosts.index(kind) else { return }
            if case .tooMany = fault { channelChecks.isHeld(at: now) }
            if case .quota = fault { channelChecks.isHeld(at: now) }
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

    private mutating func press(_ number: Int, back: Int, copies: Int) {
        let buttons = storeApps[number].buttons
        guard !buttons.isEmpty else { return }
        let button = buttons[buttons.count - 1 - min(back, buttons.count - 1)]
        if button.label == "Arm" || button.label == "Disarm", let topic = storeApps[number].topic {
            channelChecks.give(button.body, to: topic)
        }
        storeApps[number].posted.append(button)
        if storeApps[number].posted.count > StoreApp.memory { storeApps[number].posted.removeFirst() }
        for _ in 0..<copies { post(button.body, to: button.target) }
    }

    /// Whoever runs the server has all that was ever posted, and the topics.
    private mutating func replay(_ number: Int) {
        guard let last = storeApps[number].posted.last else { return }
        for button in storeApps[number].posted.suffix(3) { post(button.body, to: button.target) }
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: channelChance.next()) }
        post(Capability.body(bytes), to: last.target)
        post("disarm", to: last.target)
        // A button of somebody else's.
        if let other = storeApps.first(where: { $0.name != storeApps[number].name })?.buttons.last {
            post(other.body, to: last.target)
        }
    }

    private mutating func post(_ body: String, to topic: String) {
        guard let index = hosts.index(.ntfy) else { return }
        channelTurn(index, NtfySimulator.self) {
            $0.perform(.publish(topic: topic, text: body, age: .zero), at: $1, into: &$2)
        }
    }

    /// Somebody writes to the box; the same message may come more than once.
    private mutating func say(_ word: String, by number: Int, copies: Int) {
        let app = storeApps[number]
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
    private mutating func give(_ order: HouseOrderKind, by kind: ChannelKind) {
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

    private mutating func revoke(_ number: Int) throws(Violation) {
        guard contact(of: storeApps[number]) != nil, contactAffair == nil else { return }
        storeApps[number].isPromised = false
        try operatorAsks(.phones(.revoke(phone: storeApps[number].name)))
    }
}
