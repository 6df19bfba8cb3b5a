package import AlarmModel

/// In the simulated world.
extension NtfySimulator: ChannelPeer {
    package mutating func takeArrivals() -> [Arrival] {
        guard !fresh.isEmpty else { return [] }
        defer { fresh = [] }
        let place = settings.baseURL.dropFirst("https://".count)
        return fresh.map { stored in
            Arrival(
                address: "\(place)/\(stored.topic)",
                message: stored.sequence.isEmpty ? nil : MessageID(stored.sequence),
                text: "\(stored.title)\n\(stored.message)",
                buttons: stored.buttons.map { button in
                    Pressable(
                        label: button.label, body: button.body,
                        target: button.url.split(separator: "/").last.map(String.init) ?? "")
                }, isKept: stored.isKept)
        }
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        func order(_ stimulus: NtfyStimulus) { perform(stimulus, at: now, into: &actions) }
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
