import AlarmModel
import Companion
import PhoneLink
import PhoneProtocol

/// Phones that live by the topic server, and the pushes of their browsers.
extension World {
    /// What may have become possible: a page that is open gets what the server kept, a browser what its service has.
    mutating func careForTopics() {
        guard household.isByTopics else { return }
        for index in household.indices {
            takeKept(index)
            handOverPushes(to: index)
            lookAtSubscription(of: index)
        }
    }

    // MARK: Towards the box

    /// A phone, or what pretends to be one, posts to a topic, over a connection of its own; false: it names none.
    mutating func topicTakes(_ data: JSON) -> Bool {
        guard let address = data["to"]?.stringValue else { return false }
        guard let index = hosts.index(.ntfy), hosts[index].isListening, let text = data["e"]?.stringValue,
            address.hasPrefix(TopicLife.server + "/")
        else { return true }
        let request =
            "POST /\(address.dropFirst(TopicLife.server.count + 1)) HTTP/1.1\r\nHost: \(TopicLife.server)\r\n"
            + "Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n\(text)"
        let visitor = hosts.nextVisitor()
        channelTurn(index) {
            $0.accepted(visitor, at: $1, into: &$2)
            $0.received(visitor, Array(request.utf8), at: $1, into: &$2)
        }
        agenda.add(.channel(.ntfy, .loses(visitor)), at: now + .seconds(60))
        return true
    }

    // MARK: By its topic

    /// The server has taken something; false: no phone listens there.
    mutating func topicHears(_ arrival: Arrival) -> Bool {
        guard household.isByTopics, let index = household.listener(to: arrival.address) else { return false }
        let envelope = arrival.text.split(separator: "\n").last.map(String.init) ?? ""
        if let bytes = try? Base64URL.decode(envelope) {
            phoneChecks.arrives(arrival.message, at: arrival.address, bytes, from: standpoint)
        }
        if hears(index) {
            household.deliver(envelope, to: index, at: now, &chances.phones, &agenda)
        } else if arrival.isKept {
            household.changeLife(of: index) { $0.kept.append(envelope) }
        }
        return true
    }

    /// Its stream stands, and the server says something on it.
    private func hears(_ index: Int) -> Bool {
        let phone = household.phones[index]
        let server = hosts.index(.ntfy).flatMap { hosts[$0].peer as? NtfySimulator }
        return phone.isOn && phone.topics?.isListening == true && server?.faults.streamsAreSilent == false
    }

    private mutating func takeKept(_ index: Int) {
        guard let kept = household.phones[index].topics?.kept, !kept.isEmpty, hears(index) else { return }
        household.changeLife(of: index) { $0.kept = [] }
        for envelope in kept { household.deliver(envelope, to: index, at: now, &chances.phones, &agenda) }
    }

    // MARK: By its browser

    /// A push service has taken something.
    mutating func pushed(_ arrival: Arrival) {
        guard let index = household.browser(at: arrival.address), let push = push(arrival.text, to: index) else {
            return
        }
        var shown = arrival
        (shown.message, shown.text) = (push.message, push.words)
        channelChecks.arrive(shown, by: .webPush, store)
        if let bytes = try? Base64URL.decode(push.envelope) {
            phoneChecks.arrives(push.message, at: arrival.address, bytes, from: standpoint)
        }
        handOverPushes(to: index)
    }

    private mutating func push(_ body: String, to index: Int) -> BrowserPush? {
        let phone = household.phones[index]
        let push = (try? Base64URL.decode(body)).flatMap { phone.topics?.subscription?.open($0) }
        if push == nil {
            phoneChecks.broken = broken(.pushesAreShown, "\(phone.name) gets a push that it cannot show")
        }
        return push
    }

    private mutating func handOverPushes(to index: Int) {
        let phone = household.phones[index]
        guard phone.isOn, let endpoint = phone.topics?.subscription?.endpoint, let host = hosts.index(.webPush) else {
            return
        }
        var got: [WebPushStored] = []
        channelTurn(host, WebPushSimulator.self) { service, moment, _ in got = service.collect(endpoint, at: moment) }
        for stored in got {
            guard let push = push(Base64URL.encode(stored.body), to: index) else { continue }
            household.deliver(push.envelope, to: index, at: now, &chances.phones, &agenda)
        }
    }

    // MARK: Its subscription

    /// As `renew` of app/push.js: once each time that the page was opened.
    private mutating func lookAtSubscription(of index: Int) {
        let phone = household.phones[index]
        guard phone.isOn, let life = phone.topics, life.takesPushes, life.isListening, life.looks, let id = phone.id,
            let memory = phone.app.phone?.memory, memory.roles != nil,
            let key = memory.pushKey.flatMap({ try? Base64URL.decode($0) }), let host = hosts.index(.webPush)
        else { return }
        var subscription = life.subscription
        channelTurn(host, WebPushSimulator.self) { service, _, _ in
            if subscription.map({ service.has($0.endpoint) }) ?? false { return }
            subscription = BrowserSubscription(service.subscribe(for: key))
        }
        let isNew = subscription != life.subscription || life.toldAs != id
        household.changeLife(of: index) {
            ($0.looks, $0.subscription, $0.toldAs) = (false, subscription, id)
        }
        guard isNew, let subscription else { return }
        phoneTurn(index) { $0.subscribed(subscription.text, at: $1, into: &$2) }
    }

    /// The ways of such phones carry nothing.
    mutating func cutTopics(until time: BootTime) {
        guard household.isByTopics else { return }
        for kind in [.ntfy, .webPush] as [ChannelKind] { hosts.cut(kind, until: time) }
    }

    /// The browser has given it up, or its service has lost it; the page finds out when it is opened the next time.
    mutating func endSubscription(of index: Int) {
        guard let endpoint = household.phones[index].topics?.subscription?.endpoint, let host = hosts.index(.webPush)
        else { return }
        let isLost = chances.phones.next() % 2 == 0
        channelTurn(host, WebPushSimulator.self) {
            $0.perform(isLost ? .forget(endpoint: endpoint) : .end(endpoint: endpoint), at: $1, into: &$2)
        }
    }

    /// Its owner opens the page.
    mutating func openPage(of index: Int) {
        household.changeLife(of: index) { $0.open() }
        tell(household.phones[index].token, .object(["ready": .bool(true)]))
    }
}

extension Household {
    /// Who listens to this address of a topic: the phone whose it is, or who is being paired there.
    fileprivate func listener(to address: String) -> Int? {
        index(of: address)
            ?? phones.firstIndex { phone in
                phone.app.pairing.map { "\(TopicLife.server)/\($0.topicDown)" == address } ?? false
            }
    }

    fileprivate func browser(at endpoint: String) -> Int? {
        phones.firstIndex { $0.topics?.subscription?.endpoint == endpoint }
    }
}
