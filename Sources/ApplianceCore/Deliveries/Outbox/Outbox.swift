import AlarmModel
import PhoneLink

/// Who is told of an event, what leaves next and what became of it.
///
/// For the core: at the end of a step `post` turns each event into rows for the step's batch; `committed` makes them
/// sendable; while the link has room, `next` gives out one message after the other, which is sealed, handed over
/// (`sent`) and answered (`accepted`, `received`, `retry` …). `flush` collects the changes of state for a batch,
/// `takeQuery` orders what the store holds and memory does not, `timerFired` is to be called at `nextDeadline(after:)`.
///
/// Guarantees: a message keeps its id for life; nothing is given out before its row is durable, but for alarms while
/// the store fails; alarms leave first and are held back by nothing of ours; at most `OutboxPolicy.memoryLimit`
/// messages are in memory (more only while alarms cannot be stored).
///
/// Answers about messages that it does not know are ignored: they may be late.
package struct Outbox: Codable, Equatable, Sendable {
    /// The rows of an address that is gone are ended one read at a time.
    struct Dying: Codable, Equatable, Sendable {
        var address: AddressID
        var why: String
        var isAsked = false
        /// Its last rows are in this batch, which is not durable yet.
        var after: BatchID?
    }

    /// An address of the book that no channel carries.
    struct Uncarried: Codable, Equatable, Sendable {
        var address: AddressID
        /// Its rows that are still on their way to the store.
        var unheld: OutboxLine.Unheld?
        /// What no row in the store stands for.
        var rowless: [OutboxItem] = []
    }

    struct Locator: Codable, Equatable, Sendable {
        var message: MessageID
        var order: OutboxItem.Order
    }

    @Boxed package private(set) var policy: OutboxPolicy
    let bootMark: String
    var jitter: Jitter
    var nextCounter: UInt64 = 1
    var nextSerial: UInt64 = 1

    /// Ascending by order.
    private(set) var items: [OutboxItem] = []
    /// Ascending by message.
    private var locators: [Locator] = []
    /// Ascending by address.
    var lines: [OutboxLine] = []
    /// Given out and not yet with their channel, in the order of `ChannelKind`.
    var handed = ChannelKind.allCases.map { _ in 0 }
    var awaited = 0
    var uncommitted = 0
    /// Messages in memory that no service has taken yet; of those about duress none is counted.
    private(set) var backlog = 0

    var changes = OutboxChanges()
    var notices: [OutboxNotice] = []

    var isStoreGood = true
    var dying: [Dying] = []
    var uncarried: [Uncarried] = []
    var knowsBook = false
    var askedAt: BootTime?
    var readAgainAt: BootTime?
    /// Reads in a row that failed.
    var failedReads = 0
    /// All alarms up to here have been seen by somebody.
    var seenUpTo = SequenceNumber.zero
    #if SABOTAGE
        var sabotage: Sabotage?
    #endif

    /// - Parameters:
    ///   - bootMark: eight hexadecimal digits, new at each start: it keeps the ids of different runs apart
    ///   - seed: of the jitter
    package init(bootMark: String, seed: UInt64, policy: OutboxPolicy = OutboxPolicy()) {
        self.bootMark = bootMark
        self.policy = policy
        jitter = Jitter(seed: seed)
    }

    /// Messages in memory.
    package var count: Int { items.count }

    /// While the store fails alarms leave before their rows are durable, with the event's `u` mark and without `seq`.
    package var releasesUnstoredAlarms: Bool { !isStoreGood }

    package mutating func storeFailed() { isStoreGood = false }
    package mutating func storeRecovered() { isStoreGood = true }

    /// What the owner should be told since the last call.
    package mutating func takeNotices() -> [OutboxNotice] {
        defer { notices = [] }
        return notices
    }

    mutating func tell(_ notice: OutboxNotice) {
        if notices.count < 100 { notices.append(notice) }
    }

    // MARK: Items

    mutating func insert(_ item: OutboxItem) {
        items.insert(item, at: items.slot { $0.order < item.order })
        let locator = Locator(message: item.message, order: item.order)
        locators.insert(locator, at: locators.slot { $0.message < item.message })
        count(item, by: 1)
    }

    func item(_ message: MessageID) -> OutboxItem? { index(of: message).map { items[$0] } }

    func index(of message: MessageID) -> Int? {
        let slot = locators.slot { $0.message < message }
        guard slot < locators.count, locators[slot].message == message else { return nil }
        let order = locators[slot].order
        let index = items.slot { $0.order < order }
        precondition(index < items.count && items[index].message == message, "the outbox has lost a message")
        return index
    }

    @discardableResult
    mutating func remove(at index: Int) -> OutboxItem {
        let item = items.remove(at: index)
        let slot = locators.slot { $0.message < item.message }
        precondition(
            slot < locators.count && locators[slot].message == item.message, "the outbox has lost a message's order")
        locators.remove(at: slot)
        count(item, by: -1)
        return item
    }

    /// Changes an item; its place among the others follows.
    mutating func change(_ index: Int, _ body: (inout OutboxItem) -> Void) {
        let before = items[index]
        var item = before
        body(&item)
        // Another channel may carry its address by now.
        if item.stage == .waiting, let line = lineIndex(item.address) { item.channel = lines[line].route.channel }
        if item.order == before.order {
            count(before, by: -1)
            items[index] = item
            count(item, by: 1)
        } else {
            remove(at: index)
            insert(item)
        }
    }

    private mutating func count(_ item: OutboxItem, by step: Int) {
        switch item.stage {
        case .waiting, .underWay: break
        case .handed: handed[item.channel.rank] += step
        case .awaiting, .mayBounce: awaited += step
        }
        if !item.isCommitted { uncommitted += step }
        if item.isUntaken { backlog += step }
    }

    func lineIndex(_ address: AddressID) -> Int? {
        let slot = lines.slot { $0.route.address < address }
        return slot < lines.count && lines[slot].route.address == address ? slot : nil
    }
}

extension Array {
    /// The first index whose element does not lie before the wanted one; the array is sorted by it.
    func slot(_ isBefore: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
