import PhoneProtocol

/// A command without its final outcome.
struct LiveCommand: Equatable, Sendable {
    var id: Int64
    var command: HouseCommand
    var condition: Arguments
    /// Uptime of the owner's touch.
    var touchedAt: Int64
    /// While its key is asked: what is to be signed, without the signature.
    var unsigned: [UInt8]?
    /// Uptime at which the key was asked.
    var askedAt: Int64 = 0
    /// nil while it waits for a challenge or for its signature.
    var envelope: [UInt8]?
    var sentAt: Int64 = 0
    /// How often the same bytes went out again.
    var repeats = 0
    var hasBeenSignedAgain = false
    /// The box knows a higher counter than the phone: nothing is signed before it has told.
    var needsContact = false

    /// The touch of the owner stands for so long.
    static let touchHolds: Int64 = 30_000
    /// An owner has so long to show a finger or a face; a challenge holds little longer.
    static let signingPatience: Int64 = 45_000
    /// After the first sending; the box takes the same bytes once only.
    static let repeatAfter: [Int64] = [5_000, 15_000, 35_000]
    /// A challenge holds 60 s, the panel is given 10.
    static let patience: Int64 = 75_000

    var nextDeadline: Int64? {
        if unsigned != nil { return askedAt + Self.signingPatience }
        guard envelope != nil else { return touchedAt + Self.touchHolds }
        return sentAt + (repeats < Self.repeatAfter.count ? Self.repeatAfter[repeats] : Self.patience)
    }
}
