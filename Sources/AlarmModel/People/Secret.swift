/// A password, user code or PIN. It prints and encodes as a mask, so that no log, event or recording can show it.
package struct Secret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// For the one place that puts it on the wire.
    package let revealed: String

    package init(_ text: String) { revealed = text }

    package var description: String { "****" }
    package var debugDescription: String { "****" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    package init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes a stand-in of the same length: what is recorded keeps its shape and loses its meaning.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let key = SecretStandIn.key, let standIn = encoder.userInfo[key] as? SecretStandIn {
            try container.encode(standIn.text(revealed))
        } else {
            try container.encode(String(repeating: "*", count: revealed.count))
        }
    }
}

/// What an encoder writes for a secret instead of stars, where different secrets have to stay different.
package struct SecretStandIn {
    package static let key = CodingUserInfoKey(rawValue: "howalarming.stand-in")
    /// Gets the secret; what it returns is written.
    package let text: (String) -> String

    package init(_ text: @escaping (String) -> String) { self.text = text }
}
