/// Why a stream cannot go on. Texts are the peer's own words: unbounded, for `PeerText` to print.
package enum XMPPFailure: Codable, Equatable, Sendable {
    /// What came is not XMPP.
    case malformed(XMLError)
    /// XMPP, but nothing that may come at this point; the name of what came.
    case unexpected(String)
    /// The server does not offer PLAIN; what it offers.
    case noPlain([String])
    /// The server refuses to encrypt the connection, or does not offer it.
    case noEncryption
    /// The login went wrong on the server's side: it cannot be the one that knows the password. In our words.
    case serverUnproved(String)
    /// Our own part of the login could not be computed.
    case notComputed(String)
    /// SASL failure: condition (RFC 6120 6.5) and text.
    case loginRefused(condition: String, text: String)
    /// The server refused a resource or a session; the condition.
    case bindRefused(condition: String)
    case streamError(XMPPStreamCondition, text: String)
    /// The server leaves more unacknowledged than is kept for it.
    case unacknowledged
    /// The server offered SCRAM before and wants the password itself now.
    case weakened
}

/// RFC 6120 4.9.3.
package enum XMPPStreamCondition: String, Codable, Equatable, Sendable, CaseIterable {
    case badFormat = "bad-format"
    case badNamespacePrefix = "bad-namespace-prefix"
    case conflict
    case connectionTimeout = "connection-timeout"
    case hostGone = "host-gone"
    case hostUnknown = "host-unknown"
    case improperAddressing = "improper-addressing"
    case internalServerError = "internal-server-error"
    case invalidFrom = "invalid-from"
    case invalidID = "invalid-id"
    case invalidNamespace = "invalid-namespace"
    case invalidXML = "invalid-xml"
    case notAuthorized = "not-authorized"
    case notWellFormed = "not-well-formed"
    case policyViolation = "policy-violation"
    case remoteConnectionFailed = "remote-connection-failed"
    case reset
    case resourceConstraint = "resource-constraint"
    case restrictedXML = "restricted-xml"
    case seeOtherHost = "see-other-host"
    case systemShutdown = "system-shutdown"
    case undefinedCondition = "undefined-condition"
    case unsupportedEncoding = "unsupported-encoding"
    case unsupportedFeature = "unsupported-feature"
    case unsupportedStanzaType = "unsupported-stanza-type"
    case unsupportedVersion = "unsupported-version"
}
