public import PhoneProtocol

/// The two keys that a phone signs with (docs/pairing.md 7.1).
public struct PhoneSigners: Sendable {
    /// Usable after the first unlock.
    public var key1: PhoneKey
    /// Wants its owner's presence for each use; nil on a phone without a screen lock, which cannot disarm.
    public var key2: PhoneKey?

    public init(key1: PhoneKey, key2: PhoneKey?) {
        self.key1 = key1
        self.key2 = key2
    }

    #if !hasFeature(Embedded)
        /// Keys that answer at once. `sign` is called while a command is made; where key 2 asks for a finger it takes as
        /// long as its owner, so let a `PairedPhone` live off the thread that draws.
        public init(key1: any Signer, key2: (any Signer)?) {
            self.init(key1: PhoneKey(key1), key2: key2.map { PhoneKey($0) })
        }
    #endif
}

/// One of them.
public struct PhoneKey: Sendable {
    public var algorithm: SignatureAlgorithm
    public var publicKey: [UInt8]
    /// nil where the signature comes later.
    let sign: (@Sendable ([UInt8]) -> [UInt8]?)?

    public init(_ signer: some Signer) {
        algorithm = signer.algorithm
        publicKey = signer.publicKey
        sign = { signer.sign($0) }
    }

    /// A key outside of this program, as those of a browser: `PhoneAction.sign` says what it is to sign, and its
    /// signature is brought by `PairedPhone.signed`.
    public init(elsewhere algorithm: SignatureAlgorithm, publicKey: [UInt8]) {
        self.algorithm = algorithm
        self.publicKey = publicKey
        sign = nil
    }
}
