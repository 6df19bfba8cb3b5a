/// What an XMPP stream orders and tells.
package enum XMPPAction: Codable, Equatable, Sendable {
    case send([UInt8])
    /// Encrypt the connection, then say `secured`. What came on it before is not to be read.
    case startTLS
    /// Answered by `computed`.
    case compute(XMPPJob)
    /// The server accepted the login.
    case authenticated
    /// Stanzas can be sent; the address that the server gave, if it told one.
    case ready(jid: String?)
    /// In place of `ready`: the session of before goes on.
    case resumed
    /// The server has the messages with these ids (XEP-0198).
    case delivered([String])
    /// The server answered a ping.
    case pong(UInt64)
    /// Anything that the stream does not answer itself, once the login is accepted.
    case stanza(XMLElement)
    /// Nothing follows; the connection is to be closed.
    case failed(XMPPFailure)
    /// The server ended the stream and was answered; nothing follows, the connection is to be closed.
    case ended
}
