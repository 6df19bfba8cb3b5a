import AlarmModel
import PhoneProtocol

/// Messages as rows of table `outbox`.
package struct OutboxRows {
    /// Where an event was written, and where its messages stand among others: at twice its number, and duress behind the
    /// newest event before it.
    struct Place {
        var isDuress: Bool
        var seq: Int64
        var place: Int64
    }

    /// A row that makes sense; whether its event can be read is another matter.
    struct Row {
        var message: MessageID
        var address: AddressID
        var isDuress: Bool
        var seq: Int64
        var createdAt: WallTime
        var expiresAt: WallTime
        var state: OutboxState
        var detail: String?
    }

    private let insertion: Statement
    private let change: Statement

    init(_ database: Database) throws(StoreError) {
        // A name that was there already is a fault of ours. Of the two the newer one is what people must learn.
        insertion = try database.prepare(
            """
            INSERT OR REPLACE INTO outbox
            (message, address, is_duress, seq, place, priority, created, expires, state, changed, detail)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '\(OutboxState.waiting.rawValue)', ?7, ?9)
            """, doing: "storing a message")
        change = try database.prepare(
            "UPDATE outbox SET state = ?2, detail = ?3, changed = ?4 WHERE message = ?1",
            doing: "storing what became of a message")
    }

    /// - Parameter places: of the batch's events, in their order.
    func write(_ batch: Batch, places: [Place]) throws(StoreError) {
        for row in batch.outbox {
            precondition(places.indices.contains(row.event), "a message is about an event of its own batch")
            let place = places[row.event]
            insertion.bind(1, row.message.text)
            insertion.bind(2, row.address.number)
            insertion.bind(3, place.isDuress ? 1 : 0)
            insertion.bind(4, place.seq)
            insertion.bind(5, place.place)
            insertion.bind(6, row.priority.rawValue)
            insertion.bind(7, row.createdAt.milliseconds)
            insertion.bind(8, row.expiresAt.milliseconds)
            // What becomes of the message takes its place.
            insertion.bind(9, row.picture?.form.text)
            try insertion.run()
        }
        for row in batch.outboxChanges {
            change.bind(1, row.message.text)
            change.bind(2, row.state.rawValue)
            change.bind(3, row.detail)
            change.bind(4, row.time.milliseconds)
            try change.run()
        }
    }

    static let columns =
        "rowid, message, address, is_duress, seq, place, priority, created, expires, state, detail"

    /// For one address in the order in which they are sent. A row without a name is passed over: nobody could end it.
    package static let openSelection = """
        SELECT \(columns) FROM outbox WHERE address = ?1 AND \(Schema.open) AND typeof(message) = 'text'
        ORDER BY priority, place, rowid
        """

    /// Where an alarm was taken.
    static let takenSelection = """
        SELECT address FROM outbox WHERE is_duress = 0 AND seq = ?1 AND typeof(address) = 'integer'
        AND state IN (\(OutboxState.allCases.filter(\.isTaken).map { "'\($0.rawValue)'" }.joined(separator: ", ")))
        ORDER BY rowid
        """

    package static let deadSelection = """
        SELECT \(columns) FROM outbox WHERE \(Schema.dead) AND \(Schema.notDuress) AND typeof(message) = 'text'
        ORDER BY changed DESC, rowid DESC LIMIT ?1
        """

    /// The lowest number of an event whose message is open, and does not expire before a time that may be NULL.
    package static let firstNeededSelection = """
        SELECT min(seq) FROM outbox WHERE \(Schema.open) AND +is_duress = ?1
        AND (?2 IS NULL OR expires > ?2) AND typeof(message) = 'text'
        """

    /// nil for a row with an unknown state, a missing value or a value of another kind.
    static func readable(_ statement: Statement) -> Row? {
        guard let message = statement.text(1), let address = statement.integer(2),
            let isDuress = statement.integer(3), let seq = statement.integer(4), statement.integer(5) != nil,
            statement.integer(6).map(Int.init(truncatingIfNeeded:)).flatMap(PriorityClass.init(rawValue:)) != nil,
            let created = statement.integer(7), let expires = statement.integer(8),
            let state = statement.text(9).flatMap(OutboxState.init(rawValue:)),
            statement.isNull(10) || statement.text(10) != nil
        else { return nil }
        return Row(
            message: MessageID(message), address: AddressID(address), isDuress: isDuress != 0, seq: seq,
            createdAt: WallTime(milliseconds: created), expiresAt: WallTime(milliseconds: expires), state: state,
            detail: statement.text(10))
    }

    /// Of messages about duress there are none as far as anybody can see.
    static func counts(in database: Database) throws(StoreError) -> OutboxCounts {
        var counts = OutboxCounts()
        for condition in [Schema.open, Schema.dead] {
            let statement = try database.prepare(
                "SELECT state, count(*) FROM outbox WHERE \(condition) AND \(Schema.notDuress) GROUP BY state",
                doing: "counting messages")
            while try statement.step() {
                let count = Int(clamping: statement.integer(1) ?? 0)
                switch statement.text(0).flatMap(OutboxState.init(rawValue:)) {
                case .waiting: counts.waiting = count
                case .overdue: counts.overdue = count
                case .dead: counts.dead = count
                case .expired: counts.expired = count
                case .accepted, .received, .seen, .spared, nil: break
                }
            }
        }
        return counts
    }
}
