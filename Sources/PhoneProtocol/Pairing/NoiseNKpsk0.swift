/// `Noise_NKpsk0_25519_ChaChaPoly_SHA256`: the initiator knows the responder's static key and a shared secret.
///
///     ← s    …    → psk, e, es    ← e, ee
package enum NoiseNKpsk0 {
    static let name = "Noise_NKpsk0_25519_ChaChaPoly_SHA256"

    /// The phone's side. One use only; nil anywhere means that it is over.
    package struct Initiator<C: Crypto>: Sendable {
        private var state: NoiseState<C>
        private let psk: [UInt8]
        private let remote: [UInt8]
        private let ephemeral: [UInt8]

        /// `ephemeral` is a fresh private key of 32 random bytes, `remote` the public key of the responder.
        package init(prologue: [UInt8], psk: [UInt8], remote: [UInt8], ephemeral: [UInt8], crypto: C) {
            state = NoiseState(protocolName: NoiseNKpsk0.name, crypto: crypto)
            state.mixHash(prologue)
            state.mixHash(remote)
            self.psk = psk
            self.remote = remote
            self.ephemeral = ephemeral
        }

        package mutating func writeFirst(_ payload: [UInt8]) -> [UInt8]? {
            guard let own = state.crypto.x25519PublicKey(of: ephemeral),
                let shared = sharedSecret(state.crypto, ephemeral, remote)
            else { return nil }
            state.mixKeyAndHash(psk)
            state.mixHash(own)
            state.mixKey(own)
            state.mixKey(shared)
            return state.encryptAndHash(payload).map { own + $0 }
        }

        package mutating func readSecond(_ message: [UInt8]) -> (payload: [UInt8], split: NoiseSplit)? {
            guard message.count >= NoiseNKpsk0.overhead else { return nil }
            let theirs = Array(message[..<32])
            guard let shared = sharedSecret(state.crypto, ephemeral, theirs) else { return nil }
            // A message that does not open must leave this side as it was: anybody can send one.
            var next = state
            next.mixHash(theirs)
            next.mixKey(theirs)
            next.mixKey(shared)
            guard let payload = next.decryptAndHash(Array(message[32...])) else { return nil }
            state = next
            return (payload, next.split())
        }
    }

    /// The box's side. One use only; nil anywhere means that it is over.
    package struct Responder<C: Crypto>: Sendable {
        private var state: NoiseState<C>
        private let psk: [UInt8]
        private let secret: [UInt8]
        private var theirs: [UInt8] = []

        /// nil when the private key of 32 bytes is none.
        package init?(prologue: [UInt8], psk: [UInt8], staticKey: [UInt8], crypto: C) {
            guard let own = crypto.x25519PublicKey(of: staticKey) else { return nil }
            state = NoiseState(protocolName: NoiseNKpsk0.name, crypto: crypto)
            state.mixHash(prologue)
            state.mixHash(own)
            self.psk = psk
            secret = staticKey
        }

        package mutating func readFirst(_ message: [UInt8]) -> [UInt8]? {
            guard message.count >= NoiseNKpsk0.overhead else { return nil }
            theirs = Array(message[..<32])
            guard let shared = sharedSecret(state.crypto, secret, theirs) else { return nil }
            state.mixKeyAndHash(psk)
            state.mixHash(theirs)
            state.mixKey(theirs)
            state.mixKey(shared)
            return state.decryptAndHash(Array(message[32...]))
        }

        /// After `readFirst`; `ephemeral` is a fresh private key of 32 random bytes.
        package mutating func writeSecond(
            _ payload: [UInt8], ephemeral: [UInt8]
        ) -> (message: [UInt8], split: NoiseSplit)? {
            guard let own = state.crypto.x25519PublicKey(of: ephemeral),
                let shared = sharedSecret(state.crypto, ephemeral, theirs)
            else { return nil }
            state.mixHash(own)
            state.mixKey(own)
            state.mixKey(shared)
            guard let sealed = state.encryptAndHash(payload) else { return nil }
            return (own + sealed, state.split())
        }
    }

    /// The bytes that a message has beside its payload: the key and the tag.
    package static let overhead = 48

    /// Never all zeros, whatever the library thinks of low-order points.
    private static func sharedSecret(_ crypto: some Crypto, _ own: [UInt8], _ theirs: [UInt8]) -> [UInt8]? {
        guard let shared = crypto.x25519(privateKey: own, publicKey: theirs), shared.count == 32,
            !ConstantTime.equal(shared, [UInt8](repeating: 0, count: 32))
        else { return nil }
        return shared
    }
}
