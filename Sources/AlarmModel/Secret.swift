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
        try container.encode(String(repeating: "*", count: revealed.count))
    }
}
