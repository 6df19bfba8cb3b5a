package import AlarmModel
package import PhoneProtocol

extension FCMSimulator {
    package mutating func perform(
        _ stimulus: FCMStimulus, at now: Moment, into actions: inout [HTTPServiceAction]
    ) {
        switch stimulus {
        case .sendError(let answer): faults.send = answer
        case .tokenError(let answer): faults.token = answer
        case .databaseError(let answer): faults.database = answer
        case .tokenLife(let seconds): settings.tokenLife = seconds
        case .revokeTokens: tokens = []
        case .authRevoked: tellAll("auth_revoked", "\"credential is no longer valid\"", into: &actions)
        case .cancel: tellAll("cancel", "null", into: &actions)
        case .redirect(let target): faults.redirect = target
        case .silent(let isOn): faults.isSilent = isOn
        case .mute(let isOn): faults.isMute = isOn
        case .blackHole(let isOn): http.isBlackHole = isOn
        case .closeStreams:
            for stream in streams { http.endStream(stream.connection, into: &actions) }
            for stream in streams { http.close(stream.connection, into: &actions) }
            streams = []
        case .repeatChanges(let count):
            faults.repeats = count
            for stream in streams { tellAll(of: stream.place, to: stream.connection, into: &actions) }
        case .reset:
            for id in http.open { http.reset(id, into: &actions) }
            streams = []
        case .refuseConnect(let isOn): actions.append(.listen(!isOn))
        case .certificate(let kind): actions.append(.certificate(kind))
        case .put(let place, let key, let value): put(Self.place(place), key, value, at: now, into: &actions)
        case .faultsOff:
            faults = FCMFaults()
            http.isBlackHole = false
            actions.append(.listen(true))
            actions.append(.certificate(.valid))
        }
    }

    private mutating func tellAll(_ name: String, _ data: String, into actions: inout [HTTPServiceAction]) {
        for stream in streams { event(name, data, to: stream.connection, into: &actions) }
    }

    /// What is really so, for tests: `assertions`, `sent`, `refused`, `nodes` (by place, then key) and `streams`.
    package var truth: JSON {
        .object([
            "assertions": .array(assertions.map { .string($0) }), "sent": .array(sent),
            "refused": .integer(Int64(refused)),
            "nodes": .array(
                nodes.map { .object(["place": .string($0.place), "key": .string($0.key), "value": $0.value]) }),
            "streams": .array(streams.map { .string($0.place) }),
        ])
    }
}
