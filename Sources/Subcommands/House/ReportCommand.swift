import AlarmModel
import CommandKit
import EventStore
import Glibc
import Platform
import Reports

/// `report`: the history of the house.
struct ReportCommand: Command, Equatable {
    /// 1…366
    var days: Int
    /// nil: as text, here.
    var page: String?
    var replace: Bool
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
        if let page, !replace, access(page, F_OK) == 0 {
            console.complain("\(page) is there already; choose another name, or add --replace to overwrite it")
            return ExitStatus.failed
        }
        var reading = HistoryReading(
            stateDirectory: stateDirectory, now: SystemClock.wallTime(), rules: LocalTime.rules())
        do {
            let report = try reading.report(days: days)
            guard let page else {
                console.print(HistoryText(report).lines)
                return ExitStatus.done
            }
            try AtomicFile.write(page, Array(HistoryPage(report).text.utf8))
            console.print(["written: \(page); open it with a browser. It tells when somebody was at home."])
            return ExitStatus.done
        } catch let error as StoreError {
            console.complain("the journal cannot be read: \(error); name the state directory with --state")
        } catch {
            console.complain("the page cannot be written: \(error)")
        }
        return ExitStatus.failed
    }
}

extension ReportCommand {
    static let entry = CommandEntry(
        "report", in: .watching, brief: "the history, in pictures",
        """
        Shows the history of the house from the journal: when it was armed, openings, alarms, faults; zones by the hour
        of the day, and detectors that have been silent for 30 days; outages; who had each alarm, and after how long. As
        text, or as one page with pictures for a browser. It asks no daemon: run it as root or as the daemon's user.

        --days N     so many days up to today, 1 to 366; 30 without it
        --html FILE  write the page
        --replace    overwrite FILE

        howalarming report
        howalarming report --days 365 --html history.html
        """
    ) { given throws(UsageError) in
        ReportCommand(
            days: try given.number("--days", in: 1...366) ?? 30, page: given.value("--html"),
            replace: given.has("--replace"), stateDirectory: given.stateDirectory)
    }
}
