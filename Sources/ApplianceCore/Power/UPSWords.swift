import AlarmModel
import PhoneLink

/// The sentences of the journal about a UPS.
struct UPSWords {
    var name: String
    var reading: UPSReading
    /// The panel has no mains either.
    var isPanelCut: Bool

    /// `87 %, 42 min left`; empty: nothing is known.
    static func rest(_ reading: UPSReading) -> String {
        [reading.charge.map { "\($0) %" }, reading.minutes.map { "\($0) min left" }].compactMap { $0 }
            .joined(separator: ", ")
    }

    private var rest: String {
        let words = Self.rest(reading)
        return words.isEmpty ? "." : ": \(words)."
    }

    private var panel: String { isPanelCut ? " The panel has no mains either." : "" }

    var battery: String {
        "The UPS \(name) has no mains power and runs on its battery\(rest) What hangs on it falls silent when that is "
            + "empty.\(panel)"
    }

    var low: String {
        let what =
            reading.isEnding
            ? "The UPS \(name) is about to be switched off by its server" : "The battery of the UPS \(name) is low"
        return "\(what)\(rest) This box falls silent with it, and comes back by itself when there is power." + panel
    }

    var mains: String {
        "The UPS \(name) has mains power again\(reading.charge.map { "; its battery has \($0) %" } ?? "")."
    }

    var found: String { "It is known again how the UPS \(name) is." }

    static func lost(
        _ settings: UPSSettings, silentFor span: Duration, _ problem: String?, _ known: UPSReading.Supply
    ) -> String {
        let before = known == .mains ? "" : " It ran on its battery when it was heard last."
        let why = problem.map { ": \($0)" } ?? ""
        return
            "\(settings.server) has not said for \(span.words) how the UPS \(settings.name) is\(why).\(before) Until "
            + "it does, nobody is told that the mains of this box is gone."
    }
}
