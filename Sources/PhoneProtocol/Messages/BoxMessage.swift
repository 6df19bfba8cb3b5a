/// What the box says to a phone inside an envelope (docs/pairing.md 6).
package struct BoxMessage: Codable, Equatable, Sendable {
    package enum Kind: UInt8, Codable, Hashable, Sendable, CaseIterable {
        case event = 1
        case status = 2
        case result = 3
        case batch = 4
        case probe = 5
        case welcome = 6
        case bye = 7
        /// A page of what `list` asks for.
        case list = 8
        /// A picture that the phone may fetch.
        case picture = 9
    }
    package var kind: Kind
    /// Of the request that is answered; nil (eight zeros on the wire) where none is.
    package var rid: [UInt8]?
    /// The HA2 keys of docs/messages.md B.6; all values strings.
    package var content: JSON

    package init(_ kind: Kind, rid: [UInt8]? = nil, content: JSON) {
        self.kind = kind
        self.rid = rid
        self.content = content
    }

    /// Bytes of JSON that fit into the biggest envelope.
    package static let contentLimit = 969
}
