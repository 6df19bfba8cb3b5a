package import AlarmModel
package import PanelLink

/// What the daemon answers on the control socket; each is one line of JSON.
package enum ControlReply: Codable, Equatable, Sendable {
    indirect case status(StatusReport)
    /// Some of the events asked for; more follow until `endOfEvents`, or for ever when following.
    case events([StoredEvent])
    case endOfEvents
    /// An alarm that could not be stored yet; its row repeats the mark.
    case unstored(Event)
    case panel(SessionReport)
    case links(LinksReport)
    /// `dropped`: so many lines before this one were not sent, because the client read too slowly.
    case trace(TraceLine, dropped: UInt64)
    /// `stored` is false while the store is failing: the outcome is true, its record waits in memory.
    case outcome(Outcome, stored: Bool)
    case maintenance(Bool)
    case people([PersonReport])
    case phones(PhonesReport)
    case pairing(PairingProgress)
    /// Messages that were given up, newest first, with the name of their phone.
    case deadMessages([DeadMessage])
    /// A change of people or phones is stored; one sentence says what it was.
    case changed(String)
    case console(ConsoleReport)
    case error(String)
}

/// What `status` shows.
package struct StatusReport: Codable, Equatable, Sendable {
    package var siteName: String
    package var version: String
    /// Since the daemon started.
    package var uptime: Duration
    package var time: WallTime
    package var isTimeTrusted: Bool
    package var panel: PanelState
    package var panelPhase: SessionReport.Phase
    package var panelProblem: String?
    package var panelHost: String
    package var store: StoreReport
    package var isMaintenance: Bool
    package var clients: Int
    package var phones: PhonesReport?
    package var links: LinksReport?
    /// nil: the service manager does not watch the daemon.
    package var watchdog: WatchdogReport?
    /// Why the wall clock is not trusted, in words; nil while it is.
    package var clockProblem: String?
    /// nil where no sign of life to a service outside is configured.
    package var deadManPing: DeadManPingReport?
    /// nil where no host is named that offers newer versions.
    package var updates: UpdatesReport?
    /// In the order of the configuration; nil where there are none.
    package var cameras: [CameraReport]?
    /// nil where no UPS is configured.
    package var ups: UPSReport?
    /// nil where nobody is called.
    package var calls: CallsReport?
    /// What the schedule is about to arm; nil: nothing.
    package var schedule: [RemindersRecord.Arming]?
    /// nil where no topic of a broker says who is at home.
    package var presence: PresenceReport?

    private enum CodingKeys: String, CodingKey {
        case siteName = "siteName", version = "version", uptime = "uptime", time = "time",
            isTimeTrusted = "isTimeTrusted", panel = "panel", panelPhase = "panelPhase",
            panelProblem = "panelProblem", panelHost = "panelHost", store = "store",
            isMaintenance = "isMaintenance", clients = "clients", phones = "phones", links = "links",
            watchdog = "watchdog", clockProblem = "clockProblem", deadManPing = "beacon",
            updates = "updates", cameras = "cameras", ups = "ups", calls = "calls", schedule = "schedule",
            presence = "presence"
    }

    package init(
        siteName: String, version: String, uptime: Duration, time: WallTime, isTimeTrusted: Bool, panel: PanelState,
        panelPhase: SessionReport.Phase, panelProblem: String?, panelHost: String, store: StoreReport,
        isMaintenance: Bool, clients: Int, phones: PhonesReport? = nil,
        links: LinksReport? = nil, watchdog: WatchdogReport? = nil
    ) {
        self.siteName = siteName
        self.version = version
        self.uptime = uptime
        self.time = time
        self.isTimeTrusted = isTimeTrusted
        self.panel = panel
        self.panelPhase = panelPhase
        self.panelProblem = panelProblem
        self.panelHost = panelHost
        self.store = store
        self.isMaintenance = isMaintenance
        self.clients = clients
        self.phones = phones
        self.links = links
        self.watchdog = watchdog
    }
}

/// Whether anybody is at home.
package struct PresenceReport: Codable, Equatable, Sendable {
    package var presence: Presence
    /// Who says so: `mqtt.presence_topic`.
    package var topic: String

    package init(_ presence: Presence, topic: String) {
        self.presence = presence
        self.topic = topic
    }
}

/// The sign of life to a service outside.
package struct DeadManPingReport: Codable, Equatable, Sendable {
    /// Without path and query, which are often secrets.
    package var place: String
    package var lastAnswered: WallTime?
    /// Attempts in vain since then.
    package var misses: Int
    package var problem: String?

    package init(place: String, lastAnswered: WallTime? = nil, misses: Int = 0, problem: String? = nil) {
        self.place = place
        self.lastAnswered = lastAnswered
        self.misses = misses
        self.problem = problem
    }
}

/// A message that nobody got.
package struct DeadMessage: Codable, Equatable, Sendable {
    package var phone: String
    package var message: StoredMessage

    package init(phone: String, message: StoredMessage) {
        self.phone = phone
        self.message = message
    }
}

package struct StoreReport: Codable, Equatable, Sendable {
    package var lastSequence: SequenceNumber
    /// Why events are not stored at the moment; nil while all is well.
    package var problem: String?
    /// Events that wait in memory.
    package var waitingEvents: Int
    package var droppedEvents: UInt64
    /// Line read → committed, of the newest 1024 events; nil before the first.
    package var latency: Latency?

    package init(
        lastSequence: SequenceNumber, problem: String? = nil, waitingEvents: Int = 0, droppedEvents: UInt64 = 0,
        latency: Latency? = nil
    ) {
        self.lastSequence = lastSequence
        self.problem = problem
        self.waitingEvents = waitingEvents
        self.droppedEvents = droppedEvents
        self.latency = latency
    }

    package struct Latency: Codable, Equatable, Sendable {
        package var count: Int
        package var p50: Duration
        package var p90: Duration
        package var p99: Duration
        package var max: Duration

        package init(count: Int, p50: Duration, p90: Duration, p99: Duration, max: Duration) {
            self.count = count
            self.p50 = p50
            self.p90 = p90
            self.p99 = p99
            self.max = max
        }
    }
}
