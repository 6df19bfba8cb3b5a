/// One event on its way to one address. Written in the batch that writes the event.
package struct OutboxRow: Codable, Equatable, Sendable {
    package var message: MessageID
    package var address: AddressID
    /// Index of the event in `Batch.events`.
    package var event: Int
    package var priority: PriorityClass
    package var createdAt: WallTime
    /// Not sent any more after this, as far as the clock can be trusted.
    package var expiresAt: WallTime
    /// What the message is about, in the place of the event; it is stored until the message is delivered.
    package var picture: PictureReference?

    package init(
        message: MessageID, address: AddressID, event: Int, priority: PriorityClass, createdAt: WallTime,
        expiresAt: WallTime, picture: PictureReference? = nil
    ) {
        self.picture = picture
        self.message = message
        self.address = address
        self.event = event
        self.priority = priority
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// What became of a message.
package enum OutboxState: String, Codable, Hashable, Sendable, CaseIterable {
    /// To be sent, or sent and not answered.
    case waiting
    /// The service took it; nothing says that the phone has it.
    case accepted
    /// The phone has it: a receipt of the service or the phone's own word.
    case received
    /// An alarm without receipt for 30 s; it is repeated and still counts as under way.
    case overdue
    /// A person has seen it: no repeats.
    case seen
    /// Given up; `detail` says why.
    case dead
    /// Not delivered within its time.
    case expired
    /// It stood in for a message by another channel, which arrived.
    case spared

    /// Nothing more is done for it.
    package var isFinal: Bool {
        switch self {
        case .waiting, .overdue: false
        case .accepted, .received, .seen, .dead, .expired, .spared: true
        }
    }

    /// A service took it once.
    package var isTaken: Bool {
        switch self {
        case .accepted, .received, .overdue, .seen: true
        case .waiting, .dead, .expired, .spared: false
        }
    }
}

/// A message changed its state. Of several changes of one message in a batch the last counts.
package struct OutboxChange: Codable, Equatable, Sendable {
    package var message: MessageID
    package var state: OutboxState
    /// In words, for `dead`.
    package var detail: String?
    package var time: WallTime

    package init(message: MessageID, state: OutboxState, detail: String? = nil, time: WallTime) {
        self.message = message
        self.state = state
        self.detail = detail
        self.time = time
    }
}

/// A message that the store holds, with its event.
package struct StoredMessage: Codable, Equatable, Sendable {
    package var message: MessageID
    package var address: AddressID
    /// nil for a duress event, whose number is nobody's business: phones know it by its mark.
    package var seq: SequenceNumber?
    package var event: Event
    package var createdAt: WallTime
    package var expiresAt: WallTime
    package var state: OutboxState
    package var detail: String?
    /// Of an alarm that waits, duress left out: the addresses at which the same alarm was taken, in the order of
    /// writing.
    package var takenAt: [AddressID]
    /// What the message is about, in the place of the event; only while it is open.
    package var picture: PictureReference?

    package init(
        message: MessageID, address: AddressID, seq: SequenceNumber?, event: Event, createdAt: WallTime,
        expiresAt: WallTime, state: OutboxState, detail: String? = nil, takenAt: [AddressID] = [],
        picture: PictureReference? = nil
    ) {
        self.picture = picture
        self.message = message
        self.address = address
        self.seq = seq
        self.event = event
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.state = state
        self.detail = detail
        self.takenAt = takenAt
    }
}

/// Which messages a reader wants.
package enum OutboxQuery: Codable, Equatable, Sendable {
    /// Not final, for one of these addresses; by class, then number of the event, then as they were written.
    case open(addresses: [AddressID], limit: Int)
    /// Given up or expired, newest first; messages about duress are never among them.
    case dead(limit: Int)
}

/// What the store answers to an `OutboxQuery`.
package struct OutboxPage: Codable, Equatable, Sendable {
    /// In the order of the query.
    package var messages: [StoredMessage]
    /// Open messages that can no longer be told, because their event is gone or unreadable: to be marked as dead,
    /// unless memory has them. They come back with every query until then.
    package var orphans: [MessageID]
    /// More messages fit the query than these.
    package var hasMore: Bool

    package init(messages: [StoredMessage] = [], orphans: [MessageID] = [], hasMore: Bool = false) {
        self.messages = messages
        self.orphans = orphans
        self.hasMore = hasMore
    }

    /// A page holds at most so many messages and orphans, whatever was asked for.
    package static let limit = 4096
}

/// How many messages there are in each state; duress is counted nowhere.
package struct OutboxCounts: Codable, Equatable, Sendable {
    package var waiting: Int
    package var overdue: Int
    package var dead: Int
    package var expired: Int

    package init(waiting: Int = 0, overdue: Int = 0, dead: Int = 0, expired: Int = 0) {
        self.waiting = waiting
        self.overdue = overdue
        self.dead = dead
        self.expired = expired
    }
}
