package import AlarmModel
import ApplianceCore
import CommandKit
package import PanelLink
import PhoneProtocol
import Platform

/// A line of the trace.
package struct TraceText {
    var rules: TimeZoneRules

    package init(rules: TimeZoneRules) {
        self.rules = rules
    }

    /// `06:05:04.123 < 6543  in alarm`; before it the remark how many lines were left out.
    package func lines(_ line: TraceLine, dropped: UInt64, at time: WallTime) -> [String] {
        let clock = rules.civilTime(at: time).text.suffix(8)
        let thousandths = String(1000 + (time.milliseconds % 1000 + 1000) % 1000).dropFirst()
        var shown = "\(clock).\(thousandths) \(line.direction.rawValue) \(Text.printable(line.text))"
        if line.direction != .remark, let code = TPICode.entry(String(line.text.prefix(3))) {
            shown += "  \(code.name)"
        }
        return dropped == 0 ? [shown] : ["… \(Text.count(dropped, "line")) not shown", shown]
    }

    /// Keys: `time_ms` (since 1970, when it was received here), `direction` (`<` from the panel, `>` to it, `#` a
    /// remark), `text`, `dropped` (lines before this one that were not shown).
    package static func json(_ line: TraceLine, dropped: UInt64, at time: WallTime) -> String {
        JSON.object([
            "time_ms": .integer(time.milliseconds), "direction": .string(line.direction.rawValue),
            "text": .string(line.text), "dropped": .unsigned(dropped),
        ]).text
    }
}
