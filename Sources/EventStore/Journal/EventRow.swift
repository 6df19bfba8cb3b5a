import AlarmModel

/// An event as a row: the columns of `Schema.eventColumns`, in that order.
enum EventRow {
    static let columnCount: Int32 = 18

    static func insertion(into table: String) -> String {
        let marks = (1...columnCount).map { "?\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(Schema.eventColumns)) VALUES (\(marks))"
    }

    static func bind(_ event: Event, seq: Int64, to statement: Statement) {
        statement.bind(1, seq)
        statement.bind(2, event.time.milliseconds)
        statement.bind(3, event.isTimeTrusted ? 1 : 0)
        statement.bind(4, event.type.rawValue)
        statement.bind(5, event.code)
        statement.bind(6, event.raw)
        statement.bind(7, event.message)
        statement.bind(8, event.partition)
        statement.bind(9, event.partitionName)
        statement.bind(10, event.zone)
        statement.bind(11, event.zoneName)
        statement.bind(12, event.user)
        statement.bind(13, event.userName)
        statement.bind(14, Int64(event.flags.rawValue))
        statement.bind(15, event.flapCount)
        statement.bind(16, event.command.map { Int64(bitPattern: $0.number) })
        statement.bind(17, event.unstored?.text)
        statement.bind(18, event.about?.text)
    }

    /// The event of the current row; what stands in for it when the row makes no sense.
    static func read(_ statement: Statement) -> StoredEvent {
        let seq = SequenceNumber(statement.integer(0) ?? 0)
        return StoredEvent(seq: seq, event: readable(statement) ?? substitute(time: statement.integer(1)))
    }

    /// nil for a row with an unknown type, a missing value or a value of another kind.
    static func readable(_ statement: Statement) -> Event? {
        guard let time = statement.integer(1), let trusted = statement.integer(2),
            let type = statement.text(3).flatMap(EventType.init(rawValue:)), let code = statement.text(4),
            let raw = statement.text(5), let message = statement.text(6),
            let flags = statement.integer(13).flatMap(UInt32.init(exactly:))
        else { return nil }
        for column in [7, 9, 11, 14, 15] as [Int32] where !statement.isNull(column) {
            guard let value = statement.integer(column), Int(exactly: value) != nil else { return nil }
        }
        for column in [8, 10, 12, 16] as [Int32] where !statement.isNull(column) {
            guard statement.text(column) != nil else { return nil }
        }
        let mark = statement.text(16).map { UnstoredMark($0) }
        if case .some(.none) = mark { return nil }
        return Event(
            type: type, code: code, raw: raw, message: message, time: WallTime(milliseconds: time),
            isTimeTrusted: trusted != 0, partition: statement.integer(7).map(Int.init(truncatingIfNeeded:)),
            partitionName: statement.text(8), zone: statement.integer(9).map(Int.init(truncatingIfNeeded:)),
            zoneName: statement.text(10), user: statement.integer(11).map(Int.init(truncatingIfNeeded:)),
            userName: statement.text(12), flags: EventFlags(rawValue: flags),
            flapCount: statement.integer(14).map(Int.init(truncatingIfNeeded:)),
            command: statement.integer(15).map { CommandID(UInt64(bitPattern: $0)) }, unstored: mark ?? nil,
            // A newer version may know more than links and channels.
            about: statement.text(17).flatMap { EventSubject($0) })
    }

    static func substitute(time: Int64?) -> Event {
        Event(
            type: .unknown, code: EventCode.unreadableRow.rawValue, raw: EventCode.unreadableRow.rawValue,
            message: "unreadable row", time: WallTime(milliseconds: time ?? 0), isTimeTrusted: false)
    }
}
