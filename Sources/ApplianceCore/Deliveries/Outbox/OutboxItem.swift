import AlarmModel
import PhoneLink

/// A message in memory.
struct OutboxItem: Codable, Equatable, Sendable {
    enum Stage: Codable, Equatable, Sendable {
        /// Not before `notBefore`.
        case waiting
        /// Given out by `next`, not yet with the link: it is being sealed.
        case handed
        /// With the link.
        case underWay
        /// The service has it; its receipt does not come before this.
        case awaiting(until: BootTime)
        /// The service has it, and may say until then that it did not arrive.
        case mayBounce(until: BootTime)
    }

    /// Where a message stands in the store's order.
    struct Place: Codable, Equatable, Comparable, Sendable {
        var priority: PriorityClass
        /// 0 for duress, which has no number that anybody may know; the greatest for what is not committed yet.
        var number: Int64

        static let first = Place(priority: .alarm, number: 0)

        init(priority: PriorityClass, number: Int64) {
            self.priority = priority
            self.number = number
        }

        init(_ message: StoredMessage) {
            let isDuress = message.event.flags.contains(.duress)
            self.init(priority: message.event.priority, number: isDuress ? 0 : message.seq?.number ?? .max)
        }

        static func < (a: Place, b: Place) -> Bool {
            a.priority != b.priority ? a.priority < b.priority : a.number < b.number
        }
    }

    /// Where it stands among what is in memory: a repeat comes after everything of its class that never left.
    struct Order: Codable, Equatable, Comparable, Sendable {
        var priority: PriorityClass
        var isRepeat: Bool
        var number: Int64
        var serial: UInt64

        static func < (a: Order, b: Order) -> Bool {
            if a.priority != b.priority { return a.priority < b.priority }
            if a.isRepeat != b.isRepeat { return b.isRepeat }
            if a.number != b.number { return a.number < b.number }
            return a.serial < b.serial
        }
    }

    var message: MessageID
    var address: AddressID
    var channel: ChannelKind
    private let shared: SharedEvent
    let priority: PriorityClass
    let isDuress: Bool
    /// In the order in which messages came into memory; never used twice.
    var serial: UInt64
    var wantsReceipt: Bool
    /// While it is not committed: where it stands in its batch.
    var origin: Origin?
    var seq: SequenceNumber?
    /// Its batch was refused: there is no row, and no change of it is written.
    var isRowless = false
    var expiresAt: WallTime
    /// Made in this run, or made while the clock was wrong; else the wall clock decides.
    var expiresAtBoot: BootTime?

    var stage = Stage.waiting
    var notBefore = BootTime.zero
    var failures = 0
    var unknownFailures = 0
    /// How often the service has asked for a pause.
    var askedPauses = 0
    /// How often the service has taken it.
    var acceptances = 0
    /// It came back from a service that may take messages before their readers' servers have said anything.
    var hasBounced = false
    var isOverdue = false
    /// People were told so.
    var isOverdueTold = false
    var isUntoldOverdue: Bool { isOverdue && !isOverdueTold && !isDuress }
    var isSeen = false
    /// It leaves only when nothing confirmed the same by another channel.
    var isFallback = false

    struct Origin: Codable, Equatable, Sendable {
        var batch: BatchID
        var index: Int
    }

    init(
        message: MessageID, address: AddressID, channel: ChannelKind, event: SharedEvent, serial: UInt64,
        wantsReceipt: Bool, origin: Origin?, seq: SequenceNumber? = nil, expiresAt: WallTime, expiresAtBoot: BootTime?
    ) {
        self.message = message
        self.address = address
        self.channel = channel
        shared = event
        priority = event.event.priority
        isDuress = event.event.flags.contains(.duress)
        self.serial = serial
        self.wantsReceipt = wantsReceipt
        self.origin = origin
        self.seq = seq
        self.expiresAt = expiresAt
        self.expiresAtBoot = expiresAtBoot
    }

    var event: Event { shared.event }
    var picture: PictureReference? { shared.picture }
    var isCommitted: Bool { origin == nil }
    var isFreshAlarm: Bool { priority == .alarm && acceptances == 0 }

    var number: Int64 { isDuress ? 0 : seq?.number ?? .max }
    var place: Place { Place(priority: priority, number: number) }
    var order: Order { Order(priority: priority, isRepeat: acceptances > 0, number: number, serial: serial) }

    /// No service has taken it; duress counts nowhere.
    var isUntaken: Bool {
        !isDuress && acceptances == 0 && isToBeSent
    }

    /// True if the message is to be sent, or is being sent, for the first time or again.
    var isToBeSent: Bool {
        switch stage {
        case .waiting, .handed, .underWay: true
        case .awaiting, .mayBounce: false
        }
    }

    /// A service has taken it, which is not its last word.
    var mayComeBack: Bool {
        switch stage {
        case .mayBounce: true
        case .waiting, .handed, .underWay, .awaiting: false
        }
    }

    /// A service did not take it.
    ///
    /// - Parameter isAsked: it said itself for how long
    mutating func wait(until end: BootTime, isAsked: Bool) {
        if isAsked { askedPauses += 1 }
        stage = .waiting
        notBefore = end
    }

    func isExpired(at now: Moment) -> Bool {
        if let expiresAtBoot { return expiresAtBoot <= now.boot }
        return now.isWallTrusted && expiresAt <= now.wall
    }

    /// When its time is over, as far as that is known now; never more than 30 days ahead.
    func expiry(at now: Moment) -> BootTime? { Self.expiry(expiresAt, boot: expiresAtBoot, at: now) }

    static func expiry(_ expiresAt: WallTime, boot: BootTime?, at now: Moment) -> BootTime? {
        if let boot { return boot }
        guard now.isWallTrusted else { return nil }
        let (span, overflow) = expiresAt.milliseconds.subtractingReportingOverflow(now.wall.milliseconds)
        let furthest = Duration.hours(30 * 24).milliseconds
        return now.boot + .milliseconds(overflow ? furthest : max(0, min(span, furthest)))
    }
}

extension Event {
    /// The notice that tries the channel to a phone; it asks for a receipt and is not repeated.
    var isTest: Bool { code == EventCode.test.rawValue }
}
