import AlarmModel

extension TLSFailure {
    /// Time alone may cure it: told only when it lasts.
    var mayPass: Bool {
        switch self {
        case .stalled, .cutOff, .clockDoubtful, .impostor: true
        case .certificateExpired, .certificateNotYetValid, .wrongHost, .selfSigned, .unknownAuthority, .tooWeak,
            .certificateRejected, .protocolError, .noAuthorities:
            false
        }
    }
}

extension ConnectFailure {
    var mayPass: Bool {
        switch self {
        case .tls(let failure), .dial(.unreachable(.tls(let failure))): failure.mayPass
        case .dial: true
        }
    }
}

extension HTTPFailure {
    var mayPass: Bool {
        switch cause {
        case .connect(let failure): failure.mayPass
        case .notARequest: false
        case .connectStalled, .unanswered, .closed, .malformed, .noRoom, .stopped: true
        }
    }
}
