import AlarmModel
import ApplianceCore
import Companion
import PanelLink
import PhoneLink
import PhoneProtocol

/// The promises about phones.
extension World {
    // MARK: What is written

    /// A batch leaves the core: its alarms go to every phone. While the store fails batches leave late, and without the
    /// phone books that newer ones have replaced; in the step after a commit such ones may be among them.
    func checkPhonesAreTold(_ batch: Batch, after input: Input) throws(Violation) {
        if case .committed = input { return }
        guard let book = phoneChecks.book, !store.isBad(at: now), hasChannelToPhones else { return }
        for (index, event) in batch.events.enumerated()
        where event.priority == .alarm && event.flags.isDisjoint(with: [.duress, .maintenance]) {
            let told = batch.outbox.filter { $0.event == index }.map(\.address)
            for phone in book.phones {
                for address in phone.addresses where address.state == .inUse && !told.contains(address.id) {
                    guard let since = phoneChecks.inUse[address.id], now - since > .seconds(30) else { continue }
                    throw broken(.alarmsArrive, "\(phone.name) is not among those who are told of \(event.code)")
                }
            }
        }
    }

    /// The owner may have taken it out.
    var hasChannelToPhones: Bool {
        configuration.phones.account != nil || configuration.phones.channels.contains { $0.kind == .fcm }
    }

    // MARK: What leaves

    /// The vault seals something for a phone.
    mutating func checkSealing(_ message: BoxMessage, for phone: PhoneID) throws(Violation) {
        if phoneChecks.revoked.contains(phone), message.kind != .bye {
            throw broken(.revokedPhonesAreOut, "phone \(phone) is told \(message.content.text.prefix(80))")
        }
        if message.kind == .status, message.rid == nil { modemChecks.signs[phone] = now }
        let content = message.content
        if message.kind == .result, content["out"]?.stringValue == "ok", store.isBad(at: now),
            let counter = content["ctr"]?.stringValue.flatMap({ UInt64($0) })
        {
            phoneChecks.toldUnstored.insert(PhoneShelf.Spent(phone: phone, counter: counter))
        }
        guard message.kind == .event else { return }
        let text = content.text.prefix(120)
        if let seq = content["seq"]?.stringValue.flatMap({ Int64($0) }) {
            guard seq <= store.disk.last.number else {
                throw broken(.storedBeforeSent, "number \(seq) of \(store.disk.last.number) stored: \(text)")
            }
            let index = Int(seq - store.disk.oldest.number)
            guard
                !store.disk.rows.indices.contains(index)
                    || store.disk.rows[index].event.code == content["code"]?.stringValue
            else { throw broken(.storedBeforeSent, "number \(seq) holds something else than \(text)") }
            return
        }
        guard let mark = content["u"]?.stringValue else {
            throw broken(.storedBeforeSent, "neither number nor mark: \(text)")
        }
        let isBad = store.isBad(at: now)
        let waiting = store.thread.events
        let isStoredDuress = store.disk.duress.contains { $0.event.unstored?.text == mark }
        // The core may hold it back while the disk is silent: then only its words tell.
        let isDuress =
            isStoredDuress || content["message"]?.stringValue?.hasPrefix("Duress") == true
            || waiting.contains { $0.flags.contains(.duress) && $0.unstored?.text == mark }
        if isDuress {
            guard contacts.contains(phone) else {
                throw broken(.duressStaysSecret, "phone \(phone) is no contact and is told \(text)")
            }
            guard isStoredDuress || isBad || store.badRows.holds(mark: mark) else {
                throw broken(.storedBeforeSent, "duress: \(text)")
            }
            return
        }
        guard content["type"]?.stringValue == "alarm" else {
            throw broken(.storedBeforeSent, "no alarm, and no number: \(text)")
        }
        guard
            isBad || store.badRows.holds(mark: mark)
                || store.disk.rows.contains(where: { $0.event.unstored?.text == mark })
        else {
            throw broken(.storedBeforeSent, "the store works, and this has no number: \(text)")
        }
    }

    private var contacts: [PhoneID] {
        guard let book = store.disk.phones.book, let person = book.person(named: Self.contact) else { return [] }
        return book.phones.filter { $0.person == person.id }.map(\.id)
    }

    /// What is told of an event each time it is sent.
    static func meaning(of content: JSON) -> String {
        ["code", "raw", "timestamp", "zone", "part"].map { content[$0]?.stringValue ?? "" }.joined(separator: "|")
    }

    /// Bytes for the push service leave the box.
    mutating func checkSending(_ bytes: [UInt8], on connection: ConnectionID) throws(Violation) {
        guard bytes.starts(with: Array("<message".utf8)), let first = bytes.firstIndex(of: UInt8(ascii: "{")),
            let last = bytes.lastIndex(of: UInt8(ascii: "}"))
        else { return }
        var text = String(decoding: bytes[first...last], as: UTF8.self)
        if text.utf8.contains(UInt8(ascii: "&")) { text = Self.unescaped(text) }
        guard let json = try? JSON(parsing: text), json["message_type"] == nil,
            let id = json["message_id"]?.stringValue, let token = json["to"]?.stringValue,
            let counter = id.split(separator: "-").last.flatMap({ UInt64($0) }), counter < 1 << 40,
            let envelope = json["data"]?["e"]?.stringValue.flatMap({ try? Base64URL.decode($0) }),
            let sealed = phoneChecks.sealed[Array(envelope[10..<26])]
        else { return }
        guard store.disk.phones.message(MessageID(id)) != nil || sealed.seq == nil || store.badRows.holds(MessageID(id))
        else {
            throw broken(.storedBeforeSent, "message \(id) has no row on the disk")
        }
        phoneChecks.sends(id, on: connection)
        let meaning = sealed.event ?? ""
        if let known = phoneChecks.meanings[id], known != meaning {
            throw broken(.oneNameForOneMessage, "\(id) is \(meaning), and was \(known)")
        }
        phoneChecks.meanings[id] = meaning
        guard let seq = sealed.seq else { return }
        let name = PhoneChecks.Named(token: token + sealed.phone.description, seq: seq)
        if let known = phoneChecks.names[name], known != id {
            throw broken(.oneNameForOneMessage, "number \(seq) goes to \(token) as \(id), and went as \(known)")
        }
        phoneChecks.names[name] = id
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

    // MARK: After each step

    mutating func checkPhones() throws(Violation) {
        try phoneChecks.look(at: store.disk.phones, from: standpoint)
        let tally = push.tally
        guard tally.beyondWindow == 0 else {
            throw broken(.windowIsKept, "a message was sent while \(tally.widestWindow) waited for their answer")
        }
        // Stream errors are not counted: the box may end a stream while the word that it is over is still under way.
        let faults = tally.strayAcknowledgements + tally.badAcknowledgements + tally.stanzaErrors
        guard faults == 0 else { throw broken(.acksAreOwed, "\(tally)") }
        guard store.disk.phones.log == 1 else {
            throw broken(.phonesAgree, "the journal was taken for a restored copy")
        }
    }

    /// What was under way when a connection ended goes out again on the next, unless FCM has taken the phones over.
    func checkResending() throws(Violation) {
        guard !store.isBad(at: now), configuration.phones.account != nil,
            !configuration.phones.channels.contains(where: { $0.kind == .fcm }), pushBackAt <= now,
            now - phoneChecks.lastHold > .minutes(40),
            let wire = pushWires.last, wire.isOpen, now - wire.since > .seconds(120),
            let connection = push.connections.first(where: { $0.id == wire.peer }), connection.stage == .ready,
            connection.silence == .off, !connection.isDraining
        else { return }
        for sent in phoneChecks.underWay where !pushWires.contains(where: { $0.connection == sent.connection }) {
            guard let row = store.disk.phones.message(MessageID(sent.message)), row.state == .waiting else { continue }
            throw broken(
                .alarmsArrive,
                "\(sent.message) was under way when its connection ended, and was not sent again for two minutes")
        }
    }

    // MARK: At the end

    func checkPhonesSettled() throws(Violation) {
        for (index, phone) in phones.enumerated() {
            guard isPaired(index), let id = phone.id, let memory = phone.app.phone?.memory, memory.roles != nil else {
                throw broken(.everythingSettles, "\(phone.name) is not paired: \(pairingWords(index))")
            }
            try compareLog(of: phone, memory)
            try compareState(of: phone, memory)
            if let open = memory.commands.first(where: { $0.outcome == .pending }) {
                throw broken(.everythingSettles, "\(phone.name) still waits for the outcome of \(open)")
            }
            let rows = store.disk.phones.counters.first { $0.phone == id }?.rows ?? []
            if let open = rows.first(where: { $0.result == nil }) {
                throw broken(.everythingSettles, "command \(open.counter) of \(phone.name) has no outcome")
            }
            for record in memory.commands where record.outcome == .ok {
                let row = rows.first { Int64(exactly: $0.counter) == record.counter }
                // The panel had confirmed it, the disk could not take that, the power went: a restart knows no better.
                let isUnknown =
                    row?.result?.out == .timeout
                    && row.map { phoneChecks.toldUnstored.contains(PhoneShelf.Spent(phone: id, counter: $0.counter)) }
                        ?? false
                guard row == nil || row?.result?.out == .ok || isUnknown else {
                    throw broken(.phonesAgree, "\(phone.name) was told ok of \(record), the ledger says otherwise")
                }
            }
            try checkArrived(at: phone, id, memory)
        }
    }

    private func pairingWords(_ index: Int) -> String {
        "id \(phones[index].id.map(\.description) ?? "none"), on \(phones[index].isOn), "
            + "book \(store.disk.phones.book?.phones.map(\.id.description) ?? []), affair \(affair.map { "\($0)" } ?? "none"), "
            + "roles \(phones[index].app.phone?.memory.roles ?? [])"
    }

    private func compareLog(of phone: HousePhone, _ memory: PhoneMemory) throws(Violation) {
        guard memory.log.log == store.disk.phones.log else { throw broken(.phonesAgree, "\(phone.name) has no log") }
        guard memory.log.newest == store.disk.last.number, memory.log.missing.isEmpty else {
            throw broken(
                .phonesAgree,
                "\(phone.name) misses \(memory.log.missing) and knows \(memory.log.newest) of \(store.disk.last.number); "
                    + "the journal begins at \(store.disk.oldest.number); its token is \(phone.token), the box knows "
                    + "\(phone.id.flatMap { store.disk.phones.book?.phone($0)?.addresses } ?? [])")
        }
        let held = memory.log.events.drop { ($0.position?.seq ?? 0) < store.disk.oldest.number }
        guard held.count == store.disk.rows.count else {
            throw broken(.phonesAgree, "\(phone.name) holds \(held.count) of \(store.disk.rows.count) rows")
        }
        for (event, row) in zip(held, store.disk.rows) {
            guard event.position?.seq == row.seq.number, event.code == row.event.code, event.raw == row.event.raw
            else { throw broken(.phonesAgree, "\(phone.name) holds \(event), the journal \(row)") }
        }
        guard !memory.view.isTwoBoxes else {
            throw broken(.phonesAgree, "\(phone.name) believes that there are two boxes")
        }
    }

    private func compareState(of phone: HousePhone, _ memory: PhoneMemory) throws(Violation) {
        let numbers = configuration.panel.partitions
        for number in numbers { try compareState(of: phone, memory, partition: number, isFirst: number == numbers[0]) }
    }

    private func compareState(
        of phone: HousePhone, _ memory: PhoneMemory, partition number: Int, isFirst: Bool
    ) throws(Violation) {
        guard let core = appliance, core.panel.link == .up,
            let known = core.panel.partitions.first(where: { $0.number == number })?.status.current
        else { return }
        let told = memory.view.state?.partition(number)
        let isArmed: Bool? =
            switch told?.arming {
            case .disarmed: false
            case .stay, .away, .noEntryDelay, .entryDelay: true
            case .exitDelay, nil: nil
            }
        let open = core.panel.zones.filter { zone in
            zone.open.current == true && (zone.partition.map { $0 == number } ?? isFirst)
        }.map(\.number)
        guard known.isArmed ? isArmed == true : !known.isDisarmed || isArmed == false, told?.openZones == open else {
            throw broken(
                .phonesAgree, "\(phone.name) shows \(told.map { "\($0)" } ?? "nothing"); it is \(known), \(open)")
        }
    }

    /// It was given up although its address is in use; FCM's server may have lied about it.
    private func isGivenUp(_ message: PhoneShelf.Message, _ id: PhoneID) -> Bool {
        guard message.state == .dead, host(.fcm) == nil else { return false }
        return store.disk.phones.book?.phone(id)?.addresses.contains {
            $0.id == message.row.address && $0.state == .inUse
        } ?? false
    }

    private func checkArrived(at phone: HousePhone, _ id: PhoneID, _ memory: PhoneMemory) throws(Violation) {
        let patience = Duration.seconds(240)
        for message in store.disk.phones.messages where store.disk.phones.owners[message.row.address] == id {
            let age = clock.age(since: message.row.createdAt, at: now)
            if message.row.priority == .alarm, message.state == .expired || isGivenUp(message, id) {
                throw broken(
                    .alarmsArrive,
                    "\(message.row.message) to \(phone.name) is \(message.state): \(message.detail ?? "")")
            }
            if !message.state.isFinal, message.row.priority == .alarm, age > patience {
                throw broken(
                    .alarmsArrive,
                    "\(message.row.message) to \(phone.name) is \(message.state); duress: \(message.isDuress), "
                        + "number \(message.number) of \(store.disk.oldest.number)...\(store.disk.last.number), "
                        + "to \(message.row.address.number) of \(store.disk.phones.book?.phone(id)?.addresses ?? [])")
            }
            // What the service itself says of an Android phone may come before somebody drops it.
            guard message.isDuress, message.state != .dead, message.state != .expired, message.state.isFinal,
                phone.kind == .ios || !attacker.hasDroppedDown
            else { continue }
            let mark = store.disk.duress.first { $0.seq.number == message.number }?.event.unstored?.text
            guard memory.log.unnumbered.contains(where: { $0.event.mark == mark }) else {
                throw broken(.alarmsArrive, "duress \(mark ?? "?") is \(message.state), and \(phone.name) has it not")
            }
        }
        for message in store.disk.phones.messages
        where store.disk.phones.owners[message.row.address] == id && !message.state.isFinal
            && message.row.priority <= .fault
        {
            let age = clock.age(since: message.row.createdAt, at: now)
            if age > .seconds(600) {
                throw broken(.everythingSettles, "\(message.row.message) to \(phone.name) is \(message.state)")
            }
        }
    }
}
