import AlarmModel
import Platform
import Simulators

/// What comes to the demo's own Firefox while the app's page is closed.
extension DemoDirector {
    private static let handPatience = Duration.minutes(5)

    /// Waits until the browser has its first notice, by which the box tries the subscription out.
    func awaitNotices() throws {
        stage.keyboard?.forget()
        screen.notice([
            "Now let the app tell you of alarms while it is closed. In the browser:", "",
            "'Settings', 'Turn notices on', and 'Allow' when Firefox asks.", "",
            "Or press Enter here to go on without.",
        ])
        hasNotices = try awaitHand { self.stage.browserPushes.contains { $0.acknowledged != nil } }
        screen.story(
            hasNotices
                ? "The first notice is there: the box has tried the way out."
                : "Without notices, then: leave the app open.")
    }

    func closePage() throws {
        guard hasNotices else { return }
        stage.keyboard?.forget()
        screen.notice([
            "Close the tab of the app now, and leave the browser itself open.", "",
            "Then press Enter here: the burglar comes.",
        ])
        _ = try awaitHand { false }
    }

    /// Waits until the browser has the push of what happened last, and says how long it took.
    func awaitNotice(_ act: String) throws {
        guard hasNotices else { return }
        func newest() -> BootTime? { stage.browserPushes.dropFirst(pushesBefore).compactMap(\.acknowledged).first }
        guard try stage.wait(within: Self.patience, until: { newest() != nil || !self.isFirefoxThere }),
            let time = newest()
        else {
            throw DemoEnd.failed(
                isFirefoxThere
                    ? "\"\(act)\": Firefox has not taken the push of the alarm; please report this"
                    : "Firefox has ended, so nothing reaches it; run the demo again and close the tab only")
        }
        alarms.browserTold(at: time)
        let taken = max(1, (time - alarms.happenedAt).milliseconds)
        screen.story("Firefox has the push after \(taken) ms, and no page of the app is open.")
    }

    private var isFirefoxThere: Bool { stage.firefox.map { !$0.program.hasEnded } ?? false }

    /// False where somebody has pressed Enter before it was so, or nothing came of it for minutes.
    private func awaitHand(until isDone: () -> Bool) throws -> Bool {
        let end = SystemClock.bootTime() + Self.handPatience
        while SystemClock.bootTime() < end, stage.keyboard?.takeLine() == nil {
            if isDone() { return true }
            guard isFirefoxThere else {
                throw DemoEnd.failed("Firefox has ended; run the demo again and leave it open")
            }
            try stage.rest(.milliseconds(100))
        }
        return isDone()
    }
}
