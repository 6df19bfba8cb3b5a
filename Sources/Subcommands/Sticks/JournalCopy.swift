import AlarmModel
import Reports

/// The journal as files for other programs: a table for a spreadsheet (RFC 4180), or one JSON object per line. Neither
/// has alarms under duress, and their numbers have no gap that tells of one.
enum JournalCopy: CaseIterable {
    case table, lines

    var fileEnding: String {
        switch self {
        case .table: "csv"
        case .lines: "jsonl"
        }
    }

    var head: String {
        switch self {
        case .table: EventTable.head + "\r\n"
        case .lines: ""
        }
    }

    func text(_ events: [StoredEvent], rules: TimeZoneRules) -> String {
        switch self {
        case .table: events.map { EventTable.row($0, rules) + "\r\n" }.joined()
        case .lines: events.map { EventText.json($0) + "\n" }.joined()
        }
    }
}
