import AlarmModel
import Companion
import PhoneLink
import PhoneProtocol
import Simulators

/// What reaches phones that live by the topic server, and the subscriptions of their browsers.
extension Household {
    /// Such houses need both.
    var topicWays: [ChannelKind] { isByTopics ? [.ntfy, .webPush] : [] }

    /// A page that is open gets what the server kept, a browser what its service has.
    ///
    /// - Returns: subscriptions that the box has to be told of
    mutating func careForTopics(
        _ hosts: inout ChannelHosts, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) -> [(phone: Int, subscription: String)] {
        var told: [(phone: Int, subscription: String)] = []
        for index in indices where phones[index].topics != nil {
            takeKept(index, hosts, at: now, &chance, &agenda)
            handOverPushes(to: index, &hosts, at: now, &chance, &agenda)
            if let new = lookAtSubscription(of: index, &hosts) { told.append((index, new.text)) }
        }
        return told
    }

    // MARK: By its topic

    /// The server has taken something.
    ///
    /// - Returns: the envelope; nil: no phone listens there
    mutating func hears(
        _ arrival: Arrival, _ hosts: ChannelHosts, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) -> String? {
        guard isByTopics, let index = listener(to: arrival.address) else { return nil }
        let envelope = arrival.text.split(separator: "\n").last.map(String.init) ?? ""
        if isHeard(index, hosts) {
            deliver(envelope, to: index, at: now, &chance, &agenda)
        } else if arrival.isKept {
            changeLife(of: index) { $0.kept.append(envelope) }
        }
        return envelope
    }

    /// The phone whose topic it is, or who is being paired there.
    private func listener(to address: String) -> Int? {
        index(of: address)
            ?? phones.firstIndex { phone in
                phone.app.pairing.map { "\(TopicLife.server)/\($0.topicDown)" == address } ?? false
            }
    }

    /// Its stream stands, and the server says something on it.
    private func isHeard(_ index: Int, _ hosts: ChannelHosts) -> Bool {
        let server = hosts.index(.ntfy).flatMap { hosts[$0].peer as? NtfySimulator }
        return phones[index].isOn && phones[index].topics?.isListening == true
            && server?.faults.streamsAreSilent == false
    }

    private mutating func takeKept(
        _ index: Int, _ hosts: ChannelHosts, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard let kept = phones[index].topics?.kept, !kept.isEmpty, isHeard(index, hosts) else { return }
        changeLife(of: index) { $0.kept = [] }
        for envelope in kept { deliver(envelope, to: index, at: now, &chance, &agenda) }
    }

    /// Its owner opens the page.
    mutating func openPage(of index: Int, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda) {
        changeLife(of: index) { $0.open() }
        tell(phones[index].token, .object(["ready": .bool(true)]), at: now, &chance, &agenda)
    }

    // MARK: By its browser

    func browser(at endpoint: String) -> Int? {
        phones.firstIndex { $0.topics?.subscription?.endpoint == endpoint }
    }

    mutating func handOverPushes(
        to index: Int, _ hosts: inout ChannelHosts, at now: BootTime, _ chance: inout Jitter, _ agenda: inout Agenda
    ) {
        guard phones[index].isOn, let subscription = phones[index].topics?.subscription else { return }
        let waiting = hosts.change(.webPush, WebPushSimulator.self) {
            $0.collect(subscription.endpoint, at: SimulatedClock.right(at: now))
        }
        for stored in waiting ?? [] {
            guard let push = subscription.open(Base64URL.encode(stored.body)) else { continue }
            deliver(push.envelope, to: index, at: now, &chance, &agenda)
        }
    }

    /// As `renew` of app/push.js: once each time that the page was opened.
    ///
    /// - Returns: one that the box was not told of
    private mutating func lookAtSubscription(of index: Int, _ hosts: inout ChannelHosts) -> BrowserSubscription? {
        guard phones[index].isOn, let life = phones[index].topics, life.takesPushes, life.isListening, life.looks,
            let id = phones[index].id, let memory = phones[index].app.phone?.memory, memory.roles != nil,
            let key = memory.pushKey.flatMap({ try? Base64URL.decode($0) })
        else { return nil }
        let subscription = hosts.change(.webPush, WebPushSimulator.self) { service in
            let known = life.subscription.flatMap { service.has($0.endpoint) ? $0 : nil }
            return known ?? BrowserSubscription(service.subscribe(for: key))
        }
        changeLife(of: index) { ($0.looks, $0.subscription, $0.toldAs) = (false, subscription, id) }
        return subscription != life.subscription || life.toldAs != id ? subscription : nil
    }

    /// The browser has given it up, or its service has lost it; the page finds out when it is opened the next time.
    mutating func endSubscription(
        of index: Int, _ hosts: inout ChannelHosts, at now: BootTime, _ chance: inout Jitter
    ) {
        guard let endpoint = phones[index].topics?.subscription?.endpoint else { return }
        let isLost = chance.next() % 2 == 0
        hosts.change(.webPush, WebPushSimulator.self) {
            var none: [HTTPServiceAction] = []
            let stimulus = isLost ? WebPushStimulus.forget(endpoint: endpoint) : .end(endpoint: endpoint)
            $0.perform(stimulus, at: SimulatedClock.right(at: now), into: &none)
        }
    }
}
