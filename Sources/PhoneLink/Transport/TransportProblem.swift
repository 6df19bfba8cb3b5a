package import AlarmModel

/// What is wrong with a channel: of which kind it is, and in words what happened and what to do next. The words are
/// printable, bounded and without secrets, and may hold what a peer said: they are shown and never compared.
package struct TransportProblem: Codable, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Codable, Equatable, Sendable {
        // No connection.
        case unresolved, unreachable
        /// The attempt to connect was not answered.
        case noAnswer
        case tls(TLSFailure)
        // A connection that ended, or is of no use.
        case setupStalled
        /// Without a word.
        case hungUp
        /// By what is wrong with its encryption; nil: otherwise.
        case lost(TLSFailure?)
        /// The peer ended it in good order, with a code where its protocol has codes.
        case ended(Int?)
        case silent
        /// HTTP's status, where the answer had begun.
        case unanswered(Int? = nil)
        case draining
        // What answers there is not what was looked for.
        case notTheProtocol, unexpected
        case notHTTP(HTTPError)
        // The login.
        case noEncryption, injected, noLogin, wantsLogin, loginRefused, loginFailed, serverUnproved,
            notComputed
        case conflict, elsewhere, noService, badSignature, clock
        // What the service says.
        case answered(Int)
        case forbidden, mayNotRemove, notFound, senderRefused, otherProject, quota, noRoom, tooMuch,
            busy, unwell
        case serviceFault
        // What this box would have to do otherwise.
        case misconfigured, notARequest, queueFull, stopped
    }
    package var kind: Kind
    /// Which of the channel's places has it, where it has several.
    package var place: String?
    package var description: String
    /// Only a person can change it (an account, a certificate, a quota): the next attempt has time.
    package var isRefusal: Bool
    /// It lies in the nature of the service and passes within seconds: nobody is told unless it lasts.
    package var isPassing: Bool
    /// It keeps from us what people send; what is sent to them goes out all the same.
    package var isInward = false

    package init(
        _ kind: Kind, of place: String? = nil, _ description: String, isRefusal: Bool = false,
        isPassing: Bool = false
    ) {
        self.kind = kind
        self.place = place
        self.description = description
        self.isRefusal = isRefusal
        self.isPassing = isPassing
    }

    /// Whether whoever was told of the other one need not be told of this one.
    package func isSame(as other: TransportProblem) -> Bool {
        kind == other.kind && place == other.place
    }

    /// The same of what comes in alone: what may pass is told only when it lasts, for alarms go out meanwhile.
    package var inward: TransportProblem {
        var problem = self
        problem.isInward = true
        problem.isPassing = !isRefusal
        return problem
    }
}

/// What was told last about what is wrong with a channel.
package struct ToldProblem: Codable, Equatable, Sendable {
    private(set) var current: TransportProblem?

    /// A problem that changed is told, and logged unless the owner does it.
    mutating func tell(
        _ problem: TransportProblem?, isLogged: Bool = true, into actions: inout [TransportAction]
    ) {
        guard problem != current else { return }
        current = problem
        actions.append(.problem(problem))
        if isLogged, let problem { actions.append(.log(LogEntry(.warning, problem.description))) }
    }
}

extension ConnectFailure {
    var kind: TransportProblem.Kind {
        switch self {
        case .tls(let failure), .dial(.unreachable(.tls(let failure))): .tls(failure)
        case .dial(.unresolved): .unresolved
        case .dial(.unreachable): .unreachable
        }
    }
}

extension HTTPFailure {
    var kind: TransportProblem.Kind {
        switch cause {
        case .connect(let failure): failure.kind
        case .connectStalled: .noAnswer
        case .unanswered: .unanswered(status)
        case .closed: .ended(status)
        case .malformed(let error): .notHTTP(error)
        case .notARequest: .notARequest
        case .noRoom: .queueFull
        case .stopped: .stopped
        }
    }
}
