/// A server of the web: who is connected to, and how that is made safe.
package struct HTTPOrigin: Codable, Equatable, Sendable, CustomStringConvertible {
    /// A name or an IP address, without brackets.
    package var host: String
    package var port: UInt16
    package var security: DialTarget.Security

    package init(host: String, port: UInt16, security: DialTarget.Security) {
        self.host = host
        self.port = port
        self.security = security
    }

    package var isEncrypted: Bool {
        switch security {
        case .tls: true
        case .plain: false
        }
    }

    package var dialTarget: DialTarget { DialTarget(host: host, port: port, security: security) }

    /// The value of `Host` (RFC 9110 7.2): without the port where it is the scheme's own.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isEncrypted ? 443 : 80) ? name : "\(name):\(port)"
    }

    package var description: String { "\(isEncrypted ? "https" : "http")://\(authority)" }

    /// Same scheme, host and port: what may be told to one may be told to the other.
    package func isSame(as other: HTTPOrigin) -> Bool {
        host.lowercased() == other.host.lowercased() && port == other.port && isEncrypted == other.isEncrypted
    }
}
