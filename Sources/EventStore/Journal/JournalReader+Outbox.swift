package import AlarmModel
import PhoneProtocol

extension JournalReader {
    /// One page, as many messages as `query` asks for (1…`OutboxPage.limit`): it has no cursor, so that a shorter page
    /// could consist of what the asker has already, for ever. The work grows with the page and not with what waits
    /// behind it. A journal that an older program has left holds no messages.
    package func messages(_ query: OutboxQuery) throws(StoreError) -> OutboxPage {
        // All rows and their events are read from one state of the file.
        try database.execute("BEGIN", doing: "reading messages")
        defer { database.rollBack() }
        guard try hasPhoneTables() else { return OutboxPage() }
        switch query {
        case .open(let addresses, let limit):
            return try openMessages(addresses, limit: Self.bounded(limit))
        case .dead(let limit): return try deadMessages(limit: Self.bounded(limit))
        }
    }

    /// Of messages about duress none is counted.
    package func outboxCounts() throws(StoreError) -> OutboxCounts {
        try hasPhoneTables() ? try OutboxRows.counts(in: database) : OutboxCounts()
    }

    /// The number of the oldest event that is kept; when none is, that of the next one.
    package func oldestSequence() throws(StoreError) -> SequenceNumber {
        let first = try database.integer("SELECT min(seq) FROM events", doing: "reading the journal")
        if let first { return SequenceNumber(first) }
        return SequenceNumber(try lastSequence().number + 1)
    }

    /// Reads of open messages that fail before a message is given up whose event cannot be read: a card that fails for
    /// some seconds must not end messages, and a place that stays unreadable must not hold up the others.
    package static let patience = 10

    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), OutboxPage.limit) }

    func hasPhoneTables() throws(StoreError) -> Bool {
        try database.integer("SELECT 1 FROM sqlite_master WHERE name = 'outbox'", doing: "reading messages") != nil
    }

    private func openMessages(
        _ addresses: [AddressID], limit: Int
    ) throws(StoreError) -> OutboxPage {
        let wanted = addresses.sorted()
        var statements: [Statement] = []
        defer { for statement in statements { statement.reset() } }
        for (index, address) in wanted.enumerated() where index == 0 || wanted[index - 1] != address {
            let statement = try openStatement(statements.count)
            statement.bind(1, address.number)
            statements.append(statement)
        }
        var merge = try OutboxMerge(statements)
        var page = OutboxPage()
        var isEveryEventRead = true
        defer { failedPages = isEveryEventRead ? 0 : failedPages + 1 }
        while let row = merge.next {
            guard page.messages.count + page.orphans.count < limit else {
                page.hasMore = true
                break
            }
            let message = OutboxRows.readable(row)
            var event: Event?
            do throws(StoreError) {
                if let message { event = try self.event(of: message) }
            } catch {
                guard error.kind == .corrupt else { throw error }
                isEveryEventRead = false
                if failedPages < Self.patience { throw error }
            }
            if let message, let event {
                var stored = StoredMessage(message, event)
                if event.priority == .alarm, message.state == .waiting, !message.isDuress {
                    // What cannot be read counts as not taken: the alarm itself matters more.
                    stored.takenAt = (try? takenAt(message.seq)) ?? []
                }
                page.messages.append(stored)
            } else if let name = row.text(1) {
                page.orphans.append(MessageID(name))
            }
            try merge.advance()
        }
        return page
    }

    private func takenAt(_ seq: Int64) throws(StoreError) -> [AddressID] {
        let statement = try takenStatement()
        statement.bind(1, seq)
        defer { statement.reset() }
        var addresses: [AddressID] = []
        while try statement.step() {
            if let address = statement.integer(0) { addresses.append(AddressID(address)) }
        }
        return addresses
    }

    /// A message whose event is gone is still shown: a person may ask why nothing came.
    private func deadMessages(limit: Int) throws(StoreError) -> OutboxPage {
        let statement = try database.prepare(OutboxRows.deadSelection, doing: "reading messages")
        statement.bind(1, limit + 1)
        defer { statement.reset() }
        var page = OutboxPage()
        var count = 0
        while try statement.step() {
            count += 1
            if count > limit {
                page.hasMore = true
                break
            }
            guard let message = OutboxRows.readable(statement) else { continue }
            let event = try? event(of: message)
            let substitute = EventRow.substitute(time: message.createdAt.milliseconds)
            page.messages.append(StoredMessage(message, event ?? substitute))
        }
        return page
    }

    /// nil when it is gone, cannot be read, or stands as a substitute.
    private func event(of row: OutboxRows.Row) throws(StoreError) -> Event? {
        let statement = try eventStatement(isDuress: row.isDuress)
        statement.bind(1, row.seq)
        defer { statement.reset() }
        guard try statement.step(), let event = EventRow.readable(statement),
            event.code != EventCode.unreadableRow.rawValue
        else { return nil }
        return event
    }
}

extension StoredMessage {
    fileprivate init(_ row: OutboxRows.Row, _ event: Event) {
        // What a peer said stands only with a state that came later, and an alarm is never told as a picture.
        let mayCarry = row.state == .waiting && event.type == .info
        let carried = mayCarry ? row.detail.flatMap { try? JSON(parsing: $0) } : nil
        self.init(
            message: row.message, address: row.address, seq: row.isDuress ? nil : SequenceNumber(row.seq),
            event: event, createdAt: row.createdAt, expiresAt: row.expiresAt, state: row.state,
            detail: carried == nil ? row.detail : nil, picture: carried.flatMap { PictureReference(form: $0) })
    }
}
