package import AlarmModel
import Glibc
package import Platform
package import Simulators

/// A simulated panel on a real loopback port. Confined to the loop's thread.
///
/// Each segment of the machine leaves in a write of its own; `drop` cannot be had on a socket, so that newcomers are
/// accepted and hear nothing.
package final class PanelServer {
    /// One look at the wire, for `--trace`.
    package enum Sight {
        case connected(ConnectionID)
        case fromPanel([UInt8])
        case fromClient([UInt8])
        case closed(ConnectionID, ConnectionEnd)
        case listening(PanelSimulator.Listening)
    }

    package private(set) var machine: PanelMachine
    /// The port, also while nothing listens on it.
    package var port: UInt16 { listening.number }
    package var onSight: ((Sight) -> Void)?

    private let loop: EventLoop
    private let listening: SimulatorPort
    private var clients: [ConnectionID: SegmentWriter] = [:]
    private var nextClient: UInt64 = 1
    private let timer: MachineTimer
    private var script: PanelScript.Run?
    private var scriptTimer: TimerToken?
    private var flood: PanelFlood?
    private var floodTimer: TimerToken?
    private var isClosed = false

    /// Listens at once; port 0 takes a free one.
    package init(_ machine: PanelMachine, port wanted: UInt16, on loop: EventLoop) throws(SystemError) {
        self.machine = machine
        self.loop = loop
        timer = MachineTimer(on: loop)
        listening = try SimulatorPort(wanted, on: loop)
        listening.onAccepted = { [weak self] stream in
            guard let self else { return stream.reset() }
            accepted(stream)
        }
        step { $0.timerFired(at: $1, into: &$2) }
    }

    /// The panel's own state; nil for a transcript.
    package var truth: PanelTruth? {
        switch machine {
        case .panel(let panel): panel.truth
        case .transcript: nil
        }
    }

    package func perform(_ stimulus: PanelSimulator.Stimulus) {
        step { $0.perform(stimulus, at: $1, into: &$2) }
    }

    /// Performs the statements as their times come, counted from now.
    package func run(_ script: PanelScript) {
        self.script = PanelScript.Run(script, start: SystemClock.bootTime())
        continueScript()
    }

    /// Toggles zones so many times a second for ever; 0 ends it.
    package func flood(changesPerSecond: Int) {
        if let floodTimer { loop.cancel(floodTimer) }
        floodTimer = nil
        flood = changesPerSecond > 0 ? PanelFlood(rate: changesPerSecond, start: SystemClock.bootTime()) : nil
        continueFlood()
    }

    /// Closes everything; nothing happens any more.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        timer.cancel()
        for token in [scriptTimer, floodTimer].compactMap({ $0 }) { loop.cancel(token) }
        listening.close()
        let open = clients.values.sorted { $0.id < $1.id }
        clients = [:]
        for client in open { client.stream.close() }
    }

    // MARK: The machine

    private func step(
        _ body: (inout PanelMachine, BootTime, inout [PanelSimulator.Action]) -> Void
    ) {
        guard !isClosed else { return }
        var actions: [PanelSimulator.Action] = []
        body(&machine, SystemClock.bootTime(), &actions)
        for action in actions { carryOut(action) }
        planTimer()
    }

    private func planTimer() {
        timer.plan(machine.nextDeadline) { [weak self] in self?.step { $0.timerFired(at: $1, into: &$2) } }
    }

    private func carryOut(_ action: PanelSimulator.Action) {
        switch action {
        case .send(let id, let bytes): clients[id]?.add(.send(bytes))
        case .close(let id): clients[id]?.add(.close)
        case .reset(let id): clients[id]?.add(.reset)
        case .stopReading(let id): clients[id]?.stream.pauseReading()
        case .resumeReading(let id): clients[id]?.stream.resumeReading()
        case .listen(let how): listen(how)
        }
    }

    private func listen(_ how: PanelSimulator.Listening) {
        onSight?(.listening(how))
        switch how {
        case .accept, .drop: listening.open()
        case .refuse: listening.close()
        }
    }

    private func accepted(_ stream: Stream) {
        guard !isClosed else { return stream.reset() }
        let id = ConnectionID(nextClient)
        nextClient += 1
        let client = SegmentWriter(id, stream, on: loop) { [weak self] bytes in self?.onSight?(.fromPanel(bytes)) }
        clients[id] = client
        stream.onReceived = { [weak self] bytes in
            self?.onSight?(.fromClient(bytes))
            self?.step { $0.received(id, bytes, at: $1, into: &$2) }
        }
        stream.onClosed = { [weak self] end in
            self?.clients[id] = nil
            self?.onSight?(.closed(id, end))
            self?.step { $0.closed(id, why: end, at: $1, into: &$2) }
        }
        onSight?(.connected(id))
        step { $0.accepted(id, at: $1, into: &$2) }
    }

    // MARK: Script and flood

    private func continueScript() {
        guard var run = script else { return }
        let due = run.due(at: SystemClock.bootTime())
        script = run
        for statement in due { perform(statement.stimulus) }
        guard let next = run.nextDeadline, !isClosed else { return }
        scriptTimer = loop.setTimer(at: next) { [weak self] in self?.continueScript() }
    }

    private func continueFlood() {
        guard flood != nil, !isClosed else { return }
        for stimulus in flood?.due(at: SystemClock.bootTime()) ?? [] { perform(stimulus) }
        floodTimer = loop.setTimer(after: PanelFlood.tick) { [weak self] in self?.continueFlood() }
    }
}
