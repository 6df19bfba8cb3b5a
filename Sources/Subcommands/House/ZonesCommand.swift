import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import PhoneProtocol
import Reports

/// `zones`: every zone that has a name or something to say, one a line.
struct ZonesCommand: Command, Equatable {
    var isAll: Bool
    var json: Bool
    var stateDirectory: String

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let report: StatusReport = try DaemonLink.ask(.status, in: stateDirectory).answer {
                if case .status(let report) = $0 { report } else { nil }
            }
            console.print(Self.lines(report.panel.zones, isAll: isAll, json: json))
            return ExitStatus.done
        } catch {
            console.complain(error.description)
            return error.status
        }
    }

    static func lines(_ zones: [ZoneState], isAll: Bool, json: Bool) -> [String] {
        let shown = ZonesText.shown(zones, isAll: isAll)
        guard !json else { return shown.map { StatusJSON.zone($0).text } }
        guard !shown.isEmpty else {
            return ["no zone has a name, and none is open; --all shows what the panel has told"]
        }
        return shown.map { ZonesText.row($0).text }
    }
}

extension ZonesCommand {
    static let entry = CommandEntry(
        "zones", in: .watching, brief: "the zones, one by one",
        """
        Lists the zones that have a name, and others that are open or in alarm. A ? behind a word: it was so before the
        link to the panel was lost.

        --all   every zone that the panel has told of
        --json  one JSON object per line

        howalarming zones
        """
    ) { ZonesCommand(isAll: $0.has("--all"), json: $0.json, stateDirectory: $0.stateDirectory) }
}
