import AlarmModel
package import PhoneProtocol

/// What happens to a simulated push service of browsers, as text: one verb for each line of a control port.
///
///     end                  every browser has given up its subscriptions: 410 from now on
///     forget               the service has lost them: 404
///     status 503 [COUNT]   so are the next pushes answered
///     silent on            what was taken is not handed over
///     repeats 2            so many of the next are handed over twice
///     close-all            faults off
package enum WebPushScript {
    private static let verbs = ["end", "forget", "status", "silent", "repeats", "close-all", "faults"]

    /// - Parameter endpoints: of the subscriptions that there are
    package static func parse(_ line: String, endpoints: [String]) throws(ScriptError) -> [WebPushStimulus] {
        var words = ScriptWords(line[...], line: 1)
        let verb = try words.word("a verb")
        let stimuli = try stimuli(verb, endpoints, &words)
        try words.finish()
        return stimuli
    }

    private static func stimuli(
        _ verb: String, _ endpoints: [String], _ words: inout ScriptWords
    ) throws(ScriptError) -> [WebPushStimulus] {
        switch verb {
        case "end": return endpoints.map { .end(endpoint: $0) }
        case "forget": return endpoints.map { .forget(endpoint: $0) }
        case "status":
            let status = try words.number("a status", 200...599)
            return [.answer(.status(status, retryAfter: nil), times: words.isEmpty ? 1 : try words.count())]
        case "silent": return [.silent(try words.onOff())]
        case "repeats": return [.repeats(try words.count())]
        case "close-all": return [.closeAll]
        case "faults":
            _ = try words.choice("off", ["off": true])
            return [.faultsOff]
        default: throw words.error(.notOneOf(verb, verbs))
        }
    }
}

extension WebPushSimulator {
    /// What is really so, as JSON: each push for a browser, the subscriptions that stand, and why it refused what it did.
    package var truth: JSON {
        .object([
            "pushes": .array(records.map(\.json)), "subscriptions": .array(endpoints.map { .string($0) }),
            "refusals": .array(refusals.map { .string($0) }),
        ])
    }

    /// Of the subscriptions that stand.
    package var endpoints: [String] {
        subscriptions.filter { !$0.hasEnded }.map { settings.origin + Self.path + $0.token }
    }
}
