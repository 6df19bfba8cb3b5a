/// The namespaces of RFC 6120 and of the extensions used here.
package enum XMPPNamespace {
    package static let client = "jabber:client"
    package static let streams = "http://etherx.jabber.org/streams"
    package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    package static let session = "urn:ietf:params:xml:ns:xmpp-session"
    /// XEP-0199
    package static let ping = "urn:xmpp:ping"
}
