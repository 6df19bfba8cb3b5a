/// The namespaces of RFC 6120 and of the extensions used here.
package enum XMPPNamespace {
    package static let client = "jabber:client"
    package static let streams = "http://etherx.jabber.org/streams"
    package static let streamErrors = "urn:ietf:params:xml:ns:xmpp-streams"
    package static let stanzaErrors = "urn:ietf:params:xml:ns:xmpp-stanzas"
    package static let sasl = "urn:ietf:params:xml:ns:xmpp-sasl"
    package static let bind = "urn:ietf:params:xml:ns:xmpp-bind"
    package static let session = "urn:ietf:params:xml:ns:xmpp-session"
    static let tls = "urn:ietf:params:xml:ns:xmpp-tls"
    /// XEP-0440
    static let channelBinding = "urn:xmpp:sasl-cb:0"
    /// RFC 6121 2
    package static let roster = "jabber:iq:roster"
    /// XEP-0198
    static let management = "urn:xmpp:sm:3"
    /// XEP-0184
    static let receipts = "urn:xmpp:receipts"
    /// XEP-0203
    static let delay = "urn:xmpp:delay"
    /// XEP-0280
    static let carbons = "urn:xmpp:carbons:2"
    /// XEP-0334
    static let hints = "urn:xmpp:hints"
    /// XEP-0359
    static let stanzaIDs = "urn:xmpp:sid:0"
    /// XEP-0199
    package static let ping = "urn:xmpp:ping"
}
