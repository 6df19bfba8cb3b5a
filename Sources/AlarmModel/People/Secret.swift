/// A password, user code or PIN. It prints and encodes as a mask, so that no log, event or recording can show it.
package struct Secret: Equatable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// For the one place that puts it on the wire.
    package let revealed: String

    package init(_ text: String) { revealed = text }

    package var description: String { "****" }
    package var debugDescription: String { "****" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

#if !hasFeature(Embedded)
    extension Secret {
        package init(from decoder: any Decoder) throws {
            revealed = try decoder.singleValueContainer().decode(String.self)
        }

        /// Writes a placeholder of the same length: what is recorded keeps its shape and loses its meaning.
        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if let key = SecretPlaceholder.key, let placeholder = encoder.userInfo[key] as? SecretPlaceholder {
                try container.encode(placeholder.text(revealed))
            } else {
                try container.encode(String(repeating: "*", count: revealed.count))
            }
        }
    }

    /// What an encoder writes for a secret instead of stars, where different secrets have to stay different.
    package struct SecretPlaceholder {
        package static let key = CodingUserInfoKey(rawValue: "howalarming.stand-in")
        /// Gets the secret; what it returns is written.
        package let text: (String) -> String

        package init(_ text: @escaping (String) -> String) { self.text = text }
    }
#endif
