package import AlarmModel
package import ApplianceCore
import CommandKit

/// What nobody may overlook: alarms of which somebody has not been told.
package enum UntoldText {
    /// nil: there are none.
    package static func line(_ phones: PhonesReport?, now: WallTime, rules: TimeZoneRules) -> String? {
        guard let untold = phones?.untold else { return nil }
        let since = PhonesStatus.time(untold.since, now: now, rules: rules)
        var text = "ALARM since \(since): "
        text +=
            untold.isNobodyTold
            ? "NOBODY HAS BEEN TOLD"
            : "NOT TOLD: \(untold.names.map { Text.printable($0) }.joined(separator: ", "))"
        if let why = untold.why { text += ". \(Text.printable(why))" }
        text += ". \(Text.count(untold.alarms, "alarm")) \(untold.alarms == 1 ? "waits" : "wait")"
        text += untold.nextTry.map { "; next try in \(Text.span($0))" } ?? "; it is being tried now"
        return text + ". Call the people yourself."
    }
}
