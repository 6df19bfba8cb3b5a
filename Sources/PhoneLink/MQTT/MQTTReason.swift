import AlarmModel

/// What a broker's numbers mean, and what to do about them (MQTT 5, 2.4; MQTT 3.1.1, 3.2.2.3).
enum MQTTReason {
    static let unsupportedVersion: UInt8 = 0x84

    /// The return codes of 3.1.1 as reasons of version 5.
    static func login(_ code: UInt8) -> UInt8 {
        switch code {
        case 1: 0x84
        case 2: 0x85
        case 3: 0x88
        case 4: 0x86
        case 5: 0x87
        default: code
        }
    }

    static func words(_ reason: UInt8) -> String {
        switch reason {
        case 0x81: "malformed packet"
        case 0x82: "protocol error"
        case 0x83: "its own rules"
        case 0x84: "unsupported protocol version"
        case 0x85: "client id not valid"
        case 0x86: "bad user name or password"
        case 0x87: "not authorised"
        case 0x88: "server unavailable"
        case 0x89: "server busy"
        case 0x8A: "banned"
        case 0x8B: "server shutting down"
        case 0x8C: "bad authentication method"
        case 0x8D: "keep alive timeout"
        case 0x8E: "session taken over"
        case 0x90: "topic name invalid"
        case 0x93: "receive maximum exceeded"
        case 0x95: "packet too large"
        case 0x96: "message rate too high"
        case 0x97: "quota exceeded"
        case 0x98: "administrative action"
        case 0x99: "payload format invalid"
        case 0x9A: "retain not supported"
        case 0x9B: "QoS not supported"
        case 0x9C: "use another server"
        case 0x9D: "server moved"
        case 0x9F: "connection rate exceeded"
        default: "reason \(reason)"
        }
    }

    /// Why the broker did not let us in, or threw us out.
    ///
    /// - Parameter detail: what it says itself, fit to be shown; empty for nothing
    static func problem(_ reason: UInt8, detail: String, wasIn: Bool) -> TransportProblem {
        let what = wasIn ? "the MQTT broker ended the connection" : "the MQTT broker does not let us in"
        let front = "\(what): \(words(reason))" + (detail.isEmpty ? "" : " (\(detail))")
        func problem(_ advice: String, isRefusal: Bool = true, isPassing: Bool = false) -> TransportProblem {
            TransportProblem(
                wasIn ? .ended(Int(reason)) : .answered(Int(reason)), "\(front); \(advice)", isRefusal: isRefusal,
                isPassing: isPassing)
        }
        switch reason {
        case 0x84: return problem("it knows neither MQTT 5 nor 3.1.1: renew it")
        case 0x85: return problem("set another client id in the configuration")
        case 0x86: return problem("check user and password in the configuration")
        case 0x87: return problem("check user and password, and what the broker allows this user")
        case 0x8A, 0x8C, 0x98: return problem("ask who runs the broker")
        case 0x8E: return problem("another client uses the same client id: give each its own", isRefusal: false)
        case 0x95, 0x9A, 0x9B: return problem("allow it in the broker's configuration")
        case 0x9C, 0x9D: return problem("set the new host in the configuration")
        case 0x88, 0x89, 0x8B, 0x8D, 0x96, 0x97, 0x9F:
            return problem("it is tried again", isRefusal: false, isPassing: true)
        default: return problem("it is tried again; if it stays so, look at the broker's log", isRefusal: false)
        }
    }

    /// What becomes of a message that the broker did not take.
    static func refusal(_ reason: UInt8, topic: String, detail: String) -> Refusal {
        let front = "the MQTT broker did not take it: \(words(reason))" + (detail.isEmpty ? "" : " (\(detail))")
        switch reason {
        case 0x87, 0x90:
            return Refusal(
                .serviceFault, why: "\(front); allow this user to publish to \(topic)", kind: .senderRefused)
        case 0x95, 0x99: return Refusal(.giveUp, why: front)
        case 0x97: return Refusal(.retry(first: .minutes(1), attempts: nil), why: "\(front); it is tried again")
        default: return Refusal(.retry(first: .seconds(5), attempts: nil), why: "\(front); it is tried again")
        }
    }
}
