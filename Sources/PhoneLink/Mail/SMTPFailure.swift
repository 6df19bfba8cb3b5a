/// Why a session with a mail server cannot go on.
package enum SMTPFailure: Codable, Equatable, Sendable {
    /// What answers speaks something else.
    case malformed(SMTPReplyReader.Failure)
    /// 554 or the like instead of a greeting, or EHLO refused.
    case refusesUs(String)
    /// 421, or another word that it cannot serve now.
    case closing(String)
    case noEncryption
    /// Bytes that somebody slipped in before the encryption began.
    case injected
    case noLogin
    /// It wants a login that is not configured.
    case wantsLogin(String)
    case wrongPassword(String)
    case loginFailed(String)
    case senderRefused(String)
    /// A reply that fits nothing: what was asked, what came.
    case unexpected(asked: String, String)

    /// In words that say what to do next; nothing secret is in what the server says (see `SMTPSession`).
    package var problem: TransportProblem {
        switch self {
        case .malformed(let what):
            TransportProblem(
                .notTheProtocol,
                "what answers there is no mail server (\(what)); check host and port: 465 speaks TLS at once, 587 and 25 later",
                isRefusal: true)
        case .refusesUs(let text):
            TransportProblem(
                .forbidden,
                "the mail server does not serve this network (\(text)); use the server of your provider, with user and "
                    + "password", isRefusal: true)
        case .closing(let text):
            TransportProblem(.busy, "the mail server cannot serve us now (\(text)); we try again", isPassing: true)
        case .noEncryption:
            TransportProblem(
                .noEncryption,
                "the mail server offers no encryption (STARTTLS); try port 465 with 'tls', or ask your provider",
                isRefusal: true)
        case .injected:
            TransportProblem(
                .injected,
                "the mail server, or somebody between us, sent bytes before the encryption began; nothing was sent. Use "
                    + "port 465 with 'tls'", isRefusal: true)
        case .noLogin:
            TransportProblem(
                .noLogin,
                "the mail server offers no login that we know (PLAIN, LOGIN); check host and port, or whether it wants "
                    + "an app password", isRefusal: true)
        case .wantsLogin(let text):
            TransportProblem(
                .wantsLogin, "the mail server wants a login (\(text)); configure user and password", isRefusal: true)
        case .wrongPassword(let text):
            TransportProblem(
                .loginRefused,
                "the mail server does not accept user and password (\(text)); check both. Many providers want a password "
                    + "made for programs", isRefusal: true)
        case .loginFailed(let text):
            TransportProblem(.loginFailed, "the mail server could not check the login (\(text)); we try again")
        case .senderRefused(let text):
            TransportProblem(
                .senderRefused,
                "the mail server does not let this account send as the configured 'from' (\(text)); use the account's "
                    + "own address", isRefusal: true)
        case .unexpected(let asked, let text):
            TransportProblem(.unexpected, "the mail server answered \(asked) with '\(text)'; we try again")
        }
    }
}

/// What a session with a mail server orders and tells.
package enum SMTPAction: Codable, Equatable, Sendable {
    case send([UInt8])
    /// Encrypt; answered by `secured`.
    case upgrade
    /// A message can be sent.
    case ready
    case delivered
    case refused(Refusal)
    /// It is over; the connection is to be closed.
    case failed(SMTPFailure)
}
