import AlarmModel
import ApplianceCore
import PanelLink
import Reports

/// Everything that a console knows, as its screens show it.
struct ConsoleView: Equatable, Sendable {
    /// The daemon of the state directory.
    enum Daemon: Equatable, Sendable {
        case connecting
        case here
        /// In words; what is shown comes from the journal.
        case away(String)
    }

    var daemon = Daemon.connecting
    var status: StatusReport?
    /// What the journal holds, while the daemon is away.
    var stored: StatusView?
    var panel: SessionReport?
    var links: LinksReport?
    /// Oldest first.
    private(set) var events: [StoredEvent] = []
    /// On the screen of the events.
    var selectedEvent: SequenceNumber?
    private(set) var trace: [String] = []
    /// How many were ever taken, for whoever prints only what is new.
    private(set) var eventsTaken = 0
    private(set) var traceTaken = 0
    /// What the self-test has said, line by line.
    var selfTest: [String] = []
    var isSelfTestRunning = false
    var lock: ConsoleReport?
    /// When `lock` was told.
    var lockTime = BootTime.zero
    var machine = ConsoleMachine()
    var software = ConsoleSoftware()
    var now = Moment(boot: .zero, wall: WallTime(milliseconds: 0), isWallTrusted: false)
    var rules = TimeZoneRules.utc

    static let eventsKept = 500
    static let traceKept = 500

    mutating func take(_ new: [StoredEvent]) {
        // Another journal was begun.
        if let newest = new.last, let known = events.last, newest.seq < known.seq { events = [] }
        // What was stored while the daemon was away is told again by it.
        let fresh = new.filter { event in events.last.map { $0.seq < event.seq } ?? true }
        events += fresh
        eventsTaken += fresh.count
        if events.count > Self.eventsKept { events.removeFirst(events.count - Self.eventsKept) }
    }

    mutating func takeTrace(_ lines: [String]) {
        trace += lines
        traceTaken += lines.count
        if trace.count > Self.traceKept { trace.removeFirst(trace.count - Self.traceKept) }
    }

    /// What the daemon tells, or else the journal.
    var panelState: PanelState? { status?.panel ?? stored?.panel }

    var isDaemonHere: Bool { daemon == .here }

    /// The wait after wrong PINs, as of now.
    var lockWait: Duration? {
        guard let wait = lock?.wait else { return nil }
        let left = wait - (now.boot - lockTime)
        return left > .zero ? left : nil
    }
}
