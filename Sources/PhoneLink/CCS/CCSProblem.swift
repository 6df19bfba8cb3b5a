import AlarmModel

/// Why the service cannot take messages. A wrong certificate and what only a person can change is told at once;
/// everything else when it lasts.
enum CCSProblem {
    static func connect(_ failure: ConnectFailure, port: UInt16) -> TransportProblem {
        switch failure {
        case .dial(.unresolved(let why)):
            passing(
                failure.kind,
                "the push server's name cannot be resolved (\(why)); check the host name and this network's name servers"
            )
        case .dial(.unreachable(.tls(let why))), .tls(let why):
            TransportProblem(failure.kind, "no encrypted connection to the push server: \(why)")
        case .dial(.unreachable(let end)):
            passing(
                failure.kind,
                "the push server cannot be reached (\(end)); a firewall may block outgoing connections to port \(port): "
                    + "allow them, or check the network")
        }
    }
    static let dialStalled = passing(.noAnswer, "the attempt to reach the push server brought no answer; we try again")
    static let setupStalled = passing(
        .setupStalled,
        "the push server was reached but did not finish the login in time; we try again. If this goes on, check host "
            + "and port")
    static let endedByServer = passing(
        .ended(nil), "the push server ended the connection in good order; we connect again")
    static func lost(_ end: ConnectionEnd) -> TransportProblem {
        passing(.lost(nil), "the connection to the push server was lost (\(end)); we connect again")
    }
    static let silent = passing(.silent, "the push server stopped answering; we connect again")
    static let unanswered = passing(
        .unanswered(),
        "the push server did not answer a message in time; we connect again and send it again")
    static let draining = passing(.draining, "the push server asked for a new connection, which is being made")

    static func notAuthorized(_ text: String) -> TransportProblem {
        TransportProblem(
            .loginRefused,
            "the push server was reached but refused the account\(says(text)): check that sender_id is the project's "
                + "number and api_key the Cloud Messaging server key, not the web or browser API key. Google ended this "
                + "service in 2024; with Google's own host use another channel to the phones", isRefusal: true)
    }

    static func of(_ failure: XMPPFailure, hiding secret: Secret) -> TransportProblem {
        func printable(_ text: String) -> String { PeerText.printable(text, hiding: secret) }
        func unexpected(_ what: String) -> TransportProblem {
            passing(
                .unexpected,
                "the push server sent something unexpected (\(what)); we connect again. If this goes on, check host and "
                    + "port")
        }
        func loginFailed(_ text: String) -> TransportProblem {
            passing(
                .loginFailed,
                "the push server was reached but could not log us in\(says(printable(text))); we try again")
        }
        switch failure {
        case .malformed(let error):
            return passing(
                .notTheProtocol,
                "the push server sent something that is not its protocol (\(error)); we connect again. If this goes on, "
                    + "check host and port")
        case .unexpected(let name): return unexpected(printable(name))
        case .noPlain(let offered):
            let list = printable(offered.joined(separator: ", "))
            return TransportProblem(
                .noLogin,
                "the push server does not offer the login that this service uses (PLAIN); it offers: "
                    + "\(list.isEmpty ? "none" : list). Check host and port", isRefusal: true)
        case .noEncryption: return unexpected("no encryption")
        // This stream is not managed, and has no other login.
        case .unacknowledged, .weakened: return unexpected("another login")
        case .serverUnproved(let words), .notComputed(let words): return unexpected(words)
        case .loginRefused("temporary-auth-failure", let text), .loginRefused("aborted", let text):
            return loginFailed(text)
        case .loginRefused(let condition, let text):
            return notAuthorized(printable(text.isEmpty ? condition : "\(condition), \(text)"))
        case .bindRefused("conflict"), .streamError(.conflict, _):
            return TransportProblem(
                .conflict,
                "the push server ended the connection because another client uses the same sender_id; end the other "
                    + "one, or give this box a sender_id of its own", isRefusal: true)
        case .bindRefused(let condition): return loginFailed(condition)
        case .streamError(.notAuthorized, let text): return notAuthorized(printable(text))
        case .streamError(let condition, let text):
            return passing(
                .unwell,
                "the push server ended the connection (\(condition.rawValue))\(says(printable(text))); we connect again"
            )
        }
    }

    private static func says(_ text: String) -> String { text.isEmpty ? "" : " (it says: \(text))" }

    private static func passing(_ kind: TransportProblem.Kind, _ words: String) -> TransportProblem {
        TransportProblem(kind, words, isPassing: true)
    }
}
