import AlarmModel
import Glibc
import PanelLink
import Platform

/// A session with the module for as long as somebody is at the terminal: tries the password, hears which partitions there
/// are, and which zones move while the person walks through the house.
///
/// Guarantees: it asks the panel for a report and for nothing else; the session is closed at the end.
final class ModuleTrial {
    struct Found: Equatable {
        var partitions: [Int]
        /// Open at the login, ascending.
        var openZones: [Int]
    }
    enum Result: Equatable {
        case found(Found)
        /// A sentence that says what to do.
        case failed(String)
    }

    private let loop: EventLoop
    private let module: Endpoint
    private var session: Session
    private var stream: Stream?
    private var attempt: ConnectAttempt?
    private var timer: TimerToken?
    /// Zones that have opened since, in that order.
    private var moved: [Int] = []
    private var onChange: (() -> Void)?

    private static let patience = Duration.seconds(25)

    init(_ module: Endpoint, password: Secret) throws(Platform.SystemError) {
        loop = try EventLoop()
        self.module = module
        var settings = PanelSettings(password: password)
        settings.partitions = []
        session = Session(settings: settings, known: PanelState(), seed: 1)
    }

    /// Logs in and waits for the whole report.
    func logIn() -> Result {
        act { $0.start(at: $1, into: &$2) }
        let end = SystemClock.bootTime() + Self.patience
        let deadline = loop.setTimer(at: end) { [loop] in loop.stop() }
        onChange = { [self] in
            // A session that another client has just left is had at the next attempt.
            let isVain = report.nextAttempt.map { $0 > end } ?? false
            if session.state.link == .up || isVain { loop.stop() }
        }
        loop.run()
        loop.cancel(deadline)
        guard session.state.link == .up else {
            return .failed(session.problemOfOneTry ?? "the module did not answer in time; check address and port")
        }
        let state = session.state
        let zones = state.zones.filter { $0.open.current == true }.map(\.number)
        let partitions = state.partitions.filter { partition in
            partition.status.current.map { $0 != .notEnabled } ?? false
        }
        return .found(Found(partitions: partitions.map(\.number), openZones: zones))
    }

    var isUp: Bool { session.state.link != .down }

    /// Tells each zone that opens for the first time, until there is a line on standard input or its end, or the session
    /// ends.
    ///
    /// - Returns: these zones, in that order
    func watch(_ tell: @escaping (Int) -> Void) throws(Platform.SystemError) -> [Int] {
        let watch = try loop.watch(STDIN_FILENO, for: .read) { [loop] _ in loop.stop() }
        defer { watch.cancel() }
        var open = Set(session.state.zones.filter { $0.open.current == true }.map(\.number))
        onChange = { [self] in
            for zone in session.state.zones {
                guard zone.open.current == true else {
                    open.remove(zone.number)
                    continue
                }
                guard open.insert(zone.number).inserted, !moved.contains(zone.number) else { continue }
                moved.append(zone.number)
                tell(zone.number)
            }
            if !isUp { loop.stop() }
        }
        loop.run()
        return moved
    }

    /// The module is free for the daemon afterwards.
    func close() {
        onChange = nil
        act { $0.stop(at: $1, into: &$2) }
        guard let stream else { return }
        stream.onClosed = { [loop] _ in loop.stop() }
        stream.close()
        let deadline = loop.setTimer(after: .seconds(2)) { [loop] in loop.stop() }
        loop.run()
        loop.cancel(deadline)
    }

    private var report: SessionReport { session.report(at: SystemClock.moment(isTrusted: false)) }

    private func act(_ step: (inout Session, Moment, inout [PanelAction]) -> Void) {
        var actions: [PanelAction] = []
        step(&session, SystemClock.moment(isTrusted: false), &actions)
        for action in actions {
            switch action {
            case .connect: connect()
            case .close:
                attempt?.cancel()
                stream?.onClosed = nil
                stream?.close()
                stream = nil
            case .send(let bytes): stream?.send(bytes)
            case .event, .outcome, .trace, .log: break
            }
        }
        if let timer { loop.cancel(timer) }
        timer = session.nextDeadline.map { due in
            loop.setTimer(at: due) { [self] in act { $0.timerFired(at: $1, into: &$2) } }
        }
        onChange?()
    }

    private func connect() {
        attempt = Connector(on: loop).open(module) { [self] result in
            switch result {
            case .success(let stream):
                self.stream = stream
                stream.onReceived = { [self] bytes in act { $0.received(bytes, at: $1, into: &$2) } }
                stream.onClosed = { [self] end in
                    self.stream = nil
                    act { $0.closed(end, at: $1, into: &$2) }
                }
                act { $0.connected(at: $1, into: &$2) }
            case .failure(let failure): act { $0.connectFailed(.unreachable(failure.end), at: $1, into: &$2) }
            }
        }
    }
}
