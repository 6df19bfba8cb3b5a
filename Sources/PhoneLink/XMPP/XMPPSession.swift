/// A session that outlives its connection, and what was sent in it and not acknowledged (XEP-0198).
package struct XMPPSession: Codable, Equatable, Sendable {
    /// The server's name for it; nil: it cannot be resumed.
    var id: String?
    var jid: String?
    /// Stanzas that we took, modulo 2^32.
    var handled: UInt32 = 0
    /// Stanzas of ours that the server took, modulo 2^32.
    package private(set) var acknowledged: UInt32
    /// Sent after those, in order; nil for one that is not to be sent again.
    package private(set) var unacknowledged: [XMLElement?] = []
    /// Of those that are.
    private var keptBytes = 0
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

    /// What is kept to be sent again, at most, and how many altogether the server may leave unacknowledged: it decides
    /// for how long.
    package static let keptLimit = 64
    package static let keptBytesLimit = 262_144
    package static let countLimit = 1024

    package var isResumable: Bool { id != nil }

    /// Whether a stanza of so many bytes can be kept.
    func canKeep(_ size: Int) -> Bool {
        keptBytes + size <= Self.keptBytesLimit && unacknowledged.lazy.filter { $0 != nil }.count < Self.keptLimit
    }

    /// Counts a stanza that is sent, and keeps it if it is to be sent again.
    ///
    /// - Returns: false if it is one too many
    package mutating func count(_ stanza: XMLElement?) -> Bool {
        guard unacknowledged.count < Self.countLimit else { return false }
        if let stanza {
            let size = Self.size(stanza)
            guard canKeep(size) else { return false }
            keptBytes += size
        }
        unacknowledged.append(stanza)
        return true
    }

    private static func size(_ stanza: XMLElement) -> Int { XMPPStream.bytes(of: stanza).count }

    /// All that is to be sent again; nothing is kept any more.
    mutating func takeKept() -> [XMLElement] {
        defer {
            unacknowledged = []
            keptBytes = 0
        }
        return unacknowledged.compactMap { $0 }
    }

    /// The server took so many stanzas.
    ///
    /// - Returns: those that it did not acknowledge before; nil if it says more than was sent, or goes back
    package mutating func acknowledge(_ count: UInt32) -> [XMLElement]? {
        let news = count &- acknowledged
        guard news <= UInt32(clamping: unacknowledged.count) else { return nil }
        let done = unacknowledged.prefix(Int(news)).compactMap { $0 }
        unacknowledged.removeFirst(Int(news))
        keptBytes -= done.reduce(0) { $0 + Self.size($1) }
        acknowledged = count
        return done
    }

    /// The stanza with this id is not sent again.
    mutating func forget(_ id: String) {
        taken.removeAll { $0 == id }
        guard let index = unacknowledged.firstIndex(where: { $0?["id"] == id }), let stanza = unacknowledged[index]
        else { return }
        keptBytes -= Self.size(stanza)
        unacknowledged[index] = nil
    }

    /// Messages that were not acknowledged, to be sent in another session.
    var messages: [XMLElement] {
        unacknowledged.compactMap { $0?.isNamed("message", in: XMPPNamespace.client) == true ? $0 : nil }
    }
}
