import AlarmModel
import CommandKit

/// The log that the phone told, and what it has to be.
struct DemoPhoneLog: Sendable {
    struct Row: Equatable, Sendable {
        var seq: Int64
        var code: String
        var message: String
    }

    private(set) var rows: [Row] = []
    /// Lines that are no numbered row.
    private(set) var others: [String] = []
    private static let repeatMark = " (repeat)"

    /// `lines`: the answer to `log`, such as `log 00000001.9 armed 656 Partition 1 is arming` and `log end rows=9
    /// missing=0`.
    init(_ lines: [String]) {
        for line in lines where !line.hasPrefix("log end ") {
            let parts = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
            guard parts.count == 5, let mark = parts[1].lastIndex(of: "."),
                let seq = Int64(parts[1][parts[1].index(after: mark)...])
            else {
                others.append(line)
                continue
            }
            let text = String(parts[4])
            let message = text.hasSuffix(Self.repeatMark) ? String(text.dropLast(Self.repeatMark.count)) : text
            rows.append(Row(seq: seq, code: String(parts[3]), message: message))
        }
    }

    /// What is wrong with it as a copy of the journal's beginning; nil when each event is there once and in order.
    func difference(from journal: [StoredEvent]) -> String? {
        if let other = others.first { return "it holds a line that is no event of the journal: \(other)" }
        for (index, stored) in journal.enumerated() {
            guard index < rows.count else {
                return "event \(stored.seq.number), '\(Text.printable(stored.event.message))', is missing there"
            }
            let wanted = Row(
                seq: stored.seq.number, code: stored.event.code, message: Text.printable(stored.event.message))
            guard rows[index] == wanted else {
                return
                    "where the journal has event \(wanted.seq), '\(wanted.message)', it has event \(rows[index].seq), "
                    + "'\(rows[index].message)'"
            }
        }
        return rows.count == journal.count ? nil : "it holds \(rows.count - journal.count) events more than the journal"
    }
}
