package import AlarmModel
package import PhoneProtocol

/// Names an attempt to connect among those of one transport: 0 and up, fixed by the transport (a connection to publish,
/// one to listen …). One attempt for each slot at a time.
package struct DialSlot: Codable, Hashable, Sendable {
    package var number: Int
    package init(_ number: Int) { self.number = number }
}

/// Where to connect, and what makes the connection safe.
package struct DialTarget: Codable, Equatable, Sendable {
    package enum Security: Codable, Equatable, Sendable {
        /// TLS at once; the peer proves that it is `host` by an authority of the file, or of the system.
        case tls(authorityFile: String?)
        /// None: for local services, and before an `upgrade`.
        case plain

        private enum CodingKeys: String, CodingKey {
            case tls = "tls", plain = "plain"
        }
    }
    /// A name or an IP address; for `isLocalSocket` a path.
    package var host: String
    package var port: UInt16
    package var security: Security
    /// A socket in the file system.
    package var isLocalSocket = false
    /// The name that the certificate must have, where it is not `host`: the domain of an SRV record.
    package var certifiedName: String?
    package init(host: String, port: UInt16, security: Security) {
        self.host = host
        self.port = port
        self.security = security
    }
}

/// Why no connection came about.
package enum ConnectFailure: Codable, Equatable, Sendable, CustomStringConvertible {
    case dial(DialFailure)
    case tls(TLSFailure)

    package var description: String {
        switch self {
        case .dial(.unresolved(let why)):
            "its name cannot be resolved (\(why)); check the host name and this network's name servers"
        case .dial(.unreachable(.tls(let failure))), .tls(let failure): "no encrypted connection: \(failure)"
        case .dial(.unreachable(let end)):
            "it cannot be reached (\(end)); check host and port, and whether a firewall blocks them"
        }
    }
}

/// What a transport orders and tells.
package enum TransportAction: Codable, Equatable, Sendable {
    /// Answered by `connected` or `connectFailed`.
    case connect(DialSlot, DialTarget)
    /// The answer to `connect` is not wanted any more.
    case cancelConnect(DialSlot)
    /// Make a plain connection an encrypted one (STARTTLS); answered by `secured` or `closed`.
    case upgrade(ConnectionID, serverName: String, authorityFile: String?)
    case send(ConnectionID, [UInt8])
    /// We are done with it; nothing more is heard of it. What was sent before is still to go out.
    case close(ConnectionID)
    case compute(TransportJobID, TransportJob)
    /// Ask the name servers for the SRV records of a service; answered by `located`.
    case locate(TransportJobID, service: String)
    /// It can take messages. Said again only after `notReady`.
    case ready
    case notReady
    /// The service has the message.
    case accepted(MessageID, canonical: String?)
    /// The device, or the person, has it.
    case received(MessageID)
    /// On a channel that `mayBounce`, after `accepted`, too.
    case refused(MessageID, Refusal)
    /// Not known to be taken, and not under way any more: to be delivered again with the same ids, in this order.
    case returned([MessageID])
    case inbound(InboundMessage)
    /// It changed; nil when all is well.
    case problem(TransportProblem?)
    case log(LogEntry)
    /// The clock of a server that has proved who it is (`Date`, RFC 9110 6.6.1): when it made an answer that has just
    /// come.
    case serverTime(WallTime, server: String)
    /// What is said of who is at home; only when it changes, and not known once nobody says it any more.
    case presence(Presence)
}

/// Why a message was not taken, and what is to become of it.
package struct Refusal: Codable, Equatable, Sendable {
    package var reaction: PushReaction
    /// In words, printable and bounded.
    package var why: String
    /// What the service itself asked for, if it did (`Retry-After`).
    package var after: Duration?
    /// Nothing is taken at this address before a person has acted: it is told, until a message is taken there.
    package var needsPerson: Bool
    /// What is wrong with the service, where it is at fault.
    package var kind: TransportProblem.Kind
    package init(
        _ reaction: PushReaction, why: String, after: Duration? = nil, needsPerson: Bool = false,
        kind: TransportProblem.Kind = .serviceFault
    ) {
        self.reaction = reaction
        self.why = why
        self.after = after
        self.needsPerson = needsPerson
        self.kind = kind
    }
}
