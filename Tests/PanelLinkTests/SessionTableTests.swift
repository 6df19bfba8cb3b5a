import AlarmModel
import PanelLink
import Testing

/// Every phase of a session with every kind of thing that can happen to it (R22 of the promises).
@Suite("Table of the panel session")
struct SessionTableTests {
    enum Happening: String, CaseIterable {
        case start, stop, moved, connected, failed, closed, noBytes, garbage, badSum, poll, ack, wrongAck
        case refused, loginTimeout, greeting, loggedIn, event, unknown, error, order, time
    }

    private static let phases: [SessionReport.Phase] = [
        .idle, .waiting, .connecting, .loggingIn, .resynchronising, .up, .stopped,
    ]

    /// A session that has come to this phase by the usual channel.
    private static func script(in phase: SessionReport.Phase) -> Script {
        var script = Script()
        switch phase {
        case .idle: break
        case .waiting:
            script.start()
            script.connectFailed(.refused)
        case .connecting: script.start()
        case .loggingIn:
            script.start()
            script.connected()
            script.feed("5053")
            script.advance(.milliseconds(30))
        case .resynchronising:
            script.start()
            script.logIn()
            script.advance(.milliseconds(30))
        case .up: script.comeUp("6501")
        case .stopped:
            script.comeUp("6501")
            script.stop()
        }
        script.forget()
        return script
    }

    private static func happen(_ what: Happening, to script: inout Script) {
        switch what {
        case .start: script.start()
        case .stop: script.stop()
        case .moved: script.perform { $0.moduleMoved(at: $1, into: &$2) }
        case .connected: script.connected()
        case .failed: script.connectFailed(.refused)
        case .closed: script.closed()
        case .noBytes: script.receive([])
        case .garbage: script.feedRaw("\u{0}\u{1}?\r\n")
        case .badSum: script.feedRaw("60903FF\r\n")
        case .poll: script.feed("500000")
        case .ack: script.feed("500001")
        case .wrongAck: script.feed("500071")
        case .refused: script.feed("5050")
        case .greeting: script.feed("5053")
        case .loggedIn: script.feed("5051")
        case .loginTimeout: script.feed("5052")
        case .event: script.feed("6011003")
        case .unknown: script.feed("999")
        case .error: script.feed("502021")
        case .order: script.submit(.disarm(partition: 1))
        case .time: script.advance(.minutes(5))
        }
    }

    /// What happens, and the phase that follows on idle, waiting, connecting, loggingIn, resynchronising, up and
    /// stopped.
    private static let table = """
        start      connecting waiting    connecting loggingIn       resynchronising up         connecting
        stop       stopped    stopped    stopped    stopped         stopped         stopped    stopped
        moved      idle       connecting connecting connecting      connecting      connecting stopped
        connected  idle       waiting    loggingIn  loggingIn       resynchronising up         stopped
        failed     idle       waiting    waiting    loggingIn       resynchronising up         stopped
        closed     idle       waiting    waiting    waiting         waiting         waiting    stopped
        noBytes    idle       waiting    connecting loggingIn       resynchronising up         stopped
        garbage    idle       waiting    connecting loggingIn       resynchronising up         stopped
        badSum     idle       waiting    connecting loggingIn       resynchronising up         stopped
        poll       idle       waiting    connecting loggingIn       resynchronising up         stopped
        ack        idle       waiting    connecting loggingIn       resynchronising up         stopped
        wrongAck   idle       waiting    connecting loggingIn       resynchronising up         stopped
        refused    idle       waiting    connecting waiting         waiting         waiting    stopped
        loginTimeout idle     waiting    connecting waiting         waiting         waiting    stopped
        greeting   idle       waiting    connecting loggingIn       waiting         waiting    stopped
        loggedIn   idle       waiting    connecting resynchronising resynchronising up         stopped
        event      idle       waiting    connecting loggingIn       resynchronising up         stopped
        unknown    idle       waiting    connecting loggingIn       resynchronising up         stopped
        error      idle       waiting    connecting loggingIn       up              up         stopped
        order      idle       waiting    connecting loggingIn       resynchronising up         stopped
        time       idle       connecting connecting connecting      connecting      waiting    stopped
        """

    @Test("each phase with each happening leads where the table says")
    func eachPhaseWithEachHappeningLeadsWhereTheTableSays() {
        let rows = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.map { $0.first } == Happening.allCases.map(\.rawValue))
        for (what, row) in zip(Happening.allCases, rows) {
            for (phase, wanted) in zip(Self.phases, row.dropFirst()) {
                var script = Self.script(in: phase)
                Self.happen(what, to: &script)
                let next = script.session.report(at: script.now).phase.rawValue
                #expect(next == wanted, "\(what) in \(phase)")
            }
        }
    }

    @Test("in no phase does a happening send the code without a command, or the password but for the greeting")
    func inNoPhaseDoesAHappeningSendTheCodeWithoutACommand() {
        for phase in Self.phases {
            for what in Happening.allCases where what != .order && what != .time {
                var script = Self.script(in: phase)
                Self.happen(what, to: &script)
                script.advance(.milliseconds(100))
                let sent = script.takeSent()
                #expect(!sent.contains { $0.contains("1234") || $0.contains("user") }, "\(what) in \(phase): \(sent)")
            }
        }
    }
}
