import AlarmModel
import ApplianceCore
import Glibc
import PhoneProtocol
import Platform

/// The two programs of the demo, a simulated panel and the daemon, and the wires to both. Confined to one thread.
///
/// Waiting runs the loop; whatever happens meanwhile is handed on at once.
final class DemoStage {
    let directory: String
    var onEvent: ((StoredEvent) -> Void)?
    private let loop: EventLoop
    private let pace: DemoPace
    private let program: String
    private var signals: SignalSource?
    private var caught: Int32?
    private var programs: [Program] = []
    private var house: LineStream?
    private var houseAnswers: [String] = []
    private var asker: LineStream?
    private var answers: [ControlReply] = []
    private var follower: LineStream?
    private static let patience = Duration.seconds(20)
    private static let limits = JSON.Limits(depth: 32, bytes: 4 * 1024 * 1024)

    /// A child with what it said last.
    private final class Program {
        let name: String
        let process: ChildProcess
        var lines: [String] = []
        var hasEnded = false

        init(_ name: String, _ process: ChildProcess) {
            self.name = name
            self.process = process
        }
    }

    init(directory: String, pace: DemoPace) throws {
        self.directory = directory
        self.pace = pace
        program = Self.ownProgram()
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

    // MARK: Programs

    /// Starts the simulated panel; its module's port.
    func startPanel() throws -> UInt16 {
        let panel = try start(
            "simulated panel",
            [
                "simulate", "panel", "--port", "0", "--control-port", "0", "--exit-delay",
                DemoPace.seconds(pace.exitDelay), "--entry-delay", DemoPace.seconds(pace.entryDelay), "--bell-time",
                DemoPace.seconds(pace.bellTime),
            ])
        guard try wait(until: { !panel.lines.isEmpty }) else { throw DemoEnd.noAnswer("the simulated panel") }
        let ports = panel.lines[0].split(whereSeparator: { $0 == ":" || $0 == "," || $0 == " " })
            .compactMap { UInt16($0) }
        guard ports.count == 2, let address = IPAddress(bytes: [127, 0, 0, 1]) else {
            throw DemoEnd.failed("the simulated panel said something unexpected: \(panel.lines[0])")
        }
        let house = try connect("the simulated panel") { connector, then in
            connector.open(Endpoint(address: address, port: ports[1]), then: then)
        }
        house.onLine = { [weak self] line in
            self?.houseAnswers.append(String(decoding: line, as: UTF8.self))
            self?.loop.stop()
        }
        self.house = house
        return ports[0]
    }

    /// Starts the daemon and follows its events.
    func startDaemon(configurationFile: String) throws {
        _ = try start("daemon", ["run", "--config", configurationFile, "--state", directory])
        let follower = try connectToDaemon()
        follower.onLine = { [weak self] line in self?.take(line) { self?.show($0) } }
        self.follower = follower
        let asker = try connectToDaemon()
        asker.onLine = { [weak self] line in self?.take(line) { self?.answers.append($0) } }
        self.asker = asker
        follower.send(ControlRequest.events(EventQuery(), follow: true).json.text)
    }

    private func start(_ name: String, _ arguments: [String]) throws -> Program {
        let process = try ChildProcess(program, arguments, output: .lines, on: loop)
        let started = Program(name, process)
        programs.append(started)
        process.onLine = { [weak self] _, line in
            started.lines.append(line)
            if started.lines.count > 8 { started.lines.removeFirst() }
            self?.loop.stop()
        }
        process.onEnd = { [weak self] _ in
            started.hasEnded = true
            self?.loop.stop()
        }
        return started
    }

    /// The last words of the daemon, for a failure.
    var lastLines: [String] { programs.last?.lines ?? [] }

    /// Ends both, the daemon first, and waits for them. They are ours by their numbers; nothing else is touched.
    func stop() {
        for wire in [follower, asker, house] { wire?.close() }
        for program in programs.reversed() {
            program.process.terminate()
            let isOver = run(within: .seconds(8)) { program.hasEnded }
            if !isOver {
                program.process.kill()
                _ = run(within: .seconds(2)) { program.hasEnded }
            }
        }
        programs = []
        signals?.cancel()
        signals = nil
    }

    // MARK: Wires

    private func connectToDaemon() throws -> LineStream {
        try connect("the daemon") { connector, then in
            connector.openUnix(directory: self.directory, name: ControlSocket.name, then: then)
        }
    }

    /// Tries until somebody answers.
    private func connect(
        _ what: String,
        _ open: (Connector, @escaping (Result<Stream, ConnectFailure>) -> Void) -> ConnectAttempt
    ) throws -> LineStream {
        let deadline = SystemClock.bootTime() + Self.patience
        while SystemClock.bootTime() < deadline {
            var result: Result<Stream, ConnectFailure>?
            let attempt = open(Connector(on: loop)) { [loop] in
                result = $0
                loop.stop()
            }
            guard try wait(until: { result != nil }) else { break }
            attempt.cancel()
            if case .success(let stream)? = result {
                return LineStream(stream) { [weak self] in self?.loop.stop() }
            }
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

    /// Something happens in the simulated house.
    func house(_ verb: String) throws {
        houseAnswers = []
        house?.send(verb)
        guard try wait(until: { !self.houseAnswers.isEmpty }) else { throw DemoEnd.noAnswer("the simulated panel") }
        guard houseAnswers == ["ok"] else { throw DemoEnd.refused(verb: verb, answer: houseAnswers[0]) }
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
