/// The phone's half of a pairing, from the code to the keys (docs/pairing.md 4). For one pairing only.
package struct PhoneHandshake<C: Crypto>: Sendable {
    /// Frame 1; the same again when no answer comes.
    package let frame: [UInt8]
    private var noise: NoiseNKpsk0.Initiator<C>

    /// `ephemeral`: 32 random bytes, made for this pairing. Throws when the payload is none or the code's key is no key.
    package init(
        _ code: PairingText, _ payload: PairingPayload1, ephemeral: [UInt8], crypto: C
    ) throws(FormatError) {
        noise = NoiseNKpsk0.Initiator(
            prologue: code.prologue, psk: code.psk(crypto), remote: code.publicKey, ephemeral: ephemeral,
            crypto: crypto)
        guard let message = noise.writeFirst(try payload.bytes()) else { throw .value("the key of the box") }
        frame = PairingFrame.first + message
    }

    /// Frame 2: the name of the site, and the keys with the code to show. A frame that does not open changes nothing.
    package mutating func finish(
        _ answer: [UInt8], _ crypto: C
    ) throws(UnopenedReason) -> (siteName: String, keys: PairingKeys) {
        let message = try PairingFrame.message(of: answer, PairingFrame.second)
        guard let (payload, split) = noise.readSecond(message) else { throw .sealBroken }
        guard let content = try? PairingPayload2(bytes: payload) else { throw .malformed }
        return (content.siteName, PairingKeys(split, crypto))
    }
}

/// The two frames of a pairing: version, number, message.
enum PairingFrame {
    static let first: [UInt8] = [2, 1]
    static let second: [UInt8] = [2, 2]

    static func message(of frame: [UInt8], _ head: [UInt8]) throws(UnopenedReason) -> [UInt8] {
        guard let version = frame.first else { throw .notOurs }
        guard version <= 2 else { throw .newerVersion }
        guard frame.starts(with: head), frame.count <= 2 + NoiseNKpsk0.overhead + PairingPayload1.limit else {
            throw .notOurs
        }
        return Array(frame.dropFirst(2))
    }
}
