/// What an XMPP stream orders and tells.
package enum XMPPAction: Codable, Hashable, Sendable {
    case send([UInt8])
    /// The server accepted the login.
    case authenticated
    /// Stanzas can be sent; the address that the server gave, if it told one.
    case ready(jid: String?)
    /// Anything that the stream does not answer itself, once the login is accepted.
    case stanza(XMLElement)
    /// Nothing follows; the connection is to be closed.
    case failed(XMPPFailure)
    /// The server ended the stream and was answered; nothing follows, the connection is to be closed.
    case ended
}
