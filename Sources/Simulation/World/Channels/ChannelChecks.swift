import AlarmModel
import PhoneLink
import PhoneProtocol

/// What the world remembers to hold the other channels' promises against.
struct ChannelChecks: Sendable {
    struct Waiting: Hashable, Sendable {
        var message: MessageID
        var address: AddressID
        var priority: PriorityClass
        var since: BootTime
        /// So many faults waited for the same address when it came; they leave before it.
        var ahead = 0
    }

    /// Whose each address of a contact or of the house is.
    struct Owner: Hashable, Sendable {
        var channel: ChannelKind
        var value: String
        var person: PersonID?
        /// When the book with it reached the disk.
        var since: BootTime
    }

    /// What was broken in the middle of something that cannot tell.
    var serial = 0
    var broken: (promise: Violation.Promise, detail: String)?
    /// Messages that a service has taken, by its address.
    private(set) var arrived: [String: Set<MessageID>] = [:]
    private(set) var arrivals = 0
    /// Events that a program was told, by its address.
    private var events: [String: Set<String>] = [:]
    var owners: [AddressID: Owner] = [:]
    /// Alarms and faults that nobody has taken so far, in the order of their rows.
    private(set) var waiting: [Waiting] = []
    /// When a service said last that a device gets too much.
    var lastHold = BootTime.zero - .hours(1)

    /// What people pressed or ordered, each once, by who may have done it as the ledger names it.
    private var tickets: [String: Set<String>] = [:]
    /// Orders that the ledger holds, by the same.
    private(set) var orders: [String: Int] = [:]
    private(set) var pressed = 0
    /// More than was given.
    private(set) var excess: (origin: String, count: Int)?

    mutating func arrive(_ arrival: Arrival) {
        arrivals += 1
        if let message = arrival.message { arrived[arrival.address, default: []].insert(message) }
        guard let event = try? JSON(parsing: arrival.text), let raw = event["raw"]?.stringValue else { return }
        if event["seq"] == nil, event["u"] == nil {
            broken = (.storedBeforeSent, "\(arrival.address) is told neither number nor mark: \(arrival.text)")
        }
        events[arrival.address, default: []].insert(Self.mark(raw, event["timestamp"]?.integerValue ?? 0))
    }

    /// Where the channel does not show our name of a message.
    func hasArrived(_ event: Event, at address: String) -> Bool {
        events[address]?.contains(Self.mark(event.raw, event.time.seconds)) ?? false
    }

    private static func mark(_ raw: String, _ seconds: Int64) -> String { "\(raw) \(seconds)" }

    func hasArrived(_ message: MessageID, at address: String) -> Bool { arrived[address]?.contains(message) ?? false }

    mutating func give(_ ticket: String, to origin: String) {
        tickets[origin, default: []].insert(ticket)
        pressed += 1
    }

    /// What somebody there does with a one-time code, apart from the rest.
    static func coded(_ address: String) -> String { "\(address) with a code" }

    func tickets(of origin: String) -> Int { tickets[origin]?.count ?? 0 }

    /// Who ordered, by the ledger's words; nil: somebody else than people by these channels.
    private func giver(_ origin: String) -> String? {
        if origin.hasPrefix("house ") { return origin }
        guard origin.hasPrefix("contact "), let number = Int64(origin.dropFirst("contact ".count)) else { return nil }
        return owners[AddressID(number)]?.value ?? origin
    }

    private mutating func count(_ origin: String) {
        orders[origin, default: 0] += 1
        if orders[origin, default: 0] > tickets(of: origin) { excess = (origin, orders[origin, default: 0]) }
    }

    /// A batch is durable.
    mutating func committed(_ batch: Batch, at now: BootTime) {
        for row in batch.outbox where owners[row.address] != nil && row.priority <= .fault {
            waiting.removeAll { $0.message == row.message }
            let ahead = waiting.count { $0.address == row.address && $0.priority == .fault }
            waiting.append(
                Waiting(
                    message: row.message, address: row.address, priority: row.priority, since: now, ahead: ahead))
        }
        for change in batch.outboxChanges where change.state.isFinal {
            waiting.removeAll { $0.message == change.message }
        }
        for row in batch.ledger where row.outcome == nil {
            guard let origin = giver(row.origin) else { continue }
            count(origin)
            let isCoded =
                row.summary.hasPrefix("disarm ") && owners.contains { $1.value == origin && $1.channel == .xmpp }
            if isCoded { count(Self.coded(origin)) }
        }
    }
}
