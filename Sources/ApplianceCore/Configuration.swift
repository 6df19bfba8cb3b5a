package import AlarmModel
package import PanelLink
package import PhoneLink
package import Uplinks

/// The validated configuration as values; read from YAML by the shell.
package struct Configuration: Codable, Equatable, Sendable {
    /// Problems of one configuration that are logged one by one.
    package static let problemLimit = 20

    /// The name of the house, shown in `status`.
    package var siteName: String
    /// `site.language`: of what the house's own addresses are told; nil: English.
    package var language: NoticeLanguage?
    /// Host name or address of the EnvisaLink module.
    package var panelHost: String
    package var panelPort: UInt16
    package var panel: PanelSettings
    package var retention: Retention
    /// Pace of things that tests and the demo shorten.
    package var pace: Pace
    /// `update`: when a new version has proved itself.
    package var update = TrialSettings()
    package var phones: PhoneSettings
    /// `links`; nil: the operating system chooses the link.
    package var uplinks: UplinkSettings?
    /// `links.modem`, where the box dials itself.
    package var modem: ModemSettings?
    /// `sms`.
    package var texts: TextAlarmSettings?
    /// Telephone calls by a provider.
    package var calls: CallerSettings?
    /// `heartbeat`: a service outside that raises an alert when this box falls silent.
    package var deadManPing: DeadManPingSettings?
    /// `updates`: a host that offers newer versions.
    package var updates: UpdateSource?
    /// `cameras`; nil: there are none.
    package var cameras: CameraSettings?
    /// `app`: where the owner hosts the web app; nil: there is none.
    package var app: AppSettings?
    /// `ups`: a server that says what the box runs on; nil: there is none.
    package var ups: UPSSettings?
    /// `reminders`; nil: nobody is reminded of anything, and nothing is armed by a schedule.
    package var reminders: ReminderSettings?

    private enum CodingKeys: String, CodingKey {
        case siteName = "siteName", language = "language", panelHost = "panelHost", panelPort = "panelPort", panel =
            "panel",
            retention = "retention", pace = "pace", update = "update", phones = "phones", uplinks = "uplinks",
            modem = "modem", texts = "texts", calls = "calls", deadManPing = "beacon", updates = "updates",
            app = "app", cameras = "cameras", ups = "ups", reminders = "reminders"
    }

    /// `app`
    package struct AppSettings: Codable, Equatable, Sendable {
        /// The folder: https, a name, ends with a slash. A pairing's code goes behind a `#`.
        package var url: HTTPURL

        package init(url: HTTPURL) { self.url = url }
    }

    package struct Retention: Codable, Equatable, Sendable {
        /// Events older than this are deleted; nil keeps them.
        package var maximumAge: Duration?
        /// More events than this are deleted, oldest first; nil keeps them.
        package var maximumCount: Int?

        package init(maximumAge: Duration? = .hours(24 * 730), maximumCount: Int? = 1_000_000) {
            self.maximumAge = maximumAge
            self.maximumCount = maximumCount
        }
    }

    package struct Pace: Codable, Equatable, Sendable {
        /// A command that could not be started by then has expired.
        package var commandDeadline: Duration = .seconds(30)
        /// A commit that takes longer: the disk is stalled (docs/ARCHITECTURE.md 2).
        package var storeStall: Duration = .seconds(2)
        package var retentionInterval: Duration = .hours(1)
        /// A disk that has not answered for so long is worth one restart.
        package var stallRestart: Duration = .minutes(5)

        package init() {}
    }

    package init(
        siteName: String = "Home", panelHost: String, panelPort: UInt16 = 4025, panel: PanelSettings,
        retention: Retention = Retention(), pace: Pace = Pace(), phones: PhoneSettings = PhoneSettings()
    ) {
        self.siteName = siteName
        self.panelHost = panelHost
        self.panelPort = panelPort
        self.panel = panel
        self.retention = retention
        self.pace = pace
        self.phones = phones
    }

    /// What changed between two configurations, in words for `reload`; never shows a secret.
    package func changes(from old: Configuration) -> [String] {
        var changes: [String] = []
        func note(_ what: String, _ before: some Equatable, _ after: some Equatable, _ differs: Bool) {
            if differs { changes.append("\(what): \(before) → \(after)") }
        }
        note("site.name", old.siteName, siteName, old.siteName != siteName)
        note(
            "site.language", (old.language ?? .english).rawValue, (language ?? .english).rawValue,
            old.language != language)
        note("panel.host", old.panelHost, panelHost, old.panelHost != panelHost)
        note("panel.port", old.panelPort, panelPort, old.panelPort != panelPort)
        if old.panel.password != panel.password { changes.append("panel.password changed") }
        if old.panel.masterCode != panel.masterCode { changes.append("panel.code_master changed") }
        if old.panel.installerCode != panel.installerCode { changes.append("panel.code_installer changed") }
        if old.panel.names != panel.names { changes.append("names of partitions, zones or users changed") }
        if old.panel.partitions != panel.partitions { changes.append("partitions changed") }
        note("site.time_zone", old.panel.timeZone.name, panel.timeZone.name, old.panel.timeZone != panel.timeZone)
        note("panel.set_clock", old.panel.setsClock, panel.setsClock, old.panel.setsClock != panel.setsClock)
        note(
            "panel.poll_interval", old.panel.pollInterval, panel.pollInterval,
            old.panel.pollInterval != panel.pollInterval)
        let (before, after) = (old.panel, panel)
        note(
            "panel.loss_is_alarm", before.lossIsAlarm.rawValue, after.lossIsAlarm.rawValue,
            before.lossIsAlarm != after.lossIsAlarm)
        note(
            "panel.code_on_request", before.codeOnRequest.rawValue, after.codeOnRequest.rawValue,
            before.codeOnRequest != after.codeOnRequest)
        if old.retention != retention { changes.append("retention changed") }
        if old.pace != pace { changes.append("pace changed") }
        if old.update != update { changes.append("update changed") }
        if old.updates != updates { changes.append("updates changed") }
        if old.cameras != cameras { changes.append("cameras changed") }
        if old.app != app { changes.append("app.url changed") }
        if old.ups != ups { changes.append("ups changed") }
        if old.deadManPing != deadManPing { changes.append("heartbeat changed") }
        if old.phones != phones { changes += phones.changes(from: old.phones) }
        if old.uplinks != uplinks { changes.append("links changed") }
        if old.modem != modem { changes.append("the modem's settings changed") }
        if old.reminders != reminders { changes.append("reminders changed") }
        if old.texts != texts { changes.append("sms changed") }
        if old.calls != calls { changes.append("calls changed") }
        if changes.isEmpty, old != self { changes.append("timing of the panel link changed") }
        return changes
    }
}
