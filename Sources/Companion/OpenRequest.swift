/// A question whose answer is awaited. One of each kind at most.
struct OpenRequest: Equatable, Sendable {
    enum Kind: Hashable, Sendable { case ping, sync, snapshot, list, picture }
    var kind: Kind
    var rid: [UInt8]
    var anchor: HouseView.Anchor
    /// Uptime at which it was sent.
    var sentAt: Int64
    var deadline: Int64
    /// Of a `sync`: how many rows were missing when it last moved.
    var missing: Int64
    /// Of a `sync`: the numbers that were asked for.
    var page: ClosedRange<Int64>?
    /// Of a `ping`: up to here the phone has everything.
    var position: LogPosition?
    /// Of a `list`: what has come of it.
    var list: BoxList?
    /// Of a `picture`: what was asked for.
    var pictures: PicturesAnswer.Wish?
    var hasMoved = false

    static let patience: Int64 = 10_000
    /// Of a `picture`: the box answers when all is sealed and sent, or after 90 s.
    static let picturePatience: Int64 = 100_000
    /// Between the messages of one answer.
    static let pause: Int64 = 2_000
}

/// What a command is signed over to be fresh.
struct HeldChallenge: Equatable, Sendable {
    var bytes: [UInt8]
    /// Uptime at which it was asked for: it is not older than this.
    var since: Int64

    /// It holds for 60 s at the box; some are left for the way.
    static let holds: Int64 = 50_000
    static let renewAfter: Int64 = 20_000
}

/// How gaps of the log are closed: wait a moment, because messages overtake each other; ping; then page by page.
struct GapFilling: Equatable, Sendable {
    /// Uptime at which the next step may be taken; nil without a gap.
    var due: Int64?
    var hasPinged = false
    var failures = 0

    static let settle: Int64 = 1_500

    mutating func retry() {
        failures = 0
        hasPinged = false
        if due != nil { due = 0 }
    }

    /// 10, 20, 40 … 300 s.
    mutating func failed(at uptime: Int64) {
        // The rows may be gone at the box; only the answer to a ping tells where its journal begins.
        hasPinged = false
        failures = min(failures + 1, 6)
        due = uptime + min(300_000, Int64(5_000) << Int64(failures))
    }
}
