import AlarmModel

/// What happens to a simulated topic server, as text: one verb for each line of a control port.
///
///     black-hole on                    close-streams              reset
///     status 503 3 publish             status 429 on all 60 42908
///     redirect https://elsewhere 1     page|wrong-json|huge|early-close|garbage|no-answer [COUNT [SCOPE]]
///     delay 3s|off                     skew -90s                  silent on
///     line {"x":1}                     endless-line               duplicate 2
///     refuse-connect on                certificate expired        quota 5|off
///     publish TOPIC TEXT …             publish-old 2m TOPIC TEXT …
///     press TOPIC BUTTON               forget                     faults off
package enum NtfyScript {
    private static let verbs = [
        "black-hole", "status", "redirect", "page", "wrong-json", "huge", "early-close", "garbage", "no-answer",
        "delay",
        "skew", "silent", "close-streams", "reset", "endless-line", "line", "duplicate", "refuse-connect",
        "certificate",
        "quota", "publish", "publish-old", "press", "forget", "faults",
    ]

    package static func parseStimulus(_ line: String) throws(ScriptError) -> NtfyStimulus {
        var words = ScriptWords(line[...], line: 1)
        let verb = try words.word("a verb")
        let stimulus = try stimulus(verb, &words)
        try words.finish()
        return stimulus
    }

    private static func stimulus(_ verb: String, _ words: inout ScriptWords) throws(ScriptError) -> NtfyStimulus {
        switch verb {
        case "black-hole": return .blackHole(try words.onOff())
        case "status": return try status(&words)
        case "redirect":
            let url = try words.word("a URL", keepsCase: true)
            return try answer(.redirect(url), &words)
        case "page": return try answer(.page, &words)
        case "wrong-json": return try answer(.wrongJSON, &words)
        case "huge": return try answer(.huge, &words)
        case "early-close": return try answer(.earlyClose, &words)
        case "garbage": return try answer(.garbage, &words)
        case "no-answer": return try answer(.noAnswer, &words)
        case "delay":
            if words.next == "off" {
                words.skip()
                return .delay(.zero)
            }
            return .delay(try words.duration())
        case "skew": return .skew(try words.duration())
        case "silent": return .silenceStreams(try words.onOff())
        case "close-streams": return .closeStreams
        case "reset": return .resetAll
        case "endless-line": return .endlessLine
        case "line": return .rawLine(try rest("a line", &words))
        case "duplicate": return .duplicate(try words.count())
        case "refuse-connect": return .refuseConnect(try words.onOff())
        case "certificate":
            return .certificate(try words.choice("a kind of certificate", PushSimulator.Certificate.self))
        case "quota":
            if words.next == "off" {
                words.skip()
                return .quota(nil)
            }
            return .quota(try words.number("a number of messages", 0...1_000_000))
        case "publish":
            let topic = try words.word("a topic", keepsCase: true)
            return .publish(topic: topic, text: try rest("a text", &words), age: .zero)
        case "publish-old":
            let age = try words.duration()
            let topic = try words.word("a topic", keepsCase: true)
            return .publish(topic: topic, text: try rest("a text", &words), age: age)
        case "press":
            let topic = try words.word("a topic", keepsCase: true)
            return .press(topic: topic, button: try words.number("a button", 1...3))
        case "forget": return .forget
        case "faults":
            _ = try words.choice("off", ["off": true])
            return .faultsOff
        default: throw words.error(.notOneOf(verb, verbs))
        }
    }

    /// `CODE [COUNT [SCOPE [RETRY-AFTER [NTFY-CODE]]]]`
    private static func status(_ words: inout ScriptWords) throws(ScriptError) -> NtfyStimulus {
        let status = try words.number("a status", 200...599)
        let times = words.isEmpty ? 1 : try words.count()
        let scope = words.isEmpty ? .all : try words.choice("a scope", NtfyFaults.Scope.self)
        let wait = words.isEmpty ? nil : try words.number("seconds", 0...1_000_000)
        let code = words.isEmpty ? nil : try words.number("a code", 10_000...59_999)
        return .answer(.status(status, retryAfter: wait, code: code), times: times, scope)
    }

    private static func answer(
        _ answer: NtfyFaults.Answer, _ words: inout ScriptWords
    ) throws(ScriptError) -> NtfyStimulus {
        let times = words.isEmpty ? 1 : try words.count()
        let scope = words.isEmpty ? .all : try words.choice("a scope", NtfyFaults.Scope.self)
        return .answer(answer, times: times, scope)
    }

    /// Runs of spaces count as one.
    private static func rest(_ what: String, _ words: inout ScriptWords) throws(ScriptError) -> String {
        var parts = [try words.word(what, keepsCase: true)]
        while !words.isEmpty { parts.append(try words.word(what, keepsCase: true)) }
        return parts.joined(separator: " ")
    }
}
