import AlarmModel
import Platform
import Simulators

/// What a simulated push service shows in TLS handshakes: certificates of an authority that it made itself.
struct PushCertificates {
    /// For a client's `ca_file`.
    let authorityPEM: String
    private let valid: TLSIdentity
    private let expired: TLSIdentity
    private let wrongHost: TLSIdentity
    private let selfSigned: TLSIdentity

    static let names = [
        "127.0.0.1", "localhost", "fcm-xmpp.googleapis.com", "gcm.googleapis.com", "gcm-xmpp.googleapis.com",
    ]

    /// - Parameter others: names or addresses that it is reached by besides those that it always has
    init(others: [String] = []) throws(CertificateError) {
        let names = Self.names + others
        let authority = try Authority(name: "HowAlarming push simulator")
        authorityPEM = authority.certificatePEM
        valid = try authority.issue(Authority.Request(names: names))
        expired = try authority.issue(
            Authority.Request(names: names, validFrom: .seconds(-7200), validUntil: .seconds(-3600)))
        wrongHost = try authority.issue(Authority.Request(names: ["elsewhere.example"]))
        selfSigned = try Authority.selfSigned(Authority.Request(names: names))
    }

    func identity(_ kind: PushSimulator.Certificate) -> TLSIdentity {
        switch kind {
        case .valid: valid
        case .expired: expired
        case .wrongHost: wrongHost
        case .selfSigned: selfSigned
        }
    }
}
