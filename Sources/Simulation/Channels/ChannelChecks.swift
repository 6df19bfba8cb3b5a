import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// What the world remembers to hold the other channels' promises against.
///
/// Guarantees: what was given, written, sent and taken is counted once each, by what is on the disk and on the wires and
/// not by what the core says of it.
struct ChannelChecks: Sendable {
    struct Waiting: Equatable, Sendable {
        var message: MessageID
        var address: AddressID
        var priority: PriorityClass
        var since: BootTime
        /// So many faults waited for the same address when it came; they leave before it.
        var ahead = 0
    }

    /// Whose each address of a contact or of the house is.
    struct Owner: Equatable, Sendable {
        var channel: ChannelKind
        var value: String
        var person: PersonID?
        /// When the book with it reached the disk.
        var since: BootTime
    }

    /// Of what people and the house say to the box.
    private var serial = 0
    /// What was broken in the middle of something that cannot tell.
    private var broken: (promise: Violation.Promise, detail: String)?
    /// Messages that a service has taken, by its address.
    private(set) var arrived: [String: Set<MessageID>] = [:]
    private(set) var arrivals = 0
    /// Message that a report to the receiver stands for, by its number there, as the box ordered it to be stored last.
    private(set) var reports: [Int: MessageID] = [:]
    private(set) var hasUnnamedReports = false
    /// Events that a program was told, by its address.
    private var events: [String: Set<String>] = [:]
    private(set) var owners: [AddressID: Owner] = [:]
    /// Alarms and faults that nobody has taken so far, in the order of their rows.
    private(set) var waiting: [Waiting] = []
    /// When a service said last that a device gets too much.
    private(set) var lastHold = BootTime.zero - .hours(1)

    /// What people pressed or ordered, each once, by who may have done it as the ledger names it.
    private var tickets: [String: Set<String>] = [:]
    /// Orders that the ledger holds, by the same.
    private(set) var orders: [String: Int] = [:]
    private(set) var pressed = 0
    /// More than was given.
    private var excess: (origin: String, count: Int)?

    /// A service of this kind has taken it.
    mutating func arrive(_ arrival: Arrival, by kind: ChannelKind, _ store: SimulatedStore) {
        arrivals += 1
        if let message = arrival.message ?? report(arrival, kind) {
            arrived[arrival.address, default: []].insert(message)
        }
        let json = try? JSON(parsing: arrival.text)
        if let json, let raw = json["raw"]?.stringValue {
            if json["seq"] == nil, json["u"] == nil {
                broken = (.storedBeforeSent, "\(arrival.address) is told neither number nor mark: \(arrival.text)")
            }
            events[arrival.address, default: []].insert(Self.mark(raw, json["timestamp"]?.integerValue ?? 0))
        }
        // What FCM carries is sealed, and what it shows of it is looked at by the phones.
        guard kind != .ntfy, kind != .xmpp, kind != .fcm || json == nil, Self.tellsDuress(arrival, kind, store) else {
            return
        }
        broken = (.duressStaysSecret, "\(kind.rawValue) is told \(arrival.text)")
    }

    /// A receiver sees numbers, and Contact ID 121 is duress. Alarms that leave while the store fails have numbers that no
    /// batch tells.
    private mutating func report(_ arrival: Arrival, _ kind: ChannelKind) -> MessageID? {
        guard kind == .receiver else { return nil }
        let parts = arrival.text.split(separator: " ")
        if parts.count > 1, parts[1].dropFirst() == "121" {
            broken = (.duressStaysSecret, "the receiver is told of duress")
        }
        let message = parts.first.flatMap { Int($0) }.flatMap { reports[$0] }
        if message == nil { hasUnnamedReports = true }
        return message
    }

    /// A batch leaves the core: the number of the report that leaves with it.
    mutating func ordered(_ batch: Batch) {
        guard let record = batch.snapshot?.receiver, let message = record.message else { return }
        reports[record.sequence] = message
    }

    /// Mail carries words only, and the path of a URL no more than a class: there the message's own row tells.
    private static func tellsDuress(_ arrival: Arrival, _ kind: ChannelKind, _ store: SimulatedStore) -> Bool {
        // A browser belongs to a phone, which may be a contact's: its words alone tell.
        if kind != .webPush, let message = arrival.message, store.disk.phones.message(message)?.isDuress ?? false {
            return true
        }
        return arrival.text.contains("\"code\":\"620\"") || arrival.text.lowercased().contains("duress")
    }

    /// A contact is shown what it may press.
    mutating func shows(_ arrival: Arrival, to app: StoreApp) {
        for button in arrival.buttons where !app.labels.contains(button.label) {
            broken = (
                .strangersAreNotObeyed, "\(app.name) is shown '\(button.label)', which was not allowed"
            )
        }
    }

    /// The book is on the disk: whose its addresses are.
    /// - Returns: contacts that were not in it before
    mutating func note(_ book: PhoneBook, at now: BootTime) -> [Contact] {
        for house in book.house where owners[house.address] == nil {
            owners[house.address] = Owner(
                channel: house.kind.channel, value: house.value, person: nil, since: now)
        }
        let fresh = book.contacts.filter { owners[$0.address] == nil }
        for contact in fresh {
            owners[contact.address] = Owner(
                channel: contact.kind == .topic ? .ntfy : .xmpp, value: contact.value, person: contact.person,
                since: now)
        }
        return fresh
    }

    /// A service says that a device gets too much.
    mutating func heldBack(at now: BootTime) { lastHold = now }

    /// A name that nothing had before.
    mutating func name(_ kind: String) -> String {
        serial += 1
        return "\(kind)-\(serial)"
    }

    func look(from here: Standpoint) throws(Violation) {
        if let broken { throw here.broken(broken.promise, broken.detail) }
        guard let (origin, count) = excess else { return }
        throw here.broken(
            .atMostOnce, "\(count) orders of \(origin) are in the ledger, \(tickets(of: origin)) were given")
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

    private func tickets(of origin: String) -> Int { tickets[origin]?.count ?? 0 }

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
