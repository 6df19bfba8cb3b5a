import AlarmModel

/// What can be wrong with the way to a mail server, besides what it says itself (`SMTPFailure`).
enum MailProblem {
    static func connect(_ failure: ConnectFailure) -> TransportProblem {
        switch failure {
        case .dial(.unreachable(.tls(let why))), .tls(let why):
            TransportProblem(.tls(why), "mail server: \(failure)", isRefusal: why.isLasting)
        case .dial: TransportProblem(failure.kind, "mail server: \(failure)")
        }
    }

    static func lost(_ end: ConnectionEnd) -> TransportProblem {
        switch end {
        case .tls(let why):
            TransportProblem(.tls(why), "mail server: no encrypted connection: \(why)", isRefusal: why.isLasting)
        case .refused, .reset, .timedOut, .unreachable, .finished, .local, .failed:
            TransportProblem(
                .lost(nil), "the connection to the mail server ended (\(end)); we try again", isPassing: true)
        }
    }

    static let dialStalled = TransportProblem(
        .noAnswer,
        "the mail server cannot be reached: no answer; check host and port, and whether a firewall blocks them")
    static let setupStalled = TransportProblem(
        .setupStalled,
        "the mail server did not finish its greeting in time; check host and port: 465 speaks TLS at once, 587 and 25 "
            + "later")
    static let unanswered = TransportProblem(.unanswered(), "the mail server did not answer in time; we try again")
}

extension TLSFailure {
    /// Time alone does not cure it. Validity is not among these: it may be our clock that is wrong.
    var isLasting: Bool {
        switch self {
        case .certificateExpired, .certificateNotYetValid, .clockDoubtful, .impostor, .stalled, .cutOff: false
        case .wrongHost, .selfSigned, .unknownAuthority, .tooWeak, .certificateRejected, .protocolError,
            .noAuthorities:
            true
        }
    }
}
