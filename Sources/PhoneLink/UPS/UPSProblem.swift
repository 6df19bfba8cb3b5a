import AlarmModel

/// What can be wrong with the server of a UPS.
enum UPSProblem {
    static func connect(_ failure: ConnectFailure) -> TransportProblem {
        TransportProblem(failure.kind, "\(failure)")
    }
    static func lost(_ end: ConnectionEnd) -> TransportProblem {
        TransportProblem(.lost(nil), "the connection to it ended (\(end)); we try again", isPassing: true)
    }
    static func malformed(_ what: NUTReader.Failure) -> TransportProblem {
        TransportProblem(
            .notTheProtocol, "what answers there is not upsd (\(what)); check host and port", isRefusal: true)
    }
    static func refused(_ refusal: NUTRefusal) -> TransportProblem {
        switch refusal {
        case .accessDenied:
            TransportProblem(
                .forbidden, "it does not let this box ask; allow it there, or set user and password in 'ups'",
                isRefusal: true)
        case .unknownUPS:
            TransportProblem(
                .misconfigured, "it has no UPS of this name; 'upsc -l' there shows its names, put one into 'ups'",
                isRefusal: true)
        case .notSupported: TransportProblem(.serviceFault, "its driver does not say what feeds the UPS")
        case .stale:
            TransportProblem(.serviceFault, "it has lost sight of the UPS; look at the cable between the two")
        case .driverGone:
            TransportProblem(.serviceFault, "its driver of the UPS does not run; look at the server")
        case .other: TransportProblem(.serviceFault, "it refuses to say how the UPS is; look at its log")
        }
    }
    static let unclear = TransportProblem(
        .unexpected, "the UPS says neither that it has mains nor that it runs on its battery; look at it")
    static let loginRefused = TransportProblem(
        .loginRefused, "it refuses the login; check user and password in 'ups' against its upsd.users", isRefusal: true)
    static let unasked = TransportProblem(.unexpected, "it gave an answer that does not fit; we try again")
    static let dialStalled = TransportProblem(
        .noAnswer, "it cannot be reached: no answer; check host and port, and whether a firewall blocks them")
    static let unanswered = TransportProblem(.unanswered(), "it did not answer in time; we try again")
}
