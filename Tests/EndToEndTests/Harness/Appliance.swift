import AlarmModel
import EventStore
import PhoneProtocol

/// A house of its own: a simulated panel, a configuration and a state directory for a daemon that can be started,
/// stopped, killed and started again. Everything ends when the test lets go of it.
final class Appliance {
    let directory: TestDirectory
    let panel: PanelProcess
    let configurationFile: String
    /// The newest daemon; nil before `start`.
    private(set) var daemon: Program?
    private var startCount = 0
    private var followerCount = 0

    /// Another one may be named before the daemon starts.
    var stateDirectory: String
    /// A program and its arguments that start the daemon, whose own words follow; none: it starts by itself.
    var launcher: [String] = []
    /// What the daemon tells the service manager.
    let notify: NotifySocket

    /// - Parameters:
    ///   - configuration: the YAML for a panel on this port
    ///   - panelArguments: for `simulate panel`, besides the ports
    ///   - directory: a new one unless given
    init(
        configuration: (_ port: UInt16) -> String = Appliance.configuration, panelArguments: [String] = [],
        in directory: TestDirectory? = nil
    ) throws {
        let directory = try directory ?? TestDirectory()
        self.directory = directory
        stateDirectory = "\(directory.path)/state"
        notify = try NotifySocket(in: directory.path)
        panel = try PanelProcess(in: directory, arguments: panelArguments)
        configurationFile = try directory.write("howalarming.yaml", configuration(panel.port))
    }

    /// Two partitions and short times: a poll every second, a silent module noticed within about two.
    static func configuration(port: UInt16) -> String {
        """
        site: {name: Test house, time_zone: UTC}
        panel:
          host: 127.0.0.1
          port: \(port)
          password: user
          code_master: '1234'
          set_clock: false
          poll_interval: 1
          timing: {answer_deadline: 500ms, login_deadline: 2, reconnect_minimum: 100ms, reconnect_maximum: 500ms,
                   slot_held_wait: 500ms}
        partitions: {1: Ground floor, 2: Workshop}
        zones:
          1: {name: Front door, partition: 1}
          3: {name: Kitchen window, partition: 1}
          6: {name: Hall motion, partition: 1}
        users: {1: Anna, 2: Ben}

        """
    }

    // MARK: The daemon

    /// Of the daemons that are started from now on.
    var environment: [String: String] = [:]

    /// Starts the daemon, and waits until it answers on its socket.
    @discardableResult
    func start() throws -> Program {
        let started = try spawnDaemon()
        let answers = try Deadline.wait(.patience) {
            guard started.isRunning else { throw HarnessError("the daemon ended at its start. \(started.report)") }
            return try command(["status", "--json"]).status == 0
        }
        guard answers else { throw HarnessError("the daemon does not answer. \(started.report)") }
        return started
    }

    /// Starts the daemon and waits for nothing.
    @discardableResult
    func spawnDaemon() throws -> Program {
        startCount += 1
        notify.forget()
        let words = launcher + [Program.path, "run", "--config", configurationFile, "--state", stateDirectory]
        let started = try Program(
            "daemon-\(startCount)", Array(words.dropFirst()), in: directory,
            environment: environment.merging(["NOTIFY_SOCKET": notify.path]) { $1 }, executable: words[0])
        daemon = started
        return started
    }

    /// Waits until the session with the panel is up and its state known.
    func waitUntilUp(within span: Duration = .patience) throws {
        let isUp = Deadline.wait(span) {
            // A daemon that is only starting has nothing to say yet, and its journal may not be readable.
            (try? status())?["panel"]?["link"] == .string("up")
        }
        guard isUp else { throw HarnessError("no session with the panel. \(daemon?.report ?? "")") }
    }

    /// SIGTERM; its exit status.
    @discardableResult
    func stop() throws -> Int32? { try daemon?.terminate() }

    /// SIGKILL at once, as when the power fails for this process.
    func kill9() { daemon?.kill9() }

    // MARK: Asking

    /// Runs a subcommand on this state directory.
    func command(
        _ words: [String], input: String? = nil, within span: Duration = .patience
    ) throws -> Program.Result {
        // The service manager always listens; a socket that nobody reads holds ten words and then the daemon.
        notify.read()
        return try Program.run(words + ["--state", stateDirectory], in: directory, input: input, within: span)
    }

    func status() throws -> JSON {
        let result = try command(["status", "--json"])
        return try JSON(parsing: result.output)
    }

    /// `events --follow --json` from the newest events on; its `lines` grow.
    func follow(_ words: [String] = []) throws -> Program {
        followerCount += 1
        return try Program(
            "follower-\(followerCount)", ["events", "--follow", "--json"] + words + ["--state", stateDirectory],
            in: directory)
    }

    /// The whole journal, read from its file, whether or not the daemon runs.
    func journal() throws -> [StoredEvent] {
        let reader = try JournalReader(directory: stateDirectory)
        var events: [StoredEvent] = []
        var query = EventQuery(limit: 1000)
        while true {
            let page = try reader.page(query, slice: .seconds(1))
            events += page.events
            guard page.hasMore else { return events }
            query.after = page.cursor
        }
    }

    /// Waits until the journal has an event of this kind; the first such.
    func waitForEvent(
        within span: Duration = .patience, _ isWanted: (Event) -> Bool
    ) throws -> StoredEvent {
        var found: StoredEvent?
        _ = try Deadline.wait(span) {
            found = try journal().first { isWanted($0.event) }
            return found != nil
        }
        guard let found else { throw HarnessError("no such event came in time. \(daemon?.report ?? "")") }
        return found
    }
}
