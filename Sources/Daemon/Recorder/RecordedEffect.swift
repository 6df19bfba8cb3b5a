import AlarmModel
import ApplianceCore
import PhoneProtocol

/// What is kept of an order: its kind, the beginning of its JSON form and a hash of all of it (FNV-1a, 64 bits).
struct RecordedEffect: Hashable, Sendable {
    var kind: String
    var hash: UInt64
    var text: String

    private static let limit = 200

    /// - Parameter effect: of a core that holds stand-ins only
    init(_ effect: Effect) {
        let json = (try? JSON.encoding(effect, standIn: SecretStandIn { $0 })) ?? .null
        if case .object(let members) = json { kind = members.first?.key ?? "" } else { kind = "" }
        let whole = json.text
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in whole.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.hash = hash
        text = Self.shown(effect, whole)
    }

    init?(_ json: JSON) {
        guard case .array(let parts) = json, parts.count == 3, let kind = parts[0].stringValue,
            let hash = parts[1].stringValue.flatMap({ UInt64($0, radix: 16) }), let text = parts[2].stringValue
        else { return nil }
        self.kind = kind
        self.hash = hash
        self.text = text
    }

    var json: JSON { .array([.string(kind), .string(String(hash, radix: 16)), .string(text)]) }

    /// Bytes read better as text.
    private static func shown(_ effect: Effect, _ json: String) -> String {
        if case .send(let connection, let bytes) = effect {
            let text = Text.printable(String(decoding: bytes.prefix(limit), as: UTF8.self))
            return "send \(bytes.count) bytes to \(connection.number): \(text)"
        }
        return json.utf8.count <= limit ? json : String(json.prefix(limit)) + "…"
    }
}
