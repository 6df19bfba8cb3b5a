import AlarmModel

/// Why the account cannot take messages.
enum XMPPProblem: Codable, Hashable, Sendable, CustomStringConvertible {
    case connect(ConnectFailure)
    case dialStalled
    /// The domain's SRV records say that there is none.
    case noService
    case setupStalled
    /// The server does not encrypt.
    case noEncryption
    case noLogin(String)
    case notAuthorized(String)
    case loginFailed(String)
    /// The server could not prove that it knows the password.
    case serverUnproved(String)
    case notComputed(String)
    case conflict
    case elsewhere(String)
    case streamError(XMPPStreamCondition, String)
    case endedByServer
    case lost(ConnectionEnd)
    case silent
    case unanswered
    case malformed(XMLError)
    case unexpected(String)

    /// Only a person can change it.
    var isRefusal: Bool {
        switch self {
        case .noService, .noEncryption, .noLogin, .notAuthorized, .serverUnproved, .conflict, .elsewhere: true
        case .connect, .dialStalled, .setupStalled, .loginFailed, .notComputed, .streamError, .endedByServer, .lost,
            .silent, .unanswered, .malformed, .unexpected:
            false
        }
    }

    /// Told at once is what only a person can change and a server that does not prove who it is, the rest when it lasts.
    private var isPassing: Bool {
        switch self {
        case .connect(let failure): failure.mayPass
        case .lost(.tls(let failure)): failure.mayPass
        case .noService, .noEncryption, .noLogin, .notAuthorized, .serverUnproved, .conflict, .elsewhere, .dialStalled,
            .setupStalled, .loginFailed, .notComputed, .streamError, .endedByServer, .lost, .silent, .unanswered,
            .malformed, .unexpected:
            !isRefusal
        }
    }

    /// Whether the encrypted connection itself was the problem: tells more than that nobody listens elsewhere.
    var isOfEncryption: Bool {
        switch self {
        case .connect(.tls), .connect(.dial(.unreachable(.tls))), .lost(.tls): true
        case .connect, .noService, .dialStalled, .setupStalled, .noEncryption, .noLogin, .notAuthorized, .loginFailed,
            .serverUnproved, .notComputed, .conflict, .elsewhere, .streamError, .endedByServer, .lost, .silent,
            .unanswered, .malformed, .unexpected:
            false
        }
    }

    var transportProblem: TransportProblem {
        TransportProblem(description, isRefusal: isRefusal, isPassing: isPassing)
    }

    var description: String {
        switch self {
        case .connect(let failure): "the XMPP server: \(failure)"
        case .dialStalled: "the attempt to reach the XMPP server brought no answer; we try again"
        case .noService:
            "the domain of the account says that it has no XMPP service (by its SRV records); check the address, or set "
                + "host to the server's name"
        case .setupStalled:
            "the XMPP server was reached but did not finish the login in time; we try again. If this goes on, check "
                + "host and port"
        case .noEncryption:
            "the XMPP server does not encrypt the connection, so the password was not sent; check host and port, or use "
                + "a server that does"
        case .noLogin(let offered):
            "the XMPP server offers no login that this service has (SCRAM-SHA-256, SCRAM-SHA-1, PLAIN); it offers: "
                + "\(offered.isEmpty ? "none" : offered). Check host and port"
        case .notAuthorized(let text):
            "the XMPP server refused the account\(Self.quoted(text)): check the address and its password"
        case .loginFailed(let text): "the XMPP server could not log us in\(Self.quoted(text)); we try again"
        case .serverUnproved(let words):
            "the XMPP server that answered may not be the account's: \(words). Check host and certificates, and change "
                + "the password if somebody else may run it"
        case .notComputed(let words): "the login could not be computed (\(words)); we try again"
        case .conflict:
            "the XMPP server ended the connection because another client took its place; give this box an account of its "
                + "own"
        case .elsewhere(let place):
            "the XMPP server sends us elsewhere\(Self.quoted(place)), which is not followed; if that is right, set it as "
                + "host"
        case .streamError(let condition, let text):
            "the XMPP server ended the connection (\(condition.rawValue))\(Self.quoted(text)); we connect again"
        case .endedByServer: "the XMPP server ended the connection in good order; we connect again"
        case .lost(let end): "the connection to the XMPP server was lost (\(end)); we connect again"
        case .silent: "the XMPP server stopped answering; we connect again"
        case .unanswered: "the XMPP server did not take a message in time; we connect again and send it again"
        case .malformed(let error):
            "the XMPP server sent something that is not its protocol (\(error)); we connect again. If this goes on, "
                + "check host and port"
        case .unexpected(let what):
            "the XMPP server sent something unexpected (\(what)); we connect again. If this goes on, check host and port"
        }
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "" : " (it says: \(text))" }

    init(_ failure: XMPPFailure, hiding secret: Secret) {
        func printable(_ text: String) -> String { PeerText.printable(text, hiding: secret) }
        switch failure {
        case .malformed(let error): self = .malformed(error)
        case .unexpected(let name): self = .unexpected(printable(name))
        case .noPlain(let offered): self = .noLogin(printable(offered.joined(separator: ", ")))
        case .noEncryption: self = .noEncryption
        case .serverUnproved(let words): self = .serverUnproved(words)
        case .notComputed(let words): self = .notComputed(printable(words))
        case .loginRefused("temporary-auth-failure", let text), .loginRefused("aborted", let text):
            self = .loginFailed(printable(text))
        case .loginRefused(let condition, let text):
            self = .notAuthorized(printable(text.isEmpty ? condition : "\(condition), \(text)"))
        case .bindRefused("conflict"): self = .conflict
        case .bindRefused(let condition): self = .loginFailed(printable(condition))
        case .streamError(.conflict, _): self = .conflict
        case .streamError(.seeOtherHost, let text): self = .elsewhere(printable(text))
        case .streamError(.notAuthorized, let text): self = .notAuthorized(printable(text))
        case .streamError(let condition, let text): self = .streamError(condition, printable(text))
        }
    }
}
