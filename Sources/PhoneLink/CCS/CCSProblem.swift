package import AlarmModel

/// Why the service cannot take messages. Says what happened and what to do next; texts are printable and bounded.
package enum CCSProblem: Codable, Hashable, Sendable, CustomStringConvertible {
    case unresolved(ResolveFailure)
    case unreachable(ConnectionEnd, port: UInt16)
    /// The attempt to connect was never answered.
    case dialStalled
    case tls(TLSFailure)
    /// Connected, but no login within the deadline.
    case setupStalled
    /// The account was refused.
    case notAuthorized(String)
    /// The login failed for a reason that may pass.
    case loginFailed(String)
    case noPlain(String)
    /// Another client uses the account and the server ended our connection for it.
    case conflict
    case streamError(XMPPStreamCondition, String)
    /// The server ended the stream in good order.
    case endedByServer
    case lost(ConnectionEnd)
    /// No byte, not even an answer to a ping.
    case silent
    /// A message was not answered.
    case unanswered
    case malformed(XMLError)
    case unexpected(String)
    /// The server asked for a new connection, which is being made.
    case draining
    /// The configuration was changed.
    case reconfigured
    case stopped

    /// Only a person can change it, so the next attempt has time.
    package var isRefusal: Bool {
        switch self {
        case .notAuthorized, .conflict, .noPlain: true
        case .unresolved, .unreachable, .dialStalled, .tls, .setupStalled, .loginFailed, .streamError, .endedByServer,
            .lost, .silent, .unanswered, .malformed, .unexpected, .draining, .reconfigured, .stopped:
            false
        }
    }

    package var description: String {
        switch self {
        case .unresolved(let why):
            "the push server's name cannot be resolved (\(why)); check the host name and this network's name servers"
        case .unreachable(let end, let port):
            "the push server cannot be reached (\(end)); a firewall may block outgoing connections to port \(port): "
                + "allow them, or check the network"
        case .dialStalled: "the attempt to reach the push server brought no answer; we try again"
        case .tls(let failure): "no encrypted connection to the push server: \(failure)"
        case .setupStalled:
            "the push server was reached but did not finish the login in time; we try again. If this goes on, check "
                + "host and port"
        case .notAuthorized(let text):
            "the push server was reached but refused the account\(Self.quoted(text)): check that sender_id is the "
                + "project's number and api_key the Cloud Messaging server key, not the web or browser API key. Google "
                + "ended this service in 2024; with Google's own host use another way to the phones"
        case .loginFailed(let text):
            "the push server was reached but could not log us in\(Self.quoted(text)); we try again"
        case .noPlain(let offered):
            "the push server does not offer the login that this service uses (PLAIN); it offers: "
                + "\(offered.isEmpty ? "none" : offered). Check host and port"
        case .conflict:
            "the push server ended the connection because another client uses the same sender_id; end the other one, "
                + "or give this box a sender_id of its own"
        case .streamError(let condition, let text):
            "the push server ended the connection (\(condition.rawValue))\(Self.quoted(text)); we connect again"
        case .endedByServer: "the push server ended the connection in good order; we connect again"
        case .lost(let end): "the connection to the push server was lost (\(end)); we connect again"
        case .silent: "the push server stopped answering; we connect again"
        case .unanswered: "the push server did not answer a message in time; we connect again and send it again"
        case .malformed(let error):
            "the push server sent something that is not its protocol (\(error)); we connect again. If this goes on, "
                + "check host and port"
        case .unexpected(let what):
            "the push server sent something unexpected (\(what)); we connect again. If this goes on, check host and port"
        case .draining: "the push server asked for a new connection, which is being made"
        case .reconfigured: "the configuration was changed; we connect with the new one"
        case .stopped: "the push channel is stopped"
        }
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "" : " (it says: \(text))" }

    init(_ failure: ConnectFailure, port: UInt16) {
        switch failure {
        case .dial(.unresolved(let why)): self = .unresolved(why)
        case .dial(.unreachable(.tls(let failure))), .tls(let failure): self = .tls(failure)
        case .dial(.unreachable(let end)): self = .unreachable(end, port: port)
        }
    }

    init(_ failure: XMPPFailure, hiding secret: Secret) {
        func printable(_ text: String) -> String { PeerText.printable(text, hiding: secret) }
        switch failure {
        case .malformed(let error): self = .malformed(error)
        case .unexpected(let name): self = .unexpected(printable(name))
        case .noPlain(let offered): self = .noPlain(printable(offered.joined(separator: ", ")))
        case .noEncryption: self = .unexpected("no encryption")
        case .serverUnproved(let words), .notComputed(let words): self = .unexpected(words)
        case .loginRefused("temporary-auth-failure", let text): self = .loginFailed(printable(text))
        case .loginRefused("aborted", let text): self = .loginFailed(printable(text))
        case .loginRefused(let condition, let text):
            self = .notAuthorized(printable(text.isEmpty ? condition : "\(condition), \(text)"))
        case .bindRefused("conflict"): self = .conflict
        case .bindRefused(let condition): self = .loginFailed(printable(condition))
        case .streamError(.conflict, _): self = .conflict
        case .streamError(.notAuthorized, let text): self = .notAuthorized(printable(text))
        case .streamError(let condition, let text): self = .streamError(condition, printable(text))
        }
    }
}
