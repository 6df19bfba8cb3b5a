package import AlarmModel
import PhoneProtocol

/// In the simulated world: who has the keys of a subscription reads there what was taken for it.
extension WebPushSimulator: ChannelPeer {
    /// `text` is the encrypted body as base64url.
    package mutating func takeArrivals() -> [Arrival] {
        defer { fresh = [] }
        return fresh.map { Arrival(address: $0.endpoint, message: nil, text: Base64URL.encode($0.body)) }
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        func order(_ stimulus: WebPushStimulus) { perform(stimulus, at: now, into: &actions) }
        switch fault {
        case .refuse:
            order(.refuseConnect(true))
            order(.resetAll)
        case .reset: order(.resetAll)
        case .ends: order(.closeAll)
        case .blackHole: order(.blackHole(true))
        case .slow(let span): order(.delay(span))
        case .garbage(let count): order(.answer(.garbage, times: count))
        case .lies(let count): order(.answer(.loses, times: count))
        case .closesMidway(let count): order(.answer(.earlyClose, times: count))
        case .noAnswer(let count): order(.answer(.noAnswer, times: count))
        case .failure(let count): order(.answer(.status(503, retryAfter: 3), times: count))
        case .tooMany(let count): order(.answer(.status(429, retryAfter: 10), times: count))
        case .quota(let count): order(.quota(count))
        case .silent: order(.silent(true))
        case .repeats(let count): order(.repeats(count * 2))
        case .off: order(.faultsOff)
        }
    }
}
