import AlarmModel
import PhoneProtocol

extension PushScript {
    private static let verbs = [
        "drain", "drain-nack", "close-graceful", "close-abrupt", "half-open", "whitespace-only", "space", "slow-drip",
        "split", "nack", "delay-acks", "canonical-id", "stream-error", "auth-fail", "refuse-connect", "garbage",
        "certificate", "ping", "duplicate", "reorder", "window", "over-window", "upstream-window", "form", "register",
        "unregister", "phone", "upstream", "faults",
    ]

    /// RFC 6120 4.9.3
    private static let conditions = [
        "bad-format", "bad-namespace-prefix", "conflict", "connection-timeout", "host-gone", "host-unknown",
        "improper-addressing", "internal-server-error", "invalid-from", "invalid-namespace", "invalid-xml",
        "not-authorized", "not-well-formed", "policy-violation", "remote-connection-failed", "reset",
        "resource-constraint", "restricted-xml", "see-other-host", "system-shutdown", "undefined-condition",
        "unsupported-encoding", "unsupported-feature", "unsupported-stanza-type", "unsupported-version",
    ]

    static func stimulus(_ words: inout ScriptWords) throws(ScriptError) -> PushSimulator.Stimulus {
        let verb = try words.word("a verb")
        let stimulus = try stimulus(verb, &words)
        try words.finish()
        return stimulus
    }

    private static func stimulus(
        _ verb: String, _ words: inout ScriptWords
    ) throws(ScriptError) -> PushSimulator.Stimulus {
        switch verb {
        case "drain": return .drain(words.isEmpty ? nil : try span(&words))
        case "drain-nack": return .drainNack(words.isEmpty ? nil : try span(&words))
        case "close-graceful": return .closeGraceful
        case "close-abrupt": return .closeAbrupt
        case "half-open": return words.isEmpty ? .halfOpen : .halfOpenNewcomers(try words.onOff())
        case "whitespace-only": return .whitespaceOnly(try words.onOff())
        case "space": return .space
        case "slow-drip": return .slowDrip(try words.onOff())
        case "split": return .split(try words.onOff())
        case "nack": return .nack(try nack(&words))
        case "delay-acks": return .delayAcks(words.next == "off" ? try off(&words) : try span(&words))
        case "canonical-id":
            let old = try token(&words)
            return .canonicalID(old: old, new: try words.word("the new token", keepsCase: true))
        case "stream-error":
            let condition = try words.word("a condition of a stream error")
            guard conditions.contains(condition) else { throw words.error(.notOneOf(condition, conditions)) }
            return .streamError(condition)
        case "auth-fail": return .authFail(words.isEmpty ? 1 : try words.count())
        case "refuse-connect": return .refuseConnect(try words.onOff())
        case "garbage": return .garbage
        case "certificate":
            return .certificate(try words.choice("a kind of certificate", PushSimulator.Certificate.self))
        case "ping": return .ping
        case "duplicate":
            return try direction(&words) ? .duplicateInbound(words.count()) : .duplicateDownstream(words.count())
        case "reorder":
            let isUp = try direction(&words)
            let count = try words.number("a number of messages", 2...100)
            return isUp ? .reorderInbound(count) : .reorderDownstream(count)
        case "window": return .window(try words.number("a number of messages", 1...10_000))
        case "over-window": return .overWindow(try words.choice("stall or nack", PushSettings.OverWindow.self))
        case "upstream-window": return .inboundWindow(try words.number("a number of messages", 1...10_000))
        case "form": return .form(try words.choice("prefixed or plain", PushSettings.Form.self))
        case "register": return try register(&words)
        case "unregister": return .unregister(try token(&words))
        case "phone": return try phone(&words)
        case "upstream": return try inbound(&words)
        case "faults":
            _ = try words.choice("off", ["off": true])
            return .faultsOff
        default: throw words.error(.notOneOf(verb, verbs))
        }
    }

    static func span(_ words: inout ScriptWords) throws(ScriptError) -> Duration {
        let text = words.next ?? ""
        let span = try words.duration()
        guard span >= .zero else { throw words.error(.notDuration(text)) }
        return span
    }

    private static func off(_ words: inout ScriptWords) throws(ScriptError) -> Duration {
        words.skip()
        return .zero
    }

    private static func token(_ words: inout ScriptWords) throws(ScriptError) -> String {
        try words.word("a token", keepsCase: true)
    }

    /// True for upstream.
    private static func direction(_ words: inout ScriptWords) throws(ScriptError) -> Bool {
        try words.choice("up or down", ["up": true, "down": false])
    }

    /// Any code, for real services send some that nobody wrote down; once, or so many times.
    private static func nack(_ words: inout ScriptWords) throws(ScriptError) -> PushFaults.Nack {
        let code = try words.word("a code", keepsCase: true)
        guard code.utf8.allSatisfy({ (65...90).contains($0) || $0 == UInt8(ascii: "_") }) else {
            throw words.error(.notOneOf(code, PushErrorCode.allCases.map(\.rawValue)))
        }
        return PushFaults.Nack(code: code, times: words.isEmpty ? 1 : try words.count())
    }

    private static func register(_ words: inout ScriptWords) throws(ScriptError) -> PushSimulator.Stimulus {
        let token = try token(&words)
        let kind = try words.choice("ios or android", PushClient.Kind.self)
        let category = words.isEmpty ? "com.example.howalarming" : try words.word("a package", keepsCase: true)
        return .register(token, PushClient(kind: kind, category: category))
    }

    private static func phone(_ words: inout ScriptWords) throws(ScriptError) -> PushSimulator.Stimulus {
        let token = try token(&words)
        let what = try words.word("a state of the phone")
        if let presence = PushPresence(rawValue: what) { return .presence(token, presence) }
        guard what == "channel" else {
            throw words.error(.notOneOf(what, PushPresence.allCases.map(\.rawValue) + ["channel"]))
        }
        return .channel(token, up: try words.choice("up or down", ["up": true, "down": false]))
    }

    /// `upstream TOKEN ID TTL {…}`; runs of spaces in the JSON count as one.
    private static func inbound(_ words: inout ScriptWords) throws(ScriptError) -> PushSimulator.Stimulus {
        let token = try token(&words)
        let messageID = try words.word("a message id", keepsCase: true)
        let ttl = try words.number("seconds to live", 0...2_419_200)
        var parts = [try words.word("a JSON object", keepsCase: true)]
        let problem = words
        while !words.isEmpty { parts.append(try words.word("a JSON object", keepsCase: true)) }
        let text = parts.joined(separator: " ")
        guard let data = try? JSON(parsing: text), data.objectValue != nil else { throw problem.error(.notJSON(text)) }
        return .inbound(token, messageID: messageID, ttl: Int64(ttl), data: data)
    }
}
