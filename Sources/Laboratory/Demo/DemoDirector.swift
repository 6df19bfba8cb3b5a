import AlarmModel
import ApplianceCore
import CommandKit
import Platform

/// Plays the story on the stage, shows what the daemon makes of it, and checks that every expected event came.
final class DemoDirector {
    /// All that the daemon reported as stored, in order.
    private(set) var seen: [StoredEvent] = []
    /// The phone's log as it was compared last.
    var phoneLog: DemoPhoneLog?
    var alarms = DemoAlarms()
    let stage: DemoStage
    var screen: DemoScreen
    private let pace: DemoPace
    /// All that the phone said.
    var phoneLines: [String] = []
    /// Where the running act begins in these.
    var phoneStart = 0
    /// How many messages the push service had before the last thing that happened in the house.
    private var sentBefore = 0
    /// Notices that the store app received, oldest first.
    var topicNotices: [DemoNotice] = []
    /// Number of those notices at the beginning of the act.
    private var topicBefore = 0
    /// How many pushes the browsers' push service had taken then.
    private(set) var pushesBefore = 0
    /// The demo's Firefox gets notices.
    var hasNotices = false
    /// What the phone sent when it armed, by places on the push service's tape.
    var taped: Range<Int>?
    static let patience = Duration.seconds(20)

    init(_ stage: DemoStage, _ screen: DemoScreen, pace: DemoPace) {
        self.stage = stage
        self.screen = screen
        self.pace = pace
        stage.onEvent = { [weak self] stored in
            guard let self else { return }
            seen.append(stored)
            alarms.stored(stored.event, at: SystemClock.bootTime())
            self.screen.show(stored.event)
        }
        stage.onLine = { [weak self] speaker, line in
            guard let self else { return }
            if speaker == .anna {
                phoneLines.append(line)
                alarms.phoneLine(line, at: SystemClock.bootTime())
            }
            if let notice = DemoNotice(line) {
                if speaker == .ben { storeAppReceived(notice) }
                self.screen.show(speaker, notice)
            } else if speaker == .anna {
                self.screen.showPhone(line)
            } else {
                self.screen.show(speaker, line)
            }
        }
    }

    func play(_ acts: [DemoAct]) throws {
        guard try awaitEvents([DemoExpectation(.panelOnline)], since: 0).isEmpty else {
            throw DemoEnd.missing(act: "Start", [DemoExpectation(.panelOnline)], stage.lastLines)
        }
        try showHouse()
        for act in acts { try play(act) }
    }

    /// The first picture waits until the panel has reported every zone.
    private func showHouse() throws {
        let end = SystemClock.bootTime() + Self.patience
        while SystemClock.bootTime() < end, try !DemoPicture(status().panel).isComplete {
            try stage.rest(.milliseconds(100))
        }
        screen.house(try status().panel)
    }

    private func storeAppReceived(_ notice: DemoNotice) {
        topicNotices.append(notice)
        if let zone = notice.alarmPlace { alarms.seen(by: .ben, zone: zone, at: SystemClock.bootTime()) }
    }

    private func play(_ act: DemoAct) throws {
        let start = seen.count
        phoneStart = phoneLines.count
        screen.title(act)
        screen.isMuted = act.showsSentencesOnly
        defer { screen.isMuted = false }
        try setClock(act.hour, act.minute)
        for step in act.steps {
            if screen.console.isOutputGone { throw DemoEnd.unread }
            switch step {
            case .say(let sentence): screen.story(sentence)
            case .clock(let hour, let minute): try setClock(hour, minute)
            case .house(let verb):
                screen.show(.house, "> \(verb)")
                sentBefore = stage.trace.messages.count
                topicBefore = topicNotices.count
                pushesBefore = stage.browserPushes.count
                alarms.happens(at: SystemClock.bootTime())
                try stage.house(verb)
            case .order(let command, let words): try order(command, words)
            case .expect(let expectation):
                let missing = try awaitEvents([expectation], since: start)
                guard missing.isEmpty else { throw DemoEnd.missing(act: act.title, missing, stage.lastLines) }
            case .push(let verb):
                screen.show(.push, "> \(verb)")
                try stage.push(verb)
            case .pair(let person, let roles): try pair(person, roles)
            case .pairStoreApp(let person, let name): try pairStoreApp(person, name)
            case .pairBrowser(let person, let roles): try pairBrowser(person, roles)
            case .browserArms: try armInBrowser()
            case .browserDisarms: try disarmInBrowser()
            case .browserTakesNotices: try awaitNotices()
            case .pageIsClosed: try closePage()
            case .noticeArrives: try awaitNotice(act.title)
            case .topicTells(let text): try awaitTopic(text, since: topicBefore, act.title)
            case .phoneOpens:
                screen.show(.anna, "> opens the app")
                try preparePhone()
            case .phone(let word): try tellPhone(word)
            case .phoneTells(let text): try awaitPhone(text, act.title)
            case .messageSent:
                guard try stage.wait(until: { self.stage.trace.messages.count > self.sentBefore }) else {
                    throw DemoEnd.failed("the box gave the push service no message")
                }
            case .sameMessageAgain: try awaitSameMessage()
            case .forgeries: try forge()
            case .once(let expectation):
                let count = seen[start...].count { expectation.matches($0.event) }
                guard count == 1 else {
                    throw DemoEnd.failed(
                        "\"\(act.title)\" should have brought \(expectation) once and brought it \(count) times")
                }
            case .compare: try compare()
            case .state: screen.house(try status().panel)
            case .rest: try stage.rest(pace.rest)
            }
        }
        screen.house(try status().panel)
        try stage.rest(pace.rest)
    }

    /// How long each alarm took.
    func showAlarms() {
        let lines = alarms.lines
        guard !lines.isEmpty else { return }
        screen.say("")
        for line in lines { screen.say(line) }
        screen.story(
            "From what happened in the house; over loopback, with TLS. The box stores an alarm before it sends it: "
                + "'stored within' is the time at which the first of all who were told had it.")
    }

    /// The panel broadcasts its clock, and the timeline goes on when that is in the journal.
    private func setClock(_ hour: Int, _ minute: Int) throws {
        let start = seen.count
        try stage.house("clock 2026-10-12T\(DemoScreen.hour(hour, minute))")
        try stage.house("clock broadcast")
        let missing = try awaitEvents([DemoExpectation("550")], since: start)
        guard missing.isEmpty else { throw DemoEnd.missing(act: "the panel's clock", missing, stage.lastLines) }
    }

    private func order(_ command: PanelCommand, _ words: String) throws {
        screen.show(.box, "> \(words)")
        let reply = try stage.ask(.command(command, code: nil))
        guard case .outcome(let outcome, _) = reply else {
            throw DemoEnd.failed("the daemon answered to '\(words)' with something else than an outcome")
        }
        guard outcome == .done else { throw DemoEnd.failed("'\(words)' was not done: \(outcome)") }
    }

    func status() throws -> StatusReport {
        guard case .status(let report) = try stage.ask(.status) else {
            throw DemoEnd.failed("the daemon did not tell its status")
        }
        return report
    }

    /// Those that did not come in time.
    private func awaitEvents(_ expectations: [DemoExpectation], since start: Int) throws -> [DemoExpectation] {
        var missing = expectations
        _ = try stage.wait(within: Self.patience) {
            missing = expectations.filter { wanted in !self.seen[start...].contains { wanted.matches($0.event) } }
            return missing.isEmpty
        }
        return missing
    }
}
