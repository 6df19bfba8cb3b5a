import AlarmModel
import ApplianceCore
import Glibc
import PhoneProtocol
import Platform
import Reports
import Simulators

/// The programs of the demo, simulated panel, push service and phone around the daemon, and the wires to them. Confined
/// to one thread.
///
/// Waiting runs the loop; whatever happens meanwhile is handed on at once.
final class DemoStage {
    let directory: String
    var onEvent: ((StoredEvent) -> Void)?
    /// Lines of the push service, the phone, the store app's topic, and `phones pair`.
    var onLine: ((DemoSpeaker, String) -> Void)?
    let loop: EventLoop
    let pace: DemoPace
    /// `howalarming-lab`, which plays the house and its surroundings.
    private let laboratory: String
    /// `howalarming`, which lies beside it.
    let firmware: String
    private var signals: SignalSource?
    private var caught: Int32?
    private var programs: [Program] = []
    var phone: Program?
    var trace = DemoPushTrace()
    var house: LineStream?
    var service: LineStream?
    /// The web app's, in this process; nil: there is none.
    var host: HTTPServiceMount<FolderHost>?
    /// Of browsers, in this process; nil: there is none.
    var browserPush: HTTPServiceMount<WebPushSimulator>?
    var browserPushFingerprint: [UInt8] = []
    /// The one that the demo has started.
    var firefox: Firefox?
    /// What is typed here, where that is asked for.
    var keyboard: DemoKeyboard?
    /// What the house or the push service answered to a verb.
    private var verbAnswers: [String] = []
    private var asker: LineStream?
    private var answers: [ControlReply] = []
    private var follower: LineStream?
    static let patience = Duration.seconds(20)
    private static let limits = JSON.Limits(depth: 32, bytes: 4 * 1024 * 1024)

    /// A child with what it said last.
    final class Program {
        let name: String
        let process: ChildProcess
        /// The first ones, for what is said at the start.
        var first: [String] = []
        var lines: [String] = []
        var onLine: ((String) -> Void)?
        var end: ChildProcess.End?
        var hasEnded: Bool { end != nil }

        init(_ name: String, _ process: ChildProcess) {
            self.name = name
            self.process = process
        }
    }

    init(directory: String, pace: DemoPace) throws {
        self.directory = directory
        self.pace = pace
        laboratory = Self.ownProgram()
        firmware = try Self.firmware(beside: laboratory)
        loop = try EventLoop()
        signals = try SignalSource(on: loop) { [weak self] signal in
            guard let self else { return }
            switch signal {
            case .interrupt: caught = SIGINT
            case .terminate: caught = SIGTERM
            case .hangup: caught = SIGHUP
            case .user1: return
            }
            loop.stop()
        }
    }

    /// Whatever stands at that path now may be a newer build, so the running one is preferred where it is gone.
    private static func ownProgram() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map { readlink("/proc/self/exe", $0, bytes.count) } ?? 0
        }
        let path = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        return access(path, X_OK) == 0 ? path : "/proc/self/exe"
    }

    private static func firmware(beside laboratory: String) throws -> String {
        let parts = laboratory.split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().joined(separator: "/")
        let path = "\(folder)/howalarming"
        guard access(path, X_OK) == 0 else {
            throw DemoEnd.failed(
                "the program 'howalarming' is not beside this one, in \(folder); tools/demo builds both")
        }
        return path
    }

    // MARK: Programs

    /// A wire to a control port.
    func steer(_ what: String, _ endpoint: Endpoint) throws -> LineStream {
        let wire = lines(try connect(what) { connector, then in connector.open(endpoint, then: then) })
        wire.onLine = { [weak self] line in
            self?.verbAnswers.append(String(decoding: line, as: UTF8.self))
            self?.loop.stop()
        }
        return wire
    }

    /// Starts the daemon and follows its events.
    func startDaemon(configurationFile: String) throws {
        _ = try start("daemon", ["run", "--config", configurationFile, "--state", directory])
        let asker = try connectToDaemon()
        asker.onLine = { [weak self] line in self?.take(line) { self?.answers.append($0) } }
        self.asker = asker
        try awaitJournal()
        let follower = try connectToDaemon()
        follower.onLine = { [weak self] line in self?.take(line) { self?.show($0) } }
        self.follower = follower
        follower.send(ControlRequest.events(EventQuery(), follow: true).json.text)
    }

    /// Until its journal is open the daemon puts everybody off.
    private func awaitJournal() throws {
        let end = SystemClock.bootTime() + Self.patience
        while SystemClock.bootTime() < end {
            if case .status = try ask(.status) { return }
            try rest(.milliseconds(50))
        }
        throw DemoEnd.noAnswer("the daemon, which opens its journal,")
    }

    /// With an open input it listens to `ChildProcess.write`.
    func start(_ name: String, _ arguments: [String], hasInput: Bool = false) throws -> Program {
        let started = try launch(
            name, arguments.first == "simulate" ? laboratory : firmware, arguments, hasInput: hasInput)
        programs.append(started)
        return started
    }

    /// One that may end when it likes.
    func launch(
        _ name: String, _ path: String, _ arguments: [String], environment: [String] = [], hasInput: Bool = false,
        ownGroup: Bool = false
    ) throws(SystemError) -> Program {
        let process = try ChildProcess(
            path, arguments, environment: environment, input: hasInput ? .open : .bytes([]), output: .lines,
            ownGroup: ownGroup, on: loop)
        let started = Program(name, process)
        process.onLine = { [weak self] _, line in
            if started.first.count < 2 { started.first.append(line) }
            started.lines.append(line)
            if started.lines.count > 8 { started.lines.removeFirst() }
            started.onLine?(line)
            self?.loop.stop()
        }
        process.onEnd = { [weak self] end in
            started.end = end
            self?.loop.stop()
        }
        return started
    }

    /// Waits for programs that end by themselves, and with success.
    func finish(_ calls: [Program]) throws {
        // While they are in the list they must not end.
        programs.removeAll { program in calls.contains { $0 === program } }
        defer { for call in calls where !call.hasEnded { call.process.kill() } }
        for call in calls {
            guard try wait(until: { call.hasEnded }) else { throw DemoEnd.noAnswer("'howalarming \(call.name)'") }
            guard call.end == .exited(0) else {
                throw DemoEnd.failed(
                    "'howalarming \(call.name)' failed and said: \(call.lines.joined(separator: " / "))")
            }
        }
    }

    /// The last words of the daemon, for a failure.
    var lastLines: [String] { programs.first { $0.name == "daemon" }?.lines ?? [] }

    /// Ends them all, the newest first, and waits for them. They are ours by their numbers; nothing else is touched.
    func stop() {
        keyboard?.close()
        stopFirefox()
        host?.close()
        browserPush?.close()
        for wire in [follower, asker, house, service] { wire?.close() }
        for program in programs.reversed() { end(program) }
        programs = []
        signals?.cancel()
        signals = nil
    }

    /// Asks it to end, and makes it where it does not.
    func end(_ program: Program) {
        program.process.terminate()
        guard !run(within: .seconds(8), until: { program.hasEnded }) else { return }
        program.process.kill()
        _ = run(within: .seconds(2)) { program.hasEnded }
    }

    /// Shows what happens until somebody ends it.
    func stay() throws {
        do {
            while true { try rest(.seconds(3600)) }
        } catch DemoEnd.signal {
            caught = nil
        }
    }

    // MARK: Wires

    func connectToDaemon() throws -> LineStream {
        lines(
            try connect("the daemon") { connector, then in
                connector.openUnix(directory: self.directory, name: ControlSocket.name, then: then)
            })
    }

    private func lines(_ stream: Stream) -> LineStream { LineStream(stream) { [weak self] in self?.loop.stop() } }

    /// Tries until somebody answers.
    func connect(
        _ what: String,
        _ open: (Connector, @escaping (Result<Stream, ConnectFailure>) -> Void) -> ConnectAttempt
    ) throws -> Stream {
        let deadline = SystemClock.bootTime() + Self.patience
        while SystemClock.bootTime() < deadline {
            var result: Result<Stream, ConnectFailure>?
            let attempt = open(Connector(on: loop)) { [loop] in
                result = $0
                loop.stop()
            }
            guard try wait(until: { result != nil }) else { break }
            attempt.cancel()
            if case .success(let stream)? = result { return stream }
            try rest(.milliseconds(50))
        }
        throw DemoEnd.noAnswer(what)
    }

    private func take(_ line: [UInt8], _ then: (ControlReply) -> Void) {
        if let reply = try? JSON(parsing: line, limits: Self.limits).decoding(ControlReply.self) { then(reply) }
        loop.stop()
    }

    private func show(_ reply: ControlReply) {
        guard case .events(let events) = reply else { return }
        for event in events { onEvent?(event) }
    }

    func tell(_ wire: LineStream?, _ verb: String, _ whom: String) throws -> String {
        verbAnswers = []
        wire?.send(verb)
        guard try wait(until: { !self.verbAnswers.isEmpty }) else { throw DemoEnd.noAnswer(whom) }
        return verbAnswers[0]
    }

    func ask(_ request: ControlRequest) throws -> ControlReply {
        answers = []
        asker?.send(request.json.text)
        guard try wait(until: { !self.answers.isEmpty }) else { throw DemoEnd.noAnswer("the daemon") }
        return answers[0]
    }

    // MARK: Waiting

    func rest(_ span: Duration) throws { _ = try wait(within: span) { false } }

    /// False when it did not come about in time.
    func wait(within span: Duration = patience, until isDone: () -> Bool) throws -> Bool {
        let isDone =
            run(within: span) {
                isDone() || self.caught != nil || self.programs.contains(where: \.hasEnded)
            } && isDone()
        if let caught { throw DemoEnd.signal(caught) }
        if let ended = programs.first(where: \.hasEnded) { throw DemoEnd.programEnded(ended.name, ended.lines) }
        return isDone
    }

    private func run(within span: Duration, until isDone: () -> Bool) -> Bool {
        let deadline = SystemClock.bootTime() + span
        while !isDone() {
            guard SystemClock.bootTime() < deadline else { return false }
            let token = loop.setTimer(at: deadline) { [loop] in loop.stop() }
            loop.run()
            loop.cancel(token)
        }
        return true
    }
}
