import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// Whom something is written for, and what leaves for a service.
extension ChannelChecks {
    /// A batch leaves the core: whom its alarms go to.
    /// - Parameters:
    ///   - ordered: the phone book as the core has ordered it to be written last
    ///   - promised: the contacts whose pairing was reported as done, by name
    func checkAudience(
        of batch: Batch, _ hosts: ChannelHosts, _ store: SimulatedStore, ordered: PhoneBook?, promised: [String],
        clock: SimulatedClock, from here: Standpoint
    ) throws(Violation) {
        guard let book = store.disk.phones.book else { return }
        for (index, event) in batch.events.enumerated() {
            let told = batch.outbox.filter { $0.event == index }.map(\.address)
            if event.flags.contains(.duress) {
                for address in told {
                    guard let owner = owners[address] else { continue }
                    guard let person = owner.person.flatMap({ book.person($0) }), person.isDuressContact else {
                        throw here.broken(.duressStaysSecret, "duress is to be told at \(owner.value)")
                    }
                }
                continue
            }
            guard event.priority == .alarm, !event.flags.contains(.maintenance) else { continue }
            /// Whether the channel stood in the configuration when this event was made.
            func isThere(_ channel: ChannelKind) -> Bool {
                guard let index = hosts.index(channel), !hosts[index].isTakenOut else { return false }
                return hosts[index].backInAt.map { $0 <= clock.earliest(event, at: here.now) } ?? true
            }
            // Somebody who comes or goes just now is not in every book.
            for contact in book.contacts where contact.state == .inUse && !told.contains(contact.address) {
                guard let owner = owners[contact.address], here.now - owner.since > .seconds(30),
                    isThere(owner.channel),
                    promised.contains(contact.name)
                else { continue }
                throw here.broken(.alarmsArrive, "\(contact.name) is not among those who are told of \(event.code)")
            }
            // What is put back in has another number.
            let current = ordered ?? book
            for house in current.house where event.type == .alarm && !told.contains(house.address) {
                guard isThere(house.kind.channel) else { continue }
                throw here.broken(.alarmsArrive, "\(house.value) is not among those who are told of \(event.code)")
            }
        }
    }

    // MARK: Bytes

    /// Bytes for a service leave the box.
    func checkSending(
        _ bytes: [UInt8], by kind: ChannelKind, _ store: SimulatedStore, from here: Standpoint
    ) throws(Violation) {
        try Self.checkSecrets(bytes, towards: kind.rawValue, from: here)
        if kind == .receiver { try checkReport(bytes, store, from: here) }
        if kind == .mqtt || kind == .beanstalk || kind == .url, let start = Self.place(of: Self.number, in: bytes) {
            let digits = bytes[start...].prefix { (0x30...0x39).contains($0) }
            let seq = Int64(String(decoding: digits, as: UTF8.self)) ?? 0
            guard seq <= store.disk.last.number else {
                throw here.broken(
                    .storedBeforeSent, "\(seq) of \(store.disk.last.number) stored goes out by \(kind.rawValue)")
            }
        }
        guard let name = Self.messageName(in: bytes, of: kind), name.counter < 1 << 40 else { return }
        guard store.disk.phones.message(name.message) == nil, !store.badRows.holds(name.message),
            !store.wasBad(for: kind, at: here.now)
        else { return }
        throw here.broken(
            .storedBeforeSent, "message \(name.message) goes out by \(kind.rawValue) and has no row on the disk")
    }

    /// A report shows a number; the message that it stands for is on the disk.
    private func checkReport(
        _ bytes: [UInt8], _ store: SimulatedStore, from here: Standpoint
    ) throws(Violation) {
        guard let start = Self.place(of: Array("\"ADM-CID\"".utf8), in: bytes) else { return }
        let number = Int(String(decoding: bytes[start...].prefix(4), as: UTF8.self))
        let message = number.flatMap { reports[$0] }
        let isStored = message.map { store.disk.phones.message($0) != nil || store.badRows.holds($0) } ?? false
        guard !isStored, !store.wasBad(for: .receiver, at: here.now) else { return }
        throw here.broken(
            .storedBeforeSent, "report \(number ?? 0) goes out to the receiver, and its message has no row on the disk")
    }

    /// Our secrets bear a mark and the name of the channel that they belong to.
    static func checkSecrets(_ bytes: [UInt8], towards kind: String, from here: Standpoint) throws(Violation) {
        guard let end = Self.place(of: Array(Self.secretMark.utf8), in: bytes) else { return }
        guard !bytes[end...].starts(with: Array(kind.utf8)) else { return }
        throw here.broken(
            .secretsStay, "a secret of \(String(decoding: bytes[end...].prefix(8), as: UTF8.self)) goes to \(kind)")
    }

    /// Nobody logs in on a connection that is not encrypted yet.
    static func checkLogin(
        _ bytes: [UInt8], on connection: ConnectionID, _ host: ChannelHost, from here: Standpoint
    ) throws(Violation) {
        guard !host.startsEncrypted, host.kind == .xmpp || host.kind == .mail, !host.secured.contains(connection),
            ["<auth", "AUTH "].contains(where: { Self.place(of: Array($0.utf8), in: bytes) != nil })
        else { return }
        throw here.broken(.secretsStay, "a login by \(host.kind.rawValue) leaves before the connection is encrypted")
    }

    static let secretMark = "S3CR3T-"

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
        "\"message\":\"", "\"tag\":\"",
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
            case .webPush: [names[6]]
            case .mqtt, .beanstalk, .fcm, .ccs, .receiver: []
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
}
