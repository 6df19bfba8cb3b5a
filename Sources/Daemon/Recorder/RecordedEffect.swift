import AlarmModel
import ApplianceCore
import CommandKit
import PhoneProtocol

/// What is kept of an order: its kind, the beginning of its form (`EffectForm`) and a hash of all of it (FNV-1a, 64
/// bits).
struct RecordedEffect: Equatable, Sendable {
    var kind: String
    var hash: UInt64
    var text: String

    private static let limit = 200

    /// - Parameters:
    ///   - effect: of a core that holds placeholders only
    ///   - form: that of this segment, which numbers what the core names
    init(_ effect: Effect, in form: inout EffectForm) {
        form.write(effect)
        let whole = form.takeBytes()
        kind = String(decoding: whole.prefix { $0 != 32 && $0 != 10 }, as: UTF8.self)
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in whole { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        self.hash = hash
        text = Self.shown(effect, whole)
    }

    /// The orders of one step.
    static func all(_ effects: [Effect], in form: inout EffectForm) -> [RecordedEffect] {
        effects.map { RecordedEffect($0, in: &form) }
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
    private static func shown(_ effect: Effect, _ form: [UInt8]) -> String {
        if case .send(let connection, let bytes) = effect {
            let text = Text.printable(String(decoding: bytes.prefix(limit), as: UTF8.self))
            return "send \(bytes.count) bytes to \(connection.number): \(text)"
        }
        let text = Text.printable(String(decoding: form.prefix(limit).map { $0 == 10 ? 32 : $0 }, as: UTF8.self))
        return form.count <= limit ? text : text + "…"
    }
}
