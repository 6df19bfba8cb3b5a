import AlarmModel
import ApplianceCore
import Card
import EventStore
import Platform
import Reports

/// Mounts a console on a terminal and the daemon's socket: one loop, one thread.
final class ConsoleProgram {
    /// How the terminal is written to.
    private enum Face {
        /// It has been asked where its cursor is and may still say so.
        case probing
        case screen(ScreenPainter)
        case plain
    }

    private let loop: EventLoop
    private let terminal: ConsoleTerminal
    private let stateDirectory: String
    private let isDumb: Bool
    private let colours: Bool
    private let isSerial: Bool
    /// The serial line, as systemd names it: ttyS0.
    private let line: String
    private var session: ConsoleSession
    private var face = Face.plain
    private var plain = PlainFace()
    private var keys = KeyReader()
    private var escapeTimer: TimerToken?
    private var probeTimer: TimerToken?
    private var channels: [ConsoleSession.Channel: ConsoleChannel] = [:]
    private var rules = LocalTime.rules()
    private var isJournalRead = false
    private var turn = 0

    /// An Esc that is not followed by anything within this is one; a slow line needs some milliseconds for a sequence.
    private static let escapePause = Duration.milliseconds(100)
    /// A terminal that has not told its cursor's place after so long only prints.
    private static let selfTestPatience = Duration.minutes(3)
    private static let probePause = Duration.seconds(1)

    init(
        _ place: ConsoleTerminal.Place, stateDirectory: String, isDumb: Bool, colours: Bool, on loop: EventLoop
    ) {
        self.loop = loop
        self.stateDirectory = stateDirectory
        self.isDumb = isDumb
        self.colours = colours
        switch place {
        case .device(let path):
            isSerial = true
            line = path.split(separator: "/").last.map(String.init) ?? path
        case .own:
            isSerial = false
            line = ""
        }
        terminal = ConsoleTerminal(place, on: loop)
        session = ConsoleSession(mayQuit: place == .own, at: SystemClock.moment(isTrusted: false))
        for channel in ConsoleSession.Channel.allCases {
            channels[channel] = ConsoleChannel(directory: stateDirectory, on: loop) { [weak self] happening in
                self?.happened(happening, on: channel)
            }
        }
    }

    func start() throws(SystemError) {
        terminal.onOpened = { [weak self] in self?.terminalOpened() }
        terminal.onLost = { [weak self] in self?.terminalLost() }
        terminal.onBytes = { [weak self] bytes in self?.received(bytes) }
        terminal.onRoom = { [weak self] in self?.draw() }
        session.view.rules = rules
        session.view.machine = ConsoleMachine.now(stateDirectory: stateDirectory)
        session.view.software.look()
        do throws(SystemError) {
            try terminal.open()
        } catch {
            // A line that is not there yet may come; a wrong name is worth a word at once.
            guard isSerial, ![Errno.noEntry, Errno.noTerminal].contains(error.number) else { throw error }
            terminal.tryAgain()
        }
        for channel in [ConsoleSession.Channel.look, .feed, .act] { channels[channel]?.connect() }
        tick()
    }

    private enum Errno {
        static let noEntry: Int32 = 2
        static let noTerminal: Int32 = 25
    }

    /// Leaves the terminal as it was found.
    func end() {
        for channel in channels.values { channel.disconnect() }
        switch face {
        case .screen, .probing: terminal.close(Array("\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?25h\u{1B}[?1049l".utf8))
        case .plain: terminal.close(Array("\r\n".utf8))
        }
        _ = loop.setTimer(after: .milliseconds(20)) { [loop] in loop.stop() }
    }

    // MARK: The terminal

    private func terminalOpened() {
        keys = KeyReader()
        plain.forget()
        if isDumb {
            face = .plain
            if let size = terminal.size { session.size = size }
            return draw()
        }
        if let size = terminal.size {
            session.size = size
            face = .screen(painter())
            terminal.write(Array("\u{1B}[?1049h".utf8))
            return draw()
        }
        face = .probing
        probe()
    }

    private func painter() -> ScreenPainter { ScreenPainter(size: session.size, colours: colours) }

    /// Moves the cursor to the end of the screen and asks where that is.
    private func probe() {
        guard !isDumb else { return }
        terminal.write(Array("\u{1B}7\u{1B}[999;999H\u{1B}[6n\u{1B}8".utf8))
        if let probeTimer { loop.cancel(probeTimer) }
        probeTimer = loop.setTimer(after: Self.probePause) { [weak self] in
            guard let self else { return }
            probeTimer = nil
            if case .probing = face {
                face = .plain
                draw()
            }
        }
    }

    private func terminalLost() {
        // Whoever plugs in next is somebody else.
        var actions: [ConsoleSession.Action] = []
        session.left(into: &actions)
        carryOut(actions)
        keys = KeyReader()
        if !isSerial { end() }
    }

    private func received(_ bytes: [UInt8]) {
        if let escapeTimer { loop.cancel(escapeTimer) }
        escapeTimer = nil
        var taken: [ConsoleKey] = []
        for byte in bytes { keys.take(byte, into: &taken) }
        if keys.isWaiting {
            escapeTimer = loop.setTimer(after: Self.escapePause) { [weak self] in
                guard let self else { return }
                escapeTimer = nil
                var late: [ConsoleKey] = []
                keys.nothingFollowed(into: &late)
                for key in late { take(key) }
                draw()
            }
        }
        for key in taken { take(key) }
        draw()
    }

    private func take(_ key: ConsoleKey) {
        if case .cursor(let row, let column) = key { return sized(Terminal.Size(columns: column, rows: row)) }
        switch face {
        case .probing: break
        case .screen: handle(key)
        case .plain:
            let isIdle = session.dialog == nil
            let (echo, keys) = plain.take(key, session.dialog)
            terminal.write(Array(echo.utf8))
            guard let keys else { return }
            for key in keys where key != .redraw { handle(key) }
            if keys == [.redraw] {
                session.visits += 1
                // Perhaps another terminal was plugged in meanwhile, one that knows more.
                if isIdle, isSerial { probe() }
            }
        }
    }

    /// A terminal that answers is one with a cursor.
    private func sized(_ size: Terminal.Size) {
        guard !isDumb, size.columns < 1000, size.rows < 1000 else { return }
        // The line knows better where it knows.
        let size = terminal.size ?? Terminal.Size(columns: min(size.columns, 240), rows: min(size.rows, 120))
        if case .screen(let painter) = face, painter.size == size { return }
        session.size = size
        face = .screen(painter())
    }

    private func handle(_ key: ConsoleKey) {
        var actions: [ConsoleSession.Action] = []
        session.take(key, at: moment(), into: &actions)
        carryOut(actions)
    }

    // MARK: The daemon

    private func happened(_ happening: ConsoleChannel.Happening, on channel: ConsoleSession.Channel) {
        var actions: [ConsoleSession.Action] = []
        session.view.now = moment()
        switch happening {
        case .opened(let report):
            isJournalRead = false
            if channel == .act { session.told(report, into: &actions) }
            session.opened(channel, into: &actions)
        case .heard(let reply, let code): session.heard(reply, code: code, on: channel, into: &actions)
        case .closed(let why):
            session.closed(channel, why, into: &actions)
            if channel == .look { readJournal() }
        }
        carryOut(actions)
        draw()
    }

    /// Once each time the daemon goes away.
    private func readJournal() {
        guard !isJournalRead else { return }
        isJournalRead = true
        guard let reader = try? JournalReader(directory: stateDirectory) else { return }
        var found: [StoredEvent] = []
        let query = EventQuery(order: .newest, limit: 100)
        try? StoredEvents(reader: reader).read(query) { events in
            found += events
            return true
        }
        let store = StoreReport(lastSequence: (try? reader.lastSequence()) ?? .zero)
        let snapshot = (try? reader.snapshot()) ?? nil
        session.took(StatusView(snapshot: snapshot, store: store, time: SystemClock.wallTime()), found)
    }

    // MARK: Orders and time

    private func carryOut(_ actions: [ConsoleSession.Action]) {
        for action in actions {
            switch action {
            case .send(let channel, let request): channels[channel]?.send(request)
            case .connect(let channel): channels[channel]?.connect()
            case .disconnect(let channel):
                channels[channel]?.disconnect()
                session.ready.remove(channel)
            case .draw(let code, let link): session.pictureDrawn(QRPicture.draw(link: link, code: code))
            case .selfTest: selfTest()
            case .bell: terminal.write([7])
            case .redraw:
                if case .screen = face { face = .screen(painter()) }
                probe()
            case .askStick(let request):
                do throws(SystemError) {
                    try StickPlaces().ask(request)
                } catch {
                    session.stickFailed("\(error)")
                }
            case .restoreRead: RestoreReport.remove(in: stateDirectory)
            case .setUp:
                do throws(SystemError) {
                    try SetupRequest.write(for: line)
                } catch {
                    session.setUpFailed("\(error)")
                }
            case .quit: end()
            }
        }
    }

    /// The self-test waits for what it tries: it is a program of its own.
    private func selfTest() {
        func said(_ line: String) {
            session.view.selfTest.append(line)
            draw()
        }
        do throws(SystemError) {
            let child = try ChildProcess(
                "/proc/self/exe", ["self-test", "--no-push", "--state", stateDirectory], output: .lines, on: loop)
            let deadline = loop.setTimer(after: Self.selfTestPatience) { child.kill() }
            child.onLine = { _, line in said(line) }
            child.onEnd = { [weak self] end in
                guard let self else { return }
                loop.cancel(deadline)
                session.view.isSelfTestRunning = false
                if case .killed = end { said("The self-test was ended: it took too long.") }
                draw()
            }
        } catch {
            session.view.isSelfTestRunning = false
            said("The self-test cannot be started: \(error)")
        }
    }

    private func moment() -> Moment { SystemClock.moment(isTrusted: false) }

    private func tick() {
        _ = loop.setTimer(after: .seconds(1)) { [weak self] in self?.tick() }
        // What changes slowly is asked for seldom.
        if turn % 5 == 0 {
            session.view.machine = ConsoleMachine.now(stateDirectory: stateDirectory)
            lookForCutOffRestore()
        }
        if turn % 2 == 0 { session.view.software.look() }
        if session.stickWait != nil, let report = StickPlaces().written() { session.told(report) }
        turn += 1
        if let size = terminal.size, size != session.size {
            session.size = size
            if case .screen = face { face = .screen(painter()) }
        }
        var actions: [ConsoleSession.Action] = []
        session.tick(at: moment(), into: &actions)
        carryOut(actions)
        draw()
    }

    /// A service that was killed has left the report as it was.
    private func lookForCutOffRestore() {
        let isPrepared = (try? StateArchive.isRestoringPrepared(in: stateDirectory)) ?? false
        guard let report = session.view.machine.restore, let end = StickPlaces().written(),
            let cutOff = report.cutOff(by: end, isPrepared: isPrepared)
        else { return }
        cutOff.keep(in: stateDirectory)
        session.view.machine.restore = cutOff
    }

    /// Brings the terminal to what the session shows, as far as the line carries now.
    private func draw() {
        guard terminal.isOpen else { return }
        switch face {
        case .probing: break
        case .plain:
            // What comes faster than the line carries waits in the session, which keeps so much and no more.
            guard terminal.room() > 0 else { return terminal.wantRoom() }
            let lines = plain.print(session)
            if !lines.isEmpty { terminal.write(Array((lines.joined(separator: "\r\n") + "\r\n").utf8)) }
        case .screen(var painter):
            let lines = session.lines
            guard !painter.shows(lines) else { return }
            terminal.write(painter.bytes(for: lines, limit: terminal.room()))
            face = .screen(painter)
            if !painter.shows(lines) { terminal.wantRoom() }
        }
    }
}
