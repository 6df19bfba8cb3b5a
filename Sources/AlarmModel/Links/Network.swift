/// An IP address as bytes: 4 for IPv4, 16 for IPv6.
package struct IPAddress: Codable, Equatable, Sendable, CustomStringConvertible {
    package var bytes: [UInt8]

    /// nil unless there are 4 or 16 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package var isIPv6: Bool { bytes.count == 16 }
}

package struct Endpoint: Codable, Equatable, Sendable, CustomStringConvertible {
    package var address: IPAddress
    package var port: UInt16

    package init(address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }
    package var description: String { address.isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)" }
}

/// Why a connection ended or never came about.
package enum ConnectionEnd: Codable, Equatable, Sendable, CustomStringConvertible {
    /// RST in answer to connect, or nothing listens.
    case refused
    /// RST on a connection that stood.
    case reset
    /// No answer within the operating system's or our own deadline.
    case timedOut
    case unreachable
    /// The peer sent FIN.
    case finished
    /// We closed it.
    case local
    /// The peer did not prove who it is, or the encryption failed.
    case tls(TLSFailure)
    /// Any other failure, with the operating system's error number.
    case failed(errno: Int32)

    package var description: String {
        switch self {
        case .refused: "connection refused"
        case .reset: "connection reset by the peer"
        case .timedOut: "timed out"
        case .unreachable: "network unreachable"
        case .finished: "closed by the peer"
        case .local: "closed by us"
        case .tls(let failure): failure.description
        case .failed(let errno): "failed with error \(errno)"
        }
    }
}

package enum ResolveFailure: String, Error, Codable, Hashable, Sendable, CustomStringConvertible {
    case notFound, timedOut, serverFailed, noServers
    package var description: String {
        switch self {
        case .notFound: "the name does not exist"
        case .timedOut: "the name servers did not answer"
        case .serverFailed: "the name servers answered with a failure"
        case .noServers: "no name server is configured"
        }
    }
}

/// Why dialing a name or an address brought no connection.
package enum DialFailure: Codable, Equatable, Sendable, CustomStringConvertible {
    /// No address to try: the name servers gave none and none was remembered.
    case unresolved(ResolveFailure)
    /// Addresses were tried; this is how the last of them ended.
    case unreachable(ConnectionEnd)

    package var description: String {
        switch self {
        case .unresolved(let failure): failure.description
        case .unreachable(let end): end.description
        }
    }
}

/// A name that is being resolved.
package struct ResolveID: Codable, Equatable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
}

/// Answer to a resolve.
package enum Resolution: Codable, Equatable, Sendable {
    case addresses([IPAddress])
    case failed(ResolveFailure)
}

extension Endpoint {
    /// `192.0.2.1`, `192.0.2.1:443`, `2001:db8::1` or `[2001:db8::1]:443`; nil for anything else.
    package init?(text: String, usualPort: UInt16) {
        if let address = IPAddress(text) {
            self.init(address: address, port: usualPort)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard let address = IPAddress(String(host)) else { return nil }
        self.init(address: address, port: port)
    }
}
