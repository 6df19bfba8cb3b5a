import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// The promises about the other channels.
extension World {
    /// Longer than any wait before another attempt, and than the answer to one.
    private static let channelPatience = Duration.seconds(400)

    // MARK: What is written

    /// A batch leaves the core: whom its alarms go to.
    func checkAudience(_ batch: Batch) throws(Violation) {
        guard let book = store.disk.phones.book else { return }
        for (index, event) in batch.events.enumerated() {
            let told = batch.outbox.filter { $0.event == index }.map(\.address)
            if event.flags.contains(.duress) {
                for address in told {
                    guard let owner = channelChecks.owners[address] else { continue }
                    guard let person = owner.person.flatMap({ book.person($0) }), person.isDuressContact else {
                        throw broken(.duressStaysSecret, "duress is to be told at \(owner.value)")
                    }
                }
                continue
            }
            guard event.priority == .alarm, !event.flags.contains(.maintenance) else { continue }
            // Somebody who comes or goes just now is not in every book.
            for contact in book.contacts where contact.state == .inUse && !told.contains(contact.address) {
                guard let owner = channelChecks.owners[contact.address], now - owner.since > .seconds(30),
                    isThere(owner.channel, for: event),
                    storeApps.contains(where: { $0.name == contact.name && $0.isPromised })
                else { continue }
                throw broken(.alarmsArrive, "\(contact.name) is not among those who are told of \(event.code)")
            }
            // What is put back in has another number.
            let current = phoneChecks.book ?? book
            for house in current.house where event.type == .alarm && !told.contains(house.address) {
                guard isThere(house.kind.channel, for: event) else { continue }
                throw broken(.alarmsArrive, "\(house.value) is not among those who are told of \(event.code)")
            }
        }
    }

    /// Whether the channel stood in the configuration when this event was made.
    private func isThere(_ channel: ChannelKind, for event: Event) -> Bool {
        guard let index = hosts.index(channel), !hosts[index].isTakenOut else { return false }
        return hosts[index].backInAt.map { $0 <= earliest(event) } ?? true
    }

    // MARK: What leaves

    /// Bytes for a service leave the box.
    mutating func checkSending(_ bytes: [UInt8], by kind: ChannelKind) throws(Violation) {
        try checkSecrets(bytes, towards: kind.rawValue)
        if kind == .mqtt || kind == .beanstalk || kind == .url, let start = Self.place(of: Self.number, in: bytes) {
            let digits = bytes[start...].prefix { (0x30...0x39).contains($0) }
            let seq = Int64(String(decoding: digits, as: UTF8.self)) ?? 0
            guard seq <= store.disk.last.number else {
                throw broken(
                    .storedBeforeSent, "\(seq) of \(store.disk.last.number) stored goes out by \(kind.rawValue)")
            }
        }
        guard let name = Self.messageName(in: bytes, of: kind), name.counter < 1 << 40 else { return }
        guard store.disk.phones.message(name.message) == nil, !store.badRows.holds(name.message),
            !store.wasBad(for: kind, at: now)
        else { return }
        throw broken(
            .storedBeforeSent, "message \(name.message) goes out by \(kind.rawValue) and has no row on the disk")
    }

    /// Our secrets bear a mark and the name of the way that they belong to.
    func checkSecrets(_ bytes: [UInt8], towards kind: String) throws(Violation) {
        guard let end = Self.place(of: Array(Self.mark.utf8), in: bytes) else { return }
        guard !bytes[end...].starts(with: Array(kind.utf8)) else { return }
        throw broken(
            .secretsStay, "a secret of \(String(decoding: bytes[end...].prefix(8), as: UTF8.self)) goes to \(kind)")
    }

    /// Nobody logs in on a connection that is not encrypted yet.
    func checkLogin(_ bytes: [UInt8], on connection: ConnectionID, _ host: ChannelHost) throws(Violation) {
        guard !host.startsEncrypted, host.kind == .xmpp || host.kind == .mail, !host.secured.contains(connection),
            ["<auth", "AUTH "].contains(where: { Self.place(of: Array($0.utf8), in: bytes) != nil })
        else { return }
        throw broken(.secretsStay, "a login by \(host.kind.rawValue) leaves before the connection is encrypted")
    }

    static let mark = "S3CR3T-"

    /// Where it is over.
    private static func place(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        guard let first = wanted.first, bytes.count >= wanted.count else { return nil }
        var index = 0
        while index <= bytes.count - wanted.count {
            if bytes[index] == first, bytes[index..<index + wanted.count].elementsEqual(wanted) {
                return index + wanted.count
            }
            index += 1
        }
        return nil
    }

    private static let names: [[UInt8]] = [
        "\"sequence_id\":\"", "X-Sequence-ID: ", "Idempotency-Key: ", "Message-ID: <", " id=\"",
        "\"message\":\"",
    ].map { Array($0.utf8) }
    /// Events for programs show their number.
    private static let number = Array("\"seq\":".utf8)

    private static func messageName(
        in bytes: [UInt8], of kind: ChannelKind
    ) -> (message: MessageID, counter: UInt64)? {
        let wanted: [[UInt8]] =
            switch kind {
            case .ntfy: Array(names[0...1])
            case .url: [names[2]]
            case .mail: [names[3]]
            case .program: [names[5]]
            case .xmpp: [names[4]]
            case .mqtt, .beanstalk, .fcm, .ccs: []
            }
        for name in wanted {
            guard let start = place(of: name, in: bytes) else { continue }
            let text = bytes[start...].prefix { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "@") }
            let id = String(decoding: text, as: UTF8.self)
            guard let counter = id.split(separator: "-").last.flatMap({ UInt64($0) }) else { return nil }
            return (MessageID(id), counter)
        }
        return nil
    }

    // MARK: What arrives

    mutating func arrived(_ arrival: Arrival, by kind: ChannelKind) {
        channelChecks.arrive(arrival)
        if kind == .fcm, let message = try? JSON(parsing: arrival.text) {
            return pushTurn { $0.handOver(message, at: $1, into: &$2) }
        }
        if kind != .ntfy, kind != .xmpp, tellsDuress(arrival) {
            channelChecks.broken = (.duressStaysSecret, "\(kind.rawValue) is told \(arrival.text)")
        }
        guard let index = storeApps.firstIndex(where: { $0.topic == arrival.address }) else { return }
        for button in arrival.buttons where !storeApps[index].labels.contains(button.label) {
            channelChecks.broken = (
                .strangersAreNotObeyed, "\(storeApps[index].name) is shown '\(button.label)', which was not allowed"
            )
        }
        storeApps[index].take(arrival)
    }

    /// Mail carries words only, and the path of a URL no more than a class: there the message's own row tells.
    private func tellsDuress(_ arrival: Arrival) -> Bool {
        if let message = arrival.message, store.disk.phones.message(message)?.isDuress ?? false { return true }
        return arrival.text.contains("\"code\":\"620\"") || arrival.text.lowercased().contains("duress")
    }

    // MARK: After each step

    func checkChannels() throws(Violation) {
        if let found = channelChecks.broken { throw broken(found.promise, found.detail) }
        guard let (origin, count) = channelChecks.excess else { return }
        throw broken(
            .atMostOnce,
            "\(count) orders of \(origin) are in the ledger, \(channelChecks.tickets(of: origin)) were given")
    }

    /// What waits although its channel has been sound for long.
    func checkChannelDelivery() throws(Violation) {
        guard !store.isBad(at: now), store.disk.fault == nil else { return }
        for waiting in channelChecks.waiting {
            guard let owner = channelChecks.owners[waiting.address], let index = hosts.index(owner.channel),
                let sound = hosts[index].sound(at: now), isInUse(waiting.address)
            else { continue }
            let since = max(sound, waiting.since, store.goodSince)
            guard now - since > Self.channelPatience else { continue }
            if waiting.priority == .fault {
                // Limits of ours and of the service; and it need not leave when another channel has brought it.
                guard now - channelChecks.lastHold > .minutes(40), isAlone(waiting) else { continue }
            }
            throw broken(
                .alarmsArrive,
                "\(waiting.message) for \(owner.value) waits since \((waiting.since - .zero).milliseconds) ms, and "
                    + "\(owner.channel.rawValue) is sound since \((sound - .zero).milliseconds) ms: "
                    + "\(store.disk.phones.message(waiting.message).map { "\($0.state) \($0.detail ?? "")" } ?? "no row")"
            )
        }
    }

    private func isInUse(_ address: AddressID) -> Bool {
        guard let book = store.disk.phones.book else { return false }
        return book.contacts.contains { $0.address == address && $0.state == .inUse }
            || book.house.contains { $0.address == address }
    }

    /// Few wait there, and no sibling of it has arrived or is on its way.
    private func isAlone(_ waiting: ChannelChecks.Waiting) -> Bool {
        guard channelChecks.waiting.count(where: { $0.address == waiting.address }) <= 20,
            let row = store.disk.phones.message(waiting.message)
        else { return false }
        return !store.disk.phones.messages.contains {
            $0.place == row.place && $0.row.message != waiting.message && $0.state.isFinal
        }
    }

    func isTold(_ message: PhoneShelf.Message, _ owner: ChannelChecks.Owner) -> Bool {
        let index = Int(message.number - store.disk.oldest.number)
        guard !message.isDuress, store.disk.rows.indices.contains(index) else { return true }
        return channelChecks.hasArrived(store.disk.rows[index].event, at: owner.value)
    }

    // MARK: At the end

    func checkChannelsSettled() throws(Violation) {
        for app in storeApps where !isPaired(app) {
            throw broken(
                .everythingSettles, "\(app.name) is not paired; affair \(contactAffair.map { "\($0)" } ?? "none")")
        }
        for message in store.disk.phones.messages {
            guard let owner = channelChecks.owners[message.row.address], isInUse(message.row.address) else { continue }
            let id = message.row.message
            switch message.state {
            case .accepted, .received, .seen:
                guard message.state == .seen || channelChecks.hasArrived(id, at: owner.value) || isTold(message, owner)
                else {
                    throw broken(.alarmsArrive, "\(id) counts as \(message.state), and \(owner.value) has it not")
                }
            case .dead, .expired:
                guard message.row.priority > .alarm else {
                    throw broken(
                        .alarmsArrive, "\(id) for \(owner.value) is \(message.state): \(message.detail ?? "")")
                }
            case .spared: break
            case .waiting, .overdue:
                let age = moment.wall - message.row.createdAt
                guard message.row.priority <= .fault, age > .seconds(600) else { continue }
                throw broken(.everythingSettles, "\(id) for \(owner.value) is \(message.state)")
            }
        }
    }
}
