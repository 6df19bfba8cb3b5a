import PhoneProtocol

/// What happens to a simulated FCM, as text: one verb for each line of a control port.
///
///     send-error 503 UNAVAILABLE [RETRY-AFTER [COUNT]]     send-error 404 UNREGISTERED
///     token-error 400 invalid_grant [COUNT [TEXT …]]       token-life 10         revoke-tokens
///     database-error 503 [COUNT]                           redirect https://other.example/up.json
///     auth-revoked        cancel        close-streams      reset
///     repeat 3
///     silent on           mute on       black-hole on      refuse-connect on     certificate expired
///     put /up/box1 KEY {"command":"ping"}                  faults off
package enum FCMScript {
    package static func parseStimulus(_ line: String) throws(FCMScriptError) -> FCMStimulus {
        let words = line.split(separator: " ").map(String.init)
        let rest = Array(words.dropFirst())
        switch words.first ?? "" {
        case "send-error":
            let answer = FCMFaults.Answer(
                status: try status(rest), code: try word(rest, 1, "FCM's code"), text: "simulated",
                retryAfter: rest.count > 2 ? try number(rest[2]) : nil,
                count: rest.count > 3 ? try number(rest[3]) : 1)
            return .sendError(answer)
        case "token-error":
            let answer = FCMFaults.Answer(
                status: try status(rest), code: try word(rest, 1, "OAuth's error"),
                text: rest.dropFirst(3).joined(separator: " "), count: rest.count > 2 ? try number(rest[2]) : 1)
            return .tokenError(answer)
        case "database-error":
            let count = rest.count > 1 ? try number(rest[1]) : 1
            return .databaseError(FCMFaults.Answer(status: try status(rest), code: "", text: "simulated", count: count))
        case "token-life": return .tokenLife(Int64(try number(try word(rest, 0, "seconds"))))
        case "revoke-tokens": return .revokeTokens
        case "auth-revoked": return .authRevoked
        case "cancel": return .cancel
        case "redirect": return .redirect(try word(rest, 0, "a URL"))
        case "silent": return .silent(try isOn(rest))
        case "mute": return .mute(try isOn(rest))
        case "black-hole": return .blackHole(try isOn(rest))
        case "repeat": return .repeatChanges(try number(try word(rest, 0, "how many changes")))
        case "close-streams": return .closeStreams
        case "reset": return .reset
        case "refuse-connect": return .refuseConnect(try isOn(rest))
        case "certificate":
            let name = try word(rest, 0, "a kind of certificate")
            guard let kind = PushSimulator.Certificate(rawValue: name) else {
                throw FCMScriptError("'\(name)' is no kind of certificate")
            }
            return .certificate(kind)
        case "put":
            guard let value = try? JSON(parsing: rest.dropFirst(2).joined(separator: " ")) else {
                throw FCMScriptError("'put' takes a place, a key and JSON")
            }
            return .put(place: try word(rest, 0, "a place"), key: try word(rest, 1, "a key"), value)
        case "faults": return .faultsOff
        case let other: throw FCMScriptError("'\(other)' is no verb of a simulated FCM")
        }
    }

    private static func word(_ words: [String], _ index: Int, _ what: String) throws(FCMScriptError) -> String {
        guard words.indices.contains(index) else { throw FCMScriptError("\(what) is missing") }
        return words[index]
    }

    private static func number(_ word: String) throws(FCMScriptError) -> Int {
        guard let number = Int(word), (0...1_000_000).contains(number) else {
            throw FCMScriptError("'\(word)' is no number from 0 to 1000000")
        }
        return number
    }

    private static func status(_ words: [String]) throws(FCMScriptError) -> Int {
        let number = try number(try word(words, 0, "a status"))
        guard (200...599).contains(number) else { throw FCMScriptError("\(number) is no status from 200 to 599") }
        return number
    }

    private static func isOn(_ words: [String]) throws(FCMScriptError) -> Bool {
        switch words.first {
        case "on": return true
        case "off": return false
        default: throw FCMScriptError("'on' or 'off' is missing")
        }
    }
}

/// Why a line is no verb.
package struct FCMScriptError: Error, Equatable, Sendable, CustomStringConvertible {
    package var description: String
    init(_ description: String) { self.description = description }
}
