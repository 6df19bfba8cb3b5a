/// What the demo learns from the lines that a traced push service prints.
struct DemoPushTrace: Sendable {
    /// A message of the box for a phone, that is to be kept for it: answers go now or never.
    struct Message: Equatable, Sendable {
        var id: String
        /// The numbers of the connections on which it came, ascending.
        var connections: [Int]
    }

    private(set) var messages: [Message] = []
    /// What phones sent, sealed, as anybody at the service could record it.
    private(set) var tape: [String] = []
    /// The ids of phones' messages that the box has acknowledged.
    private(set) var acknowledged: [String] = []

    /// What is to be shown of a line: who came and went, and refusals; nil for other stanzas.
    mutating func take(_ line: String) -> String? {
        if line.hasPrefix("# ") {
            return line.hasPrefix("# client ") ? "connection " + line.dropFirst("# client ".count) : nil
        }
        // Time, connection, direction, stanza.
        let parts = line.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let connection = Int(parts[1]) else { return nil }
        let stanza = parts[3]
        if parts[2] == "<" {
            if stanza.contains("\"message_type\":\"nack\"") {
                return "refused: \(Self.value(after: "\"error\":\"", in: stanza) ?? "a message")"
            }
            if stanza.contains("\"category\""), let sealed = Self.value(after: "\"e\":\"", in: stanza) {
                tape.append(sealed)
            }
        } else if stanza.contains("\"message_type\":\"ack\"") {
            if let id = Self.value(after: "\"message_id\":\"", in: stanza) { acknowledged.append(id) }
        } else if stanza.hasPrefix("<message id="), !stanza.contains("\"time_to_live\":0,"),
            let id = Self.value(after: "<message id=\"", in: stanza)
        {
            note(id, connection)
        }
        return nil
    }

    private mutating func note(_ id: String, _ connection: Int) {
        guard let index = messages.lastIndex(where: { $0.id == id }) else {
            return messages.append(Message(id: id, connections: [connection]))
        }
        if messages[index].connections.last != connection { messages[index].connections.append(connection) }
    }

    /// Up to the next quotation mark.
    private static func value(after mark: String, in text: Substring) -> String? {
        text.firstRange(of: mark).map { String(text[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}
