package import AlarmModel

/// A message that is to be sent now.
package struct OutboxEntry: Codable, Equatable, Sendable {
    package var message: MessageID
    package var address: AddressID
    /// An alarm that leaves unstored, and a duress alarm, are known by `event.unstored`.
    package var event: Event
    package var seq: SequenceNumber?
    /// Seconds on the service, never beyond the message's own end (docs/push.md A.11).
    package var timeToLive: Int
    /// An alarm to a phone that can confirm it: ask the service for a receipt, too.
    package var wantsReceipt: Bool
    /// It was taken by the service before, and nothing said that the phone has it.
    package var isRepeat: Bool
    /// What is sent instead of the event.
    package var picture: PictureReference?

    package var priority: PriorityClass { event.priority }
}

/// What the owner should be told; duress is never among it.
package enum OutboxNotice: Codable, Equatable, Sendable {
    /// The phone has not confirmed this alarm for 30 s, nor so many others that were not told yet.
    case alarmOverdue(AddressID, SequenceNumber?, others: Int = 0)
    /// Given up for good.
    case alarmDied(AddressID, SequenceNumber?, why: String)
    /// So many messages were given up, because the store does not have their events any more.
    case eventsLost(Int)
    /// What waits in the store cannot be read, and then it can.
    case storeUnreadable
    case storeReadable
}

/// What `status` shows of one address. Duress counts nowhere.
package struct OutboxReport: Codable, Equatable, Sendable {
    package var address: AddressID
    /// In memory and not yet taken by the service; `hasMoreStored` says that there are others.
    package var waiting = 0
    package var hasMoreStored = false
    /// Alarms without receipt for more than 30 s.
    package var overdue = 0
    package var lastAccepted: WallTime?
    package var lastReceived: WallTime?
    /// Why the last message was refused; nil once one has been accepted.
    package var lastError: String?
    package var heldUntil: BootTime?

    package init(address: AddressID) { self.address = address }
}
