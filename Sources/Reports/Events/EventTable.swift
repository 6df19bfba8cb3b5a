package import AlarmModel
import CommandKit

/// Events as rows of a table for a spreadsheet (RFC 4180).
package enum EventTable {
    package static let head = "number,time,type,code,partition,zone,user,text,remark"

    /// Without its end.
    package static func row(_ stored: StoredEvent, _ rules: TimeZoneRules) -> String {
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
