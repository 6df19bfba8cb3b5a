import Card
import EventStore
import Reports

/// The history of a year: a page with pictures for a browser, and the last month as text.
extension StickWork {
    private static let days = 365

    func history() throws(StickFile.Trouble) -> StickReport {
        try needStick()
        tell("The journal is read …")
        var reading = HistoryReading(stateDirectory: stateDirectory, now: time, rules: rules)
        let report: HistoryReport
        do throws(StoreError) {
            report = try reading.report(days: Self.days)
        } catch {
            throw StickFile.Trouble("The journal cannot be read: \(error).")
        }
        tell("The history is written …")
        let name = freeName("history-", endings: [".html", ".txt"])
        _ = try write("\(name).html", Array(HistoryPage(report).text.utf8))
        _ = try write("\(name).txt", Array((HistoryText(report).lines.joined(separator: "\r\n") + "\r\n").utf8))
        return done(
            "Written: the last \(Self.days) days as \(name).html, for a browser, and .txt, and read back. Take the stick out. "
                + "ANYBODY WHO HAS IT CAN READ when somebody was at home.")
    }
}
