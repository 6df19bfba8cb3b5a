package import AlarmModel

/// What became of messages, for the history. Of messages about duress nothing is told.
extension JournalReader {
    /// One message of an event.
    package struct Delivery: Equatable, Sendable {
        package var address: AddressID
        package var state: OutboxState
        /// From the message to its state.
        package var after: Duration
    }

    /// All messages to one address that came to one state.
    package struct DeliverySum: Equatable, Sendable {
        package var address: AddressID
        package var state: OutboxState
        package var count: Int
        /// From the message to its state.
        package var average: Duration
        package var longest: Duration
    }

    /// By address; messages of the last 30 days, as the store keeps them.
    ///
    /// - Parameter limit: of messages
    package func deliveries(of event: SequenceNumber, limit: Int) throws(StoreError) -> [Delivery] {
        guard try hasPhoneTables() else { return [] }
        let statement = try database.prepare(
            """
            SELECT address, state, max(0, changed - created) FROM outbox WHERE is_duress = 0 AND seq = ?1
            ORDER BY address, rowid LIMIT ?2
            """, doing: "reading messages")
        statement.bind(1, event.number)
        statement.bind(2, limit)
        var found: [Delivery] = []
        while try statement.step() {
            guard let address = statement.integer(0),
                let state = statement.text(1).flatMap(OutboxState.init(rawValue:)),
                let after = statement.integer(2)
            else { continue }
            found.append(Delivery(address: AddressID(address), state: state, after: .milliseconds(after)))
        }
        return found
    }

    /// By address and state. Reads all messages: for a command line, not for the daemon.
    package func deliverySums() throws(StoreError) -> [DeliverySum] {
        guard try hasPhoneTables() else { return [] }
        let statement = try database.prepare(
            """
            SELECT address, state, count(*), CAST(avg(max(0, changed - created)) AS INTEGER), max(changed - created)
            FROM outbox
            WHERE \(Schema.notDuress) GROUP BY address, state ORDER BY address, state
            """, doing: "counting messages")
        var sums: [DeliverySum] = []
        while try statement.step() {
            guard let address = statement.integer(0),
                let state = statement.text(1).flatMap(OutboxState.init(rawValue:))
            else { continue }
            sums.append(
                DeliverySum(
                    address: AddressID(address), state: state, count: Int(clamping: statement.integer(2) ?? 0),
                    average: .milliseconds(statement.integer(3) ?? 0),
                    longest: .milliseconds(max(0, statement.integer(4) ?? 0))))
        }
        return sums
    }
}
