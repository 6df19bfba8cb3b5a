public import PhoneProtocol

/// The two keys that a phone signs with (docs/pairing.md 7.1).
///
/// `sign` is called while a command is made; where key 2 asks for a finger it takes as long as its owner, so let a
/// `PairedPhone` live off the thread that draws.
public struct PhoneSigners: Sendable {
    /// Usable after the first unlock.
    public var key1: any Signer
    /// Wants its owner's presence for each use; nil on a phone without a screen lock, which cannot disarm.
    public var key2: (any Signer)?

    public init(key1: any Signer, key2: (any Signer)?) {
        self.key1 = key1
        self.key2 = key2
    }
}
