import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// A topic server as the core's tests look at it.
typealias TopicServer = Served<NtfySimulator>

extension TopicServer {
    struct Published {
        var topic: String
        var title: String
        var message: String
        var buttons: [Pressable]
    }

    static var port: UInt16 { 443 }

    init() { self.init(NtfySimulator(), at: Self.port) }

    /// What the box has published; what others post has no title.
    var published: [Published] {
        arrivals.compactMap { arrival, _ in
            let text = arrival.text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
            guard let title = text.first, !title.isEmpty else { return nil }
            return Published(
                topic: String(arrival.address.split(separator: "/").last ?? ""), title: String(title),
                message: String(text.last ?? ""), buttons: arrival.buttons)
        }
    }

    /// The connection of the stream that is open.
    var listening: ConnectionID? { machine.listening }

    /// Topics to which the box may not write.
    var forbidden: [String] {
        get { machine.settings.everybody.map(\.pattern) }
        set { machine.settings.everybody = newValue.map { .init($0, mayRead: true, mayWrite: false) } }
    }

    /// Each publication is answered so; 200: as is right.
    mutating func answer(_ status: Int) {
        let fault = NtfyStimulus.answer(.status(status, retryAfter: nil, code: nil), times: .max, .publish)
        _ = act(at: Bench.start) { $0.perform(status == 200 ? .faultsOff : fault, at: Bench.start, into: &$1) }
    }

    /// What a store app posts to a topic.
    mutating func post(_ text: String, to topic: String, at now: Moment) -> [Input] {
        act(at: now) { $0.perform(.publish(topic: topic, text: text, age: .zero), at: now, into: &$1) }
    }
}

extension Bench {
    /// Panel up, a topic server reached, no push account.
    static func withTopics(_ change: (inout PhoneSettings) -> Void = { _ in }) -> Bench {
        var configuration = configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        change(&configuration.phones)
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    /// Pairs a store app; returns its command topic.
    mutating func pairStoreApp(
        _ name: String = "Annas iPhone", person: String = "Anna", allow: [ContactVerb] = [], tellsArming: Bool = false
    ) -> Contact? {
        ask(
            .phones(
                .pairContact(
                    ContactRequest(
                        kind: .topic, person: person, name: name, value: "", allowed: allow, tellsArming: tellsArming))),
            as: 70)
        advance(.seconds(1))
        guard let code = topics.published.last?.title.split(separator: " ").last else { return nil }
        ask(.phones(.confirm(Secret(String(code)))), as: 71)
        advance(.seconds(1))
        return push.book?.contacts.last
    }

    mutating func post(_ text: String, to contact: Contact) {
        let topic = contact.commandsFrom.split(separator: "/").last.map(String.init) ?? ""
        for input in topics.post(text, to: topic, at: now) { feed(input) }
    }
}
