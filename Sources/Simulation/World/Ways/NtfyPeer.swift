import AlarmModel

/// The topic server of the simulated world.
struct NtfyPeer: WayPeer {
    private(set) var server: NtfySimulator
    private let place: String
    private var taken = 0

    /// - Parameter place: what addresses on it begin with
    init(place: String, token: Secret, seed: UInt64) {
        var settings = NtfyServerSettings()
        settings.accounts = [
            NtfyServerSettings.Account(token: token, grants: [.init("*", mayRead: true, mayWrite: true)])
        ]
        settings.baseURL = "https://\(place)"
        server = NtfySimulator(settings: settings, seed: seed)
        self.place = place
    }

    var nextDeadline: BootTime? { server.nextDeadline }

    mutating func accepted(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.accepted(id, at: now, into: &actions)
    }

    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        server.received(id, bytes, at: now, into: &actions)
    }

    mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.closed(id, at: now, into: &actions)
    }

    mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.timerFired(at: now, into: &actions)
    }

    mutating func takeArrivals() -> [Arrival] {
        guard server.stored.count > taken else { return [] }
        defer { taken = server.stored.count }
        return server.stored[taken...].map { stored in
            Arrival(
                address: "\(place)/\(stored.topic)",
                message: stored.sequence.isEmpty ? nil : MessageID(stored.sequence),
                text: "\(stored.title)\n\(stored.message)",
                buttons: stored.buttons.map { button in
                    Pressable(
                        label: button.label, body: button.body,
                        target: button.url.split(separator: "/").last.map(String.init) ?? "")
                })
        }
    }

    /// As an app, or anybody who knows the topic, does it.
    mutating func publish(_ text: String, to topic: String, at now: Moment, into actions: inout [HTTPServiceAction]) {
        server.perform(.publish(topic: topic, text: text, age: .zero), at: now, into: &actions)
    }

    mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        func order(_ stimulus: NtfyStimulus) { server.perform(stimulus, at: now, into: &actions) }
        switch fault {
        case .refuse:
            order(.refuseConnect(true))
            order(.resetAll)
        case .reset: order(.resetAll)
        case .blackHole: order(.blackHole(true))
        case .slow(let span): order(.delay(span))
        case .garbage(let count): order(.answer(.garbage, times: count, .all))
        case .lies(let count): order(.answer(count % 2 == 0 ? .page : .wrongJSON, times: count, .all))
        case .closesMidway(let count): order(.answer(.earlyClose, times: count, .all))
        case .noAnswer(let count): order(.answer(.noAnswer, times: count, .publish))
        case .failure(let count): order(.answer(.status(503, retryAfter: 3, code: nil), times: count, .all))
        case .tooMany(let count): order(.answer(.status(429, retryAfter: nil, code: 42901), times: count, .publish))
        case .quota(let count): order(.quota(count))
        case .silent: order(.silenceStreams(true))
        case .repeats(let count): order(.duplicate(count * 3))
        case .ends: order(.closeStreams)
        case .off:
            order(.faultsOff)
            order(.quota(nil))
        }
    }
}
