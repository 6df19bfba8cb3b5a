import AlarmModel
import ApplianceCore
import CommandKit
import EventStore
import PanelLink
import PhoneProtocol
import Platform
import Reports

/// `status`: the house at this moment.
struct StatusCommand: Command, Equatable {
    var stateDirectory: String
    var json: Bool
    /// With what is of use to whoever looks for a fault in the box.
    var isVerbose = false

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let report: StatusReport = try DaemonLink.ask(.status, in: stateDirectory).answer {
                if case .status(let report) = $0 { report } else { nil }
            }
            show(StatusView(report), on: console)
            if isVerbose, !json { console.print([""] + (try inside(report))) }
            return ExitStatus.done
        } catch {
            guard error.isNoDaemon else {
                console.complain(error.description)
                return error.status
            }
            return readStore(on: console)
        }
    }

    private func inside(_ status: StatusReport) throws(DaemonLinkError) -> [String] {
        let session: SessionReport = try DaemonLink.ask(.panel, in: stateDirectory).answer {
            if case .panel(let report) = $0 { report } else { nil }
        }
        return StatusText.writing(status.store) + PanelText.lines(session, now: SystemClock.bootTime())
    }

    private func readStore(on console: Console) -> Int32 {
        do throws(StoreError) {
            let reader = try JournalReader(directory: stateDirectory)
            let store = StoreReport(
                lastSequence: try reader.lastSequence())
            show(StatusView(snapshot: try reader.snapshot(), store: store, time: SystemClock.wallTime()), on: console)
            console.complain(OfflineText.remark(isMissingNewest: reader.isMissingNewest))
        } catch {
            console.complain(OfflineText.failure(error, stateDirectory))
        }
        return ExitStatus.noDaemon
    }

    private func show(_ view: StatusView, on console: Console) {
        var view = view
        view.isVoltageLow = SupplyVoltage.isLow()
        guard !json else { return console.print([StatusJSON.of(view).text]) }
        console.print(StatusText(view: view, rules: LocalTime.rules(), colours: console.takesColours).lines)
    }
}

extension StatusCommand {
    static let entry = CommandEntry(
        "status", in: .watching, brief: "the house at this moment",
        """
        Shows the panel link, partitions, zones, troubles and the store on one screen. What is not known is shown as
        unknown, what was known before the link was lost as stale. Without a daemon it shows what the journal holds and
        ends with status 69.

        --verbose  with the session and how long writing takes
        \(CommandSyntax.json)

        howalarming status
        howalarming status --json
        """
    ) { StatusCommand(stateDirectory: $0.stateDirectory, json: $0.json, isVerbose: $0.has("--verbose")) }
}
