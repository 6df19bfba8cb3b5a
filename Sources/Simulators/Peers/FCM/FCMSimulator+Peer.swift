package import AlarmModel
package import PhoneProtocol

/// In the simulated world: the push service by its other door, for the same phones, and the database for what they have
/// for the box.
extension FCMSimulator: ChannelPeer {
    /// Of the database.
    package static let place = "/up/box1"

    /// In the words of the door that stands open all the time.
    package mutating func takeArrivals() -> [Arrival] {
        let new = messages(after: taken)
        defer { taken = messageCount }
        return new.enumerated().compactMap { index, message in
            guard let message = message["message"], let token = message["token"]?.stringValue else { return nil }
            let life = message["android"]?["ttl"]?.stringValue.flatMap { Int64($0.dropLast()) }
            return Arrival(
                address: token, message: nil,
                text: JSON.object([
                    "to": .string(token), "message_id": .string("fcm-\(taken + index + 1)"), "data": message["data"],
                    "time_to_live": life.map { .integer($0) },
                ]).text)
        }
    }

    /// A phone, or anybody who may write there, puts it under a key that is later than all before.
    package mutating func put(_ data: JSON, at now: Moment, into actions: inout [HTTPServiceAction]) {
        putCount += 1
        let key = "-p\(String(1_000_000 + putCount).dropFirst())"
        perform(.put(place: Self.place, key: key, data), at: now, into: &actions)
    }

    package mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction]) {
        func order(_ stimulus: FCMStimulus) { perform(stimulus, at: now, into: &actions) }
        func answer(_ status: Int, _ code: String, _ count: Int, after: Int? = nil) -> FCMFaults.Answer {
            FCMFaults.Answer(status: status, code: code, text: "simulated", retryAfter: after, count: count)
        }
        switch fault {
        case .refuse:
            order(.refuseConnect(true))
            order(.reset)
        case .reset: order(.reset)
        case .ends:
            order(.authRevoked)
            order(.closeStreams)
        case .blackHole: order(.blackHole(true))
        case .silent: order(.silent(true))
        case .slow, .noAnswer: order(.mute(true))
        case .garbage(let count):
            order(.tokenError(answer(500, "", count)))
            order(.databaseError(answer(500, "", count)))
        case .lies: order(.revokeTokens)
        case .closesMidway(let count): order(.sendError(answer(500, "INTERNAL", count)))
        case .failure(let count): order(.sendError(answer(503, "UNAVAILABLE", count, after: 5)))
        case .tooMany(let count), .quota(let count): order(.sendError(answer(429, "QUOTA_EXCEEDED", count)))
        case .repeats(let count):
            order(.tokenLife(90))
            order(.repeatChanges(count))
        case .off:
            // What streams would have said meanwhile is lost; TCP loses nothing without the connection.
            let swallows = http.isBlackHole || faults.isSilent
            order(.faultsOff)
            if swallows { order(.closeStreams) }
        }
    }
}
