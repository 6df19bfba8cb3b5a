/// A session that outlives its connection, and what was sent in it and not acknowledged (XEP-0198).
package struct XMPPSession: Codable, Hashable, Sendable {
    /// The server's name for it; nil: it cannot be resumed.
    var id: String?
    var jid: String?
    /// Stanzas that we took, modulo 2^32.
    var handled: UInt32 = 0
    /// Stanzas of ours that the server took, modulo 2^32.
    package private(set) var acknowledged: UInt32
    /// Sent after those, in order; nil for one that is not to be sent again.
    package var unacknowledged: [XMLElement?] = []
    /// An answer to our question for an acknowledgement is due.
    var isAsked = false
    /// Messages that the server took, by the count of a resumption. What it says of them, a refusal too, comes behind
    /// that count and before its next one.
    var taken: [String] = []
    /// The last connection ended with something that could not be read, and was not counted.
    var wasUnreadable = false

    package init(jid: String? = nil, acknowledged: UInt32 = 0) {
        self.jid = jid
        self.acknowledged = acknowledged
    }

    package var isResumable: Bool { id != nil }

    /// The server took so many stanzas.
    ///
    /// - Returns: those that it did not acknowledge before; nil if it says more than was sent, or goes back
    package mutating func acknowledge(_ count: UInt32) -> [XMLElement]? {
        let news = count &- acknowledged
        guard news <= UInt32(clamping: unacknowledged.count) else { return nil }
        let done = unacknowledged.prefix(Int(news)).compactMap { $0 }
        unacknowledged.removeFirst(Int(news))
        acknowledged = count
        return done
    }

    /// The stanza with this id is not sent again.
    mutating func forget(_ id: String) {
        taken.removeAll { $0 == id }
        guard let index = unacknowledged.firstIndex(where: { $0?["id"] == id }) else { return }
        unacknowledged[index] = nil
    }

    /// Messages that were not acknowledged, to be sent in another session.
    var messages: [XMLElement] {
        unacknowledged.compactMap { $0?.isNamed("message", in: XMPPNamespace.client) == true ? $0 : nil }
    }
}
