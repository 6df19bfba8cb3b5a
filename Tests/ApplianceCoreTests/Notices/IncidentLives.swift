import AlarmModel
import PanelLink
import PhoneLink

@testable import ApplianceCore

/// The lives of seven incidents, from the panel's lines to what a person reads, for `docs/notices.txt`.
struct IncidentLives {
    struct Life {
        var name: String
        /// Status report of the quiet house before the incident.
        var report: [String]
        var steps: [Step]
    }
    enum Step {
        /// Seconds after the step before, then lines of the panel.
        case lines(Int, [String])
        /// The session is lost, and back after so many seconds with this status report.
        case away(Int, [String])
    }

    static let armed = ["65210", "51082"]
    static let disarmed = ["6501", "51081"]

    static let all: [Life] = [
        Life(
            name: "a burglary, disarmed while the siren rings", report: armed,
            steps: [
                .lines(0, ["609003", "6571"]), .lines(30, ["6011003", "6541", "51086"]),
                .lines(90, ["6551", "75010040", "51085"]), .lines(4, ["6501"]),
            ]),
        Life(
            name: "a burglary in an empty house: the siren's time is over, and somebody disarms an hour later",
            report: armed,
            steps: [
                .lines(0, ["609003", "6011003", "6541", "51086"]), .lines(240, ["65210"]), .lines(20, ["6021003"]),
                .lines(3600, ["6551", "75010040"]),
            ]),
        Life(
            name: "a smoke alarm in a disarmed house: the panel stops showing it, nobody has touched a keypad",
            report: disarmed, steps: [.lines(0, ["609007", "6011007", "6541"]), .lines(240, ["6511"])]),
        Life(
            name: "a hold-up button without siren, and another door that opens", report: disarmed,
            steps: [
                .lines(0, ["6011003"]), .lines(20, ["609001", "6511"]), .lines(60, ["610001", "6021003", "6501"]),
            ]),
        Life(
            name: "an alarm that rings out while the box does not hear the panel", report: armed,
            steps: [.lines(0, ["609001"]), .away(300, ["65210", "51086"]), .lines(600, ["6551", "75010040"])]),
        Life(
            name: "an alarm, and armed again by a key fob", report: disarmed,
            steps: [.lines(0, ["6011003"]), .lines(60, ["6561"]), .lines(60, ["7011", "65210", "51082"])]),
        Life(
            name: "two alarms of one arming", report: armed,
            steps: [
                .lines(0, ["6011003", "6541", "51086"]), .lines(240, ["65210"]),
                .lines(120, ["6011001", "6541"]), .lines(60, ["6551", "75010040"]),
            ]),
    ]

    private var session: Session
    private var now: Moment
    private var actions: [PanelAction] = []
    private var pending: [(at: BootTime, event: Event)] = []
    private let words: [NoticeText]
    private var out: [String] = []

    /// - Parameter at: when the first line comes
    init(names: SiteNames, at time: WallTime) {
        session = Session(
            settings: PanelSettings(password: Secret("user"), masterCode: Secret("1234"), names: names),
            known: PanelState(), seed: 1)
        now = Moment(boot: BootTime(nanoseconds: 1_000_000_000_000), wall: time, isWallTrusted: true)
        words = NoticeLanguage.allCases.map {
            NoticeText(siteName: "", names: names, timeZone: .utc, language: $0)
        }
    }

    /// Title and text in each language, each behind the panel's line.
    mutating func lines(of life: Life) -> [String] {
        perform { $0.start(at: $1, into: &$2) }
        logIn(report: life.report)
        pending = []
        out = []
        for step in life.steps {
            switch step {
            case .lines(let seconds, let lines):
                advance(.seconds(seconds))
                for line in lines {
                    advance(.milliseconds(100))
                    feed(line)
                }
            case .away(let seconds, let report):
                perform { $0.closed(.reset, at: $1, into: &$2) }
                advance(.seconds(seconds))
                logIn(report: report)
            }
        }
        advance(.seconds(20))
        return out
    }

    private mutating func logIn(report: [String]) {
        while let time = session.report(at: now).nextAttempt, time > now.boot { advance(time - now.boot) }
        perform { $0.connected(at: $1, into: &$2) }
        for line in ["5053", "5051"] { feed(line) }
        advance(.milliseconds(100))
        for line in ["500001"] + report { feed(line) }
        advance(.milliseconds(100))
        feed("500000")
        advance(.milliseconds(100))
    }

    private mutating func feed(_ line: String) {
        let bytes = Frame.bytes(code: String(line.prefix(3)), data: String(line.dropFirst(3)))
        perform { $0.received(bytes, at: $1, into: &$2) }
    }

    private mutating func advance(_ span: Duration) {
        let end = now.boot + span
        while let next = [session.nextDeadline, pending.map(\.at).min()].compactMap({ $0 }).min(), next <= end {
            let step = max(next - now.boot, .zero)
            now = Moment(boot: now.boot + step, wall: now.wall + step, isWallTrusted: true)
            perform { $0.timerFired(at: $1, into: &$2) }
            tellDue()
        }
        let rest = end - now.boot
        now = Moment(boot: end, wall: now.wall + rest, isWallTrusted: true)
        tellDue()
    }

    private mutating func perform(_ body: (inout Session, Moment, inout [PanelAction]) -> Void) {
        var actions: [PanelAction] = []
        body(&session, now, &actions)
        for action in actions {
            switch action {
            case .event(let event):
                // As the outbox does: the panel names who disarmed a moment later.
                let waits = event.flags.contains(.endsAlarm) || event.type == .disarmed
                pending.append((now.boot + (waits ? .seconds(1) : .zero), event))
            case .send(let bytes):
                // The module acknowledges polls and the clock.
                let line = String(decoding: bytes.prefix(3), as: UTF8.self)
                if line == "000" || line == "010" { acknowledge(line) }
            case .connect, .close, .outcome, .trace, .log: break
            }
        }
    }

    private mutating func acknowledge(_ command: String) {
        let bytes = Frame.bytes(code: "500", data: command)
        perform { $0.received(bytes, at: $1, into: &$2) }
    }

    private mutating func tellDue() {
        let due = pending.filter { $0.at <= now.boot }
        pending.removeAll { $0.at <= now.boot }
        for (_, event) in due where event.priority < .info {
            out.append("   \(TimeZoneRules.utc.civilTime(at: event.time).time) \(event.raw)")
            for text in words {
                let notice = text.notice(event, partitions: session.state.partitions)
                let title = notice.title.replacing("HowAlarming: ", with: "")
                out.append("\(text.language.rawValue)  \(title)\n    \(notice.text)")
            }
        }
    }
}
