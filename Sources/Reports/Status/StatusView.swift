package import AlarmModel
package import ApplianceCore
import PanelLink

/// What `status` shows, whether the daemon told it or the journal.
package struct StatusView: Equatable, Sendable {
    package struct Daemon: Equatable, Sendable {
        var siteName: String
        var version: String
        var uptime: Duration
        var clients: Int
        var host: String
        var phase: SessionReport.Phase
        var problem: String?
        var isTimeTrusted: Bool
        var clockProblem: String?
        /// nil: none is configured.
        var deadManPing: DeadManPingReport?
        /// nil: no host is named that offers newer versions.
        var updates: UpdatesReport?
        /// nil where there are none.
        var cameras: [CameraReport]?
        /// nil: none is configured.
        var ups: UPSReport?
        /// nil: nobody is called.
        var calls: CallsReport?
        /// nil: nothing is about to be armed.
        var schedule: [RemindersRecord.Arming]?
        /// nil: nobody says it.
        var presence: PresenceReport?
    }

    /// nil: no daemon runs, this is what the journal holds.
    var daemon: Daemon?
    var time: WallTime
    package var panel: PanelState
    package var store: StoreReport
    var isMaintenance: Bool
    /// nil without a daemon.
    var phones: PhonesReport?
    /// nil without a daemon.
    var links: LinksReport?
    /// Of this board; nil: it does not say, or was not asked.
    package var isVoltageLow: Bool?

    package init(_ report: StatusReport) {
        daemon = Daemon(
            siteName: report.siteName, version: report.version, uptime: report.uptime, clients: report.clients,
            host: report.panelHost, phase: report.panelPhase, problem: report.panelProblem,
            isTimeTrusted: report.isTimeTrusted, clockProblem: report.clockProblem, deadManPing: report.deadManPing,
            updates: report.updates, cameras: report.cameras, ups: report.ups, calls: report.calls,
            schedule: report.schedule, presence: report.presence)
        time = report.time
        panel = report.panel
        store = report.store
        isMaintenance = report.isMaintenance
        phones = report.phones
        links = report.links
    }

    /// Without a daemon everything known is old.
    package init(snapshot: Snapshot?, store: StoreReport, time: WallTime) {
        panel = snapshot?.panel ?? PanelState()
        panel.age()
        isMaintenance = snapshot?.isMaintenance ?? false
        self.store = store
        self.time = time
    }
}
