package import AlarmModel

/// An account on any XMPP server, and how patient to be with it.
package struct XMPPSettings: Codable, Equatable, Sendable {
    package var account: XMPPAddress
    package var password: Secret
    /// Instead of what the account's domain says by SRV records. Without such: the domain itself.
    package var host: String?
    /// Instead of 5223 for TLS at once and 5222 for STARTTLS. The domain is not asked then.
    package var port: UInt16?
    /// TLS from the first byte, or STARTTLS; nil: with a port other than 5223 and 443 STARTTLS, without a port TLS
    /// first, then STARTTLS.
    package var isDirectTLS: Bool?
    /// Authorities to trust instead of the system's.
    package var caFile: String?
    /// The name in the server's certificate; nil: the account's domain, as RFC 6120 13.7.2 wants it.
    package var certifiedName: String?
    /// Bind the login to the encrypted channel where the server offers that.
    package var usesChannelBinding = true
    /// The status that contacts see tells whether the house is armed: the server learns it, too.
    package var showsArming = false

    /// Without a byte from the server for so long, it is asked for a sign of life …
    package var idleBeforePing = Duration.seconds(60)
    /// … and given up after so long.
    package var pingPatience = Duration.seconds(15)
    /// For the name servers to say where the domain's server is.
    package var lookupPatience = Duration.seconds(10)
    /// For an attempt to connect to be answered at all; the dialer has shorter limits of its own.
    package var dialPatience = Duration.seconds(90)
    /// From the connection until messages can be sent.
    package var setupDeadline = Duration.seconds(15)
    /// For the server to take a message.
    package var ackPatience = Duration.seconds(20)
    package var pace = ReconnectPace()
    /// A connection that could take messages for so long makes the back-off start anew.
    package var steadyAfter = Duration.seconds(60)
    /// Messages that the server has not taken yet.
    package var window = 50
    /// Of these, kept for alarms.
    package var reservedForAlarms = 5

    package init(account: XMPPAddress, password: Secret) {
        self.account = account
        self.password = password
    }

    /// A place to connect to.
    struct Route: Codable, Equatable, Sendable {
        var target: DialTarget
        var isDirect: Bool
    }

    /// The domain is asked where its server is (RFC 6120 3.2); with a host or a port of the configuration it is not.
    var usesServiceRecords: Bool { host == nil && port == nil }

    /// As XEP-0368 and RFC 6120 call them.
    func serviceName(isDirect: Bool) -> String { "_xmpp\(isDirect ? "s" : "")-client._tcp.\(account.domain)" }

    func route(to record: ServiceRecord, isDirect: Bool) -> Route {
        var target = DialTarget(
            host: record.target, port: record.port, security: isDirect ? .tls(authorityFile: caFile) : .plain)
        if isDirect, target.host != serverName { target.certifiedName = serverName }
        return Route(target: target, isDirect: isDirect)
    }

    /// Without SRV records, in the order in which they are tried; never empty.
    var routes: [Route] {
        let direct = isDirectTLS ?? port.map { $0 == 5223 || $0 == 443 }
        switch direct {
        case .some(let isDirect): return [route(isDirect)]
        case .none: return [route(true), route(false)]
        }
    }

    var serverName: String { certifiedName ?? account.domain }

    private func route(_ isDirect: Bool) -> Route {
        var target = DialTarget(
            host: host ?? account.domain, port: port ?? (isDirect ? 5223 : 5222),
            security: isDirect ? .tls(authorityFile: caFile) : .plain)
        if isDirect, target.host != serverName { target.certifiedName = serverName }
        return Route(target: target, isDirect: isDirect)
    }

    var streamAccount: XMPPStream.Account {
        XMPPStream.Account(user: account.local, domain: account.domain, password: password)
    }

    func streamOptions(isEncrypted: Bool) -> XMPPStream.Options {
        var options = XMPPStream.Options()
        options.login = .strongest
        options.isEncrypted = isEncrypted
        options.usesChannelBinding = usesChannelBinding
        options.managesStream = true
        // Anybody may write to an account, and servers let more through than FCM's does.
        options.limits.stanzaBytes = 300_000
        options.limits.attributes = 256
        options.limits.passesOver = true
        return options
    }
}
