import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// What is written for phones and leaves for them.
extension PhoneChecks {
    /// A batch leaves the core: its alarms go to every phone. While the store fails batches leave late, and without the
    /// phone books that newer ones have replaced; in the step after a commit such ones may be among them.
    func checkAudience(
        of batch: Batch, after input: Input, _ store: SimulatedStore, _ file: OwnersFile, from here: Standpoint
    ) throws(Violation) {
        if case .committed = input { return }
        guard let book, !store.isBad(at: here.now) else { return }
        for (index, event) in batch.events.enumerated()
        where event.priority == .alarm && event.flags.isDisjoint(with: [.duress, .maintenance]) {
            let told = batch.outbox.filter { $0.event == index }.map(\.address)
            for phone in book.phones {
                for address in phone.addresses where address.state == .inUse && !told.contains(address.id) {
                    guard file.carries(address.kind), let since = inUse[address.id], here.now - since > .seconds(30)
                    else { continue }
                    throw here.broken(.alarmsArrive, "\(phone.name) is not among those who are told of \(event.code)")
                }
            }
        }
    }

    /// The vault seals something for a phone.
    mutating func checkSealing(
        _ message: BoxMessage, for phone: PhoneID, _ store: SimulatedStore, from here: Standpoint
    ) throws(Violation) {
        if revoked.contains(phone), message.kind != .bye {
            throw here.broken(.revokedPhonesAreOut, "phone \(phone) is told \(message.content.text.prefix(80))")
        }
        let content = message.content
        if message.kind == .result, content["out"]?.stringValue == "ok", store.isBad(at: here.now),
            let counter = content["ctr"]?.stringValue.flatMap({ UInt64($0) })
        {
            toldUnstored.insert(PhoneShelf.Spent(phone: phone, counter: counter))
        }
        guard message.kind == .event else { return }
        let text = content.text.prefix(120)
        if let seq = content["seq"]?.stringValue.flatMap({ Int64($0) }) {
            guard seq <= store.disk.last.number else {
                throw here.broken(.storedBeforeSent, "number \(seq) of \(store.disk.last.number) stored: \(text)")
            }
            let index = Int(seq - store.disk.oldest.number)
            guard
                !store.disk.rows.indices.contains(index)
                    || store.disk.rows[index].event.code == content["code"]?.stringValue
            else { throw here.broken(.storedBeforeSent, "number \(seq) holds something else than \(text)") }
            return
        }
        guard let mark = content["u"]?.stringValue else {
            throw here.broken(.storedBeforeSent, "neither number nor mark: \(text)")
        }
        let isBad = store.isBad(at: here.now)
        let waiting = store.thread.events
        let isStoredDuress = store.disk.duress.contains { $0.event.unstored?.text == mark }
        // The core may hold it back while the disk is silent: then only its words tell.
        let isDuress =
            isStoredDuress || content["message"]?.stringValue?.hasPrefix("Duress") == true
            || waiting.contains { $0.flags.contains(.duress) && $0.unstored?.text == mark }
        if isDuress {
            guard Self.contacts(in: store).contains(phone) else {
                throw here.broken(.duressStaysSecret, "phone \(phone) is no contact and is told \(text)")
            }
            guard isStoredDuress || isBad || store.badRows.holds(mark: mark) else {
                throw here.broken(.storedBeforeSent, "duress: \(text)")
            }
            return
        }
        guard content["type"]?.stringValue == "alarm" else {
            throw here.broken(.storedBeforeSent, "no alarm, and no number: \(text)")
        }
        guard
            isBad || store.badRows.holds(mark: mark)
                || store.disk.rows.contains(where: { $0.event.unstored?.text == mark })
        else {
            throw here.broken(.storedBeforeSent, "the store works, and this has no number: \(text)")
        }
    }

    private static func contacts(in store: SimulatedStore) -> [PhoneID] {
        guard let book = store.disk.phones.book, let person = book.person(named: World.contact) else { return [] }
        return book.phones.filter { $0.person == person.id }.map(\.id)
    }

    /// What is told of an event each time it is sent.
    private static func meaning(of content: JSON) -> String {
        ["code", "raw", "timestamp", "zone", "part"].map { content[$0]?.stringValue ?? "" }.joined(separator: "|")
    }

    /// The vault has sealed it.
    mutating func seals(_ message: BoxMessage, for phone: PhoneID, _ envelope: [UInt8]) {
        let isEvent = message.kind == .event
        sealed[Array(envelope[10..<26])] = Sealed(
            phone: phone, event: isEvent ? Self.meaning(of: message.content) : nil,
            seq: message.content["seq"]?.stringValue)
    }

    /// Bytes for the push service leave the box.
    mutating func checkSending(
        _ bytes: [UInt8], on connection: ConnectionID, _ store: SimulatedStore, from here: Standpoint
    ) throws(Violation) {
        guard bytes.starts(with: Array("<message".utf8)), let first = bytes.firstIndex(of: UInt8(ascii: "{")),
            let last = bytes.lastIndex(of: UInt8(ascii: "}"))
        else { return }
        var text = String(decoding: bytes[first...last], as: UTF8.self)
        if text.utf8.contains(UInt8(ascii: "&")) { text = Self.unescaped(text) }
        guard let json = try? JSON(parsing: text), json["message_type"] == nil,
            let id = json["message_id"]?.stringValue, let token = json["to"]?.stringValue,
            let counter = id.split(separator: "-").last.flatMap({ UInt64($0) }), counter < 1 << 40,
            let envelope = json["data"]?["e"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
            let sealed = sealed[Array(envelope[10..<26])]
        else { return }
        guard store.disk.phones.message(MessageID(id)) != nil || sealed.seq == nil || store.badRows.holds(MessageID(id))
        else {
            throw here.broken(.storedBeforeSent, "message \(id) has no row on the disk")
        }
        sends(id, on: connection)
        try checkName(id, token, sealed, from: here)
    }

    /// A topic server or a browser's push service has taken it.
    ///
    /// - Parameter text: the envelope as base64url
    mutating func arrives(_ message: MessageID?, at address: String, _ text: String, from here: Standpoint) {
        guard let id = message?.text, let envelope = try? Base64URL.decode(text), envelope.count >= 26,
            let sealed = sealed[Array(envelope[10..<26])],
            let counter = id.split(separator: "-").last.flatMap({ UInt64($0) }), counter < 1 << 40
        else { return }
        do throws(Violation) {
            try checkName(id, address, sealed, from: here)
        } catch {
            broken = error
        }
    }

    private mutating func checkName(
        _ id: String, _ token: String, _ sealed: Sealed, from here: Standpoint
    ) throws(Violation) {
        let meaning = sealed.event ?? ""
        if let known = meanings[id], known != meaning {
            throw here.broken(.oneNameForOneMessage, "\(id) is \(meaning), and was \(known)")
        }
        meanings[id] = meaning
        guard let seq = sealed.seq else { return }
        let name = Named(token: token + sealed.phone.description, seq: seq)
        if let known = names[name], known != id {
            throw here.broken(.oneNameForOneMessage, "number \(seq) goes to \(token) as \(id), and went as \(known)")
        }
        names[name] = id
    }

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        let entities = [("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'")]
        while let place = rest.firstIndex(of: "&") {
            result += rest[..<place]
            rest = rest[place...]
            if let (entity, character) = entities.first(where: { rest.hasPrefix($0.0) }) {
                result += character
                rest = rest.dropFirst(entity.count)
            } else {
                result += "&"
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }

    /// What was under way when a connection ended goes out again on the next, which has been sound for two minutes.
    func checkResending(_ host: PushHost, _ store: SimulatedStore, from here: Standpoint) throws(Violation) {
        guard !store.isBad(at: here.now), here.now - lastHold > .minutes(40),
            host.isSound(for: .seconds(120), at: here.now)
        else { return }
        for sent in underWay where !host.has(sent.connection) {
            guard let row = store.disk.phones.message(MessageID(sent.message)), row.state == .waiting else { continue }
            throw here.broken(
                .alarmsArrive,
                "\(sent.message) was under way when its connection ended, and was not sent again for two minutes")
        }
    }
}
