/// Why no encrypted connection came about, or why it ended. None of these is passed over (docs/ARCHITECTURE.md 4).
package enum TLSFailure: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    case certificateExpired
    case certificateNotYetValid
    /// By our clock the certificate is not valid yet or not any more, but our clock is not trusted. It is not accepted
    /// either: the clock, not the check, has to change.
    case clockDoubtful(WallTime)
    /// The certificate is for another host than the one that was dialed.
    case wrongHost
    case selfSigned
    /// The chain does not end at an authority that is trusted here; also a missing intermediate.
    case unknownAuthority
    /// The certificate proves nothing to this box, and under this name a server has proved who it is before.
    case impostor
    /// Key, digest or protocol version below what is accepted.
    case tooWeak(String)
    /// Any other objection to the certificate, for instance that it is not for servers.
    case certificateRejected(String)
    /// The handshake did not end in time.
    case stalled
    /// The connection ended in the middle of the handshake.
    case cutOff
    /// The peer sent an alert, or something that is no TLS.
    case protocolError(String)
    /// The file with the trusted authorities cannot be used.
    case noAuthorities(String)

    package var description: String {
        switch self {
        case .certificateExpired:
            "the server's certificate has expired; check this box's clock, then ask who runs the server"
        case .certificateNotYetValid:
            "the server's certificate is not valid yet; this box's clock is probably wrong"
        case .clockDoubtful(let time):
            "by this box's clock (\(CivilTime(secondsSince1970: time.seconds, offset: 0).text) UTC) the server's "
                + "certificate is not valid, and that clock may be wrong; let the box reach a time server (NTP), then "
                + "this passes by itself"
        case .wrongHost: "the server's certificate is for another host; check the host name in the configuration"
        case .selfSigned: "the server's certificate is self-signed; name its authority with ca_file"
        case .unknownAuthority:
            "the server's certificate is from an authority that is not trusted here; name it with ca_file"
        case .impostor:
            "the server cannot prove any more who it is: it has a new certificate that this box does not trust, or a "
                + "name server gives a wrong address. Look at the server, then at the router"
        case .tooWeak(let what): "the server's encryption is too weak (\(what)); it has to be renewed there"
        case .certificateRejected(let what):
            "the server's certificate is not acceptable (\(what)); it has to be renewed there"
        case .stalled: "the server did not finish the TLS handshake in time"
        case .cutOff: "the connection ended during the TLS handshake"
        case .protocolError(let what): "TLS failed (\(what)); is this the right port?"
        case .noAuthorities(let what): "the trusted authorities cannot be read (\(what)); check ca_file"
        }
    }
}
