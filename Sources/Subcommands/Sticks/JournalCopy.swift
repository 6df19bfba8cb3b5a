import AlarmModel
import CommandKit
import EventStore
import PhoneProtocol
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
        case .table: Self.tableHead + "\r\n"
        case .lines: ""
        }
    }

    func text(_ events: [StoredEvent], rules: TimeZoneRules) -> String {
        switch self {
        case .table: events.map { Self.row($0, rules) + "\r\n" }.joined()
        case .lines: events.map { EventText.json($0) + "\n" }.joined()
        }
    }

    static let tableHead = "number,time,type,code,partition,zone,user,text,remark"

    static func row(_ stored: StoredEvent, _ rules: TimeZoneRules) -> String {
        let event = stored.event
        var remarks: [String] = []
        if !event.isTimeTrusted { remarks.append("the clock was not trusted") }
        if event.flags.contains(.whileAway) { remarks.append("while away") }
        if event.flags.contains(.maintenance) { remarks.append("maintenance") }
        let cells = [
            "\(stored.seq.number)", rules.civilTime(at: event.time).text, event.type.rawValue, event.code,
            place(event.partition, event.partitionName), place(event.zone, event.zoneName),
            place(event.user, event.userName), event.message, remarks.joined(separator: ", "),
        ]
        return cells.map(cell).joined(separator: ",")
    }

    /// `3 Kitchen window`
    private static func place(_ number: Int?, _ name: String?) -> String {
        [number.map { "\($0)" }, name].compactMap { $0 }.joined(separator: " ")
    }

    private static func cell(_ text: String) -> String {
        let text = Text.printable(text)
        // A spreadsheet takes what begins so for a formula.
        let safe = text.first.map { "=+-@".contains($0) } ?? false ? "'\(text)" : text
        guard safe.utf8.contains(where: { [0x22, 0x2C].contains($0) }) else { return safe }
        return "\"\(safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
    }
}
