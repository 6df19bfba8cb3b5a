import AlarmModel

/// Why the account cannot take messages. Told at once is what only a person can change and a server that does not prove
/// who it is, the rest when it lasts.
enum XMPPProblem {
    static func connect(_ failure: ConnectFailure) -> TransportProblem {
        TransportProblem(failure.kind, "the XMPP server: \(failure)", isPassing: failure.mayPass)
    }
    static let dialStalled = passing(.noAnswer, "the attempt to reach the XMPP server brought no answer; we try again")
    static let noService = TransportProblem(
        .noService,
        "the domain of the account says that it has no XMPP service (by its SRV records); check the address, or set "
            + "host to the server's name", isRefusal: true)
    static let setupStalled = passing(
        .setupStalled,
        "the XMPP server was reached but did not finish the login in time; we try again. If this goes on, check host "
            + "and port")
    static let endedByServer = passing(
        .ended(nil), "the XMPP server ended the connection in good order; we connect again")
    static func lost(_ end: ConnectionEnd) -> TransportProblem {
        var problem = passing(.lost(nil), "the connection to the XMPP server was lost (\(end)); we connect again")
        if case .tls(let failure) = end { problem.isPassing = failure.mayPass }
        return problem
    }
    static let silent = passing(.silent, "the XMPP server stopped answering; we connect again")
    static let unanswered = passing(
        .unanswered(),
        "the XMPP server did not take a message in time; we connect again and send it again")
    static let uncounted = passing(
        .unanswered(), "the XMPP server does not say what it has taken; we connect again and send it again")

    static func of(_ failure: XMPPFailure, hiding secret: Secret) -> TransportProblem {
        func printable(_ text: String) -> String { PeerText.printable(text, hiding: secret) }
        func says(_ text: String) -> String {
            let shown = printable(text)
            return shown.isEmpty ? "" : " (it says: \(shown))"
        }
        func refusal(_ kind: TransportProblem.Kind, _ words: String) -> TransportProblem {
            TransportProblem(kind, words, isRefusal: true)
        }
        func notAuthorized(_ text: String) -> TransportProblem {
            refusal(
                .loginRefused,
                "the XMPP server refused the account\(says(text)): check the address and its password")
        }
        func loginFailed(_ text: String) -> TransportProblem {
            passing(.loginFailed, "the XMPP server could not log us in\(says(text)); we try again")
        }
        let conflict = refusal(
            .conflict,
            "the XMPP server ended the connection because another client took its place; give this box an account of "
                + "its own")
        switch failure {
        case .malformed(let error):
            return passing(
                .notTheProtocol,
                "the XMPP server sent something that is not its protocol (\(error)); we connect again. If this goes "
                    + "on, check host and port")
        case .unexpected(let name):
            return passing(
                .unexpected,
                "the XMPP server sent something unexpected (\(printable(name))); we connect again. If this goes on, "
                    + "check host and port")
        case .noPlain(let offered):
            let list = printable(offered.joined(separator: ", "))
            return refusal(
                .noLogin,
                "the XMPP server offers no login that this service has (SCRAM-SHA-256, SCRAM-SHA-1, PLAIN); it offers: "
                    + "\(list.isEmpty ? "none" : list). Check host and port")
        case .noEncryption:
            return refusal(
                .noEncryption,
                "the XMPP server does not encrypt the connection, so the password was not sent; check host and port, "
                    + "or use a server that does")
        case .weakened:
            return refusal(
                .serverUnproved,
                "the XMPP server offered a login by which it proves itself (SCRAM) before, and wants the password itself "
                    + "(PLAIN) now; it was not sent. If the server was changed on purpose, restart howalarming")
        case .unacknowledged: return uncounted
        case .serverUnproved(let words):
            return refusal(
                .serverUnproved,
                "the XMPP server that answered may not be the account's: \(words). Check host and certificates, and "
                    + "change the password if somebody else may run it")
        case .notComputed(let words):
            return passing(.notComputed, "the login could not be computed (\(printable(words))); we try again")
        case .loginRefused("temporary-auth-failure", let text), .loginRefused("aborted", let text):
            return loginFailed(text)
        case .loginRefused(let condition, let text):
            return notAuthorized(text.isEmpty ? condition : "\(condition), \(text)")
        case .bindRefused("conflict"), .streamError(.conflict, _): return conflict
        case .bindRefused(let condition): return loginFailed(condition)
        case .streamError(.seeOtherHost, let text):
            return refusal(
                .elsewhere,
                "the XMPP server sends us elsewhere\(says(text)), which is not followed; if that is right, set it as "
                    + "host")
        case .streamError(.notAuthorized, let text): return notAuthorized(text)
        case .streamError(let condition, let text):
            return passing(
                .unwell,
                "the XMPP server ended the connection (\(condition.rawValue))\(says(text)); we connect again"
            )
        }
    }

    private static func passing(_ kind: TransportProblem.Kind, _ words: String) -> TransportProblem {
        TransportProblem(kind, words, isPassing: true)
    }
}
