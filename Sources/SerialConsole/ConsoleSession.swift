import AlarmModel
import ApplianceCore
import PanelLink
import Platform
import Reports

/// A console as a value: keys, replies of the daemon and time come in; orders and the lines to show come out.
///
/// Guarantees: nothing is asked for that changes something unless the daemon has said that this console is unlocked,
/// and a person has confirmed it; what is typed of a PIN is in no line.
struct ConsoleSession: Equatable, Sendable {
    /// The connections to the daemon: one request runs on each.
    enum Channel: String, Hashable, Sendable, CaseIterable {
        /// The state, once a second.
        case look
        /// New events as they are stored.
        case feed
        /// Everything that changes something, with the PIN.
        case act
        /// The lines of the panel, while they are shown.
        case trace
    }

    enum Action: Equatable, Sendable {
        case send(Channel, ControlRequest)
        /// Connect, or connect anew.
        case connect(Channel)
        case disconnect(Channel)
        /// Draw this code as a picture: `pictureDrawn`.
        case draw(Secret, link: Secret? = nil)
        /// Run the self-test: `selfTestSaid` for each line, `selfTestEnded` at its end.
        case selfTest
        /// Sound the terminal's bell.
        case bell
        /// The terminal may have changed: draw everything anew, ask for its size.
        case redraw
        /// Without the daemon.
        case askStick(StickRequest)
        /// Somebody has read what came of a backup that was to be brought back.
        case restoreRead
        /// Have the questions of the set-up asked on this line, which is theirs then.
        case setUp
        case quit
    }

    var view = ConsoleView()
    var screen = ConsoleScreen.overview
    /// Lines from the natural end of the screen.
    var scroll = 0
    var dialog: ConsoleDialog?
    var size = Terminal.Size(columns: 80, rows: 24)
    /// A console that owns its terminal has no end.
    var mayQuit: Bool
    /// Counts what was opened, so that a page that is asked for again is printed again.
    var visits = 0
    var ready: Set<Channel> = []
    var lastKeyAt = BootTime.zero
    var lookSince: BootTime?
    var lookTurn = 0
    var nextLockLook = BootTime.zero
    /// What is done once the console is unlocked.
    var pendingAct: ConsoleAct?
    /// What the daemon was asked to do.
    var runningAct: ConsoleAct?
    /// So that a second Enter is no second try.
    var awaitsLock = false
    var stickWait: StickWait?

    static let smallest = Terminal.Size(columns: 40, rows: 12)
    /// A daemon that does not answer a look for so long is away.
    static let patience: Duration = .seconds(10)
    private static let lockLooks: Duration = .seconds(5)
    /// Without a key for so long a console shows the overview and is locked.
    static let idleLimit: Duration = .minutes(5)

    init(mayQuit: Bool, at now: Moment) {
        self.mayQuit = mayQuit
        view.now = now
        lastKeyAt = now.boot
    }

    // MARK: Time and connections

    mutating func tick(at now: Moment, into actions: inout [Action]) {
        view.now = now
        if ready.contains(.look) {
            if let lookSince {
                if now.boot - lookSince >= Self.patience {
                    closed(.look, "it does not answer", into: &actions)
                    actions.append(.connect(.look))
                }
            } else {
                look(into: &actions)
            }
        }
        if ready.contains(.act), runningAct == nil, !awaitsLock, now.boot >= nextLockLook {
            nextLockLook = now.boot + Self.lockLooks
            actions.append(.send(.act, .console(.state)))
        }
        if now.boot - lastKeyAt >= Self.idleLimit { idle(into: &actions) }
    }

    private mutating func idle(into actions: inout [Action]) {
        switch dialog {
        case .working, .pairing: return
        case .choice, .entry, .confirm, .outcome: dialog = nil
        case nil: break
        }
        pendingAct = nil
        if screen != .overview { open(.overview, into: &actions) }
        if view.lock?.isUnlocked ?? false, ready.contains(.act), !awaitsLock {
            view.lock?.isUnlocked = false
            actions.append(.send(.act, .console(.lock)))
        }
    }

    /// The state in turn with what the screen shows besides.
    private mutating func look(into actions: inout [Action]) {
        lookSince = view.now.boot
        lookTurn = (lookTurn + 1) % 2
        let besides: ControlRequest? =
            switch screen {
            case .panel: .panel
            case .links: .links(isTest: false)
            case .overview, .events, .phones, .network, .software, .test, .zones, .timeline: nil
            }
        actions.append(.send(.look, lookTurn == 0 ? besides ?? .status : .status))
    }

    /// The daemon knows this connection as a console's.
    mutating func opened(_ channel: Channel, into actions: inout [Action]) {
        ready.insert(channel)
        switch channel {
        case .look:
            view.daemon = .here
            view.stored = nil
            look(into: &actions)
        case .feed:
            let newest = EventQuery(order: .newest, limit: ConsoleView.eventsKept)
            actions.append(.send(.feed, .events(newest, follow: true)))
        case .act: nextLockLook = view.now.boot
        case .trace: actions.append(.send(.trace, .trace))
        }
    }

    mutating func closed(_ channel: Channel, _ why: String, into actions: inout [Action]) {
        let wasOpen = ready.remove(channel) != nil
        switch channel {
        case .look:
            lookSince = nil
            view.daemon = .away(why)
            view.status = nil
            view.panel = nil
            view.links = nil
        case .feed, .trace: break
        case .act:
            view.lock = nil
            awaitsLock = false
            let act = runningAct
            runningAct = nil
            pendingAct = nil
            // Where no daemon runs it is tried every second to reach it.
            guard wasOpen else { return }
            switch dialog {
            // The stick is at work without the daemon, and reports.
            case .working where act == nil && stickWait != nil: break
            case .working, .pairing:
                let more =
                    if case .command = act { "; the command may have been carried out, look at the overview" } else {
                        ""
                    }
                dialog = .outcome("The daemon went away (\(why))\(more).", .red)
            case .entry, .confirm: dialog = .outcome("The daemon went away (\(why)). Nothing was done.", .red)
            case .choice, .outcome, nil: break
            }
        }
    }

    /// The terminal is gone: whoever sees it next begins anew, without the PIN and without a pairing code.
    mutating func left(into actions: inout [Action]) {
        if case .pairing = dialog { actions.append(.send(.act, .phones(.cancelPairing))) }
        dialog = nil
        pendingAct = nil
        open(.overview, into: &actions)
        // The lock ends with its connection, whatever is under way on it.
        if !mayQuit {
            closed(.act, "the terminal was unplugged", into: &actions)
            actions.append(.connect(.act))
        }
    }

    /// What the journal holds while the daemon is away.
    mutating func took(_ stored: StatusView?, _ events: [StoredEvent]) {
        view.stored = stored
        view.take(events)
    }

    mutating func pictureDrawn(_ result: QRPicture.Result) {
        guard case .pairing(var screen) = dialog else { return }
        screen.drawn(result)
        dialog = .pairing(screen)
    }

    mutating func open(_ new: ConsoleScreen, into actions: inout [Action]) {
        visits += 1
        scroll = 0
        view.selectedEvent = nil
        if screen == .panel, new != .panel { actions.append(.disconnect(.trace)) }
        if screen != .panel, new == .panel { actions.append(.connect(.trace)) }
        screen = new
        if new == .test, !view.isSelfTestRunning {
            view.selfTest = []
            view.isSelfTestRunning = true
            actions.append(.selfTest)
        }
    }
}
