/// What an event of the box is about where its code names only the kind. Stored and recorded as `link wifi`,
/// `channel ntfy`.
package enum EventSubject: Codable, Hashable, Sendable {
    /// By its name in the configuration.
    case link(String)
    /// By the name of its kind (`ChannelKind`).
    case channel(String)

    package var text: String {
        switch self {
        case .link(let name): "link \(name)"
        case .channel(let name): "channel \(name)"
        }
    }

    /// nil: it is none that this version knows.
    package init?(_ text: String) {
        guard let space = text.utf8.firstIndex(of: 32) else { return nil }
        let name = String(text[text.index(after: space)...])
        guard !name.isEmpty else { return nil }
        switch text[..<space] {
        case "link": self = .link(name)
        case "channel": self = .channel(name)
        default: return nil
        }
    }
}

#if !hasFeature(Embedded)
    extension EventSubject {
        package init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let subject = Self(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither a link nor a channel")
            }
            self = subject
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }
#endif
