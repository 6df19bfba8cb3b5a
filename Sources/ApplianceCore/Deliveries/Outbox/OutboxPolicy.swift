package import AlarmModel

/// How long, how often and how many: the figures by which the outbox decides. Intervals are never zero.
package struct OutboxPolicy: Codable, Equatable, Sendable {
    /// A message is not sent any more after this.
    package var alarmLifetime: Duration = .hours(7 * 24)
    package var faultLifetime: Duration = .hours(7 * 24)
    package var stateLifetime: Duration = .hours(24)
    package var infoLifetime: Duration = .hours(1)
    /// The panel tells who disarmed a moment after it has told of the disarming: so long the words about it wait.
    package var endOfAlarmPause: Duration = .seconds(1)
    /// Of what is over by then: the entry delay, and the warning that the panel is about to arm.
    package var delayLifetime: Duration = .seconds(60)
    /// A reminder that arrives later only puzzles.
    package var reminderLifetime: Duration = .hours(2)

    /// State and info to one address: so many at once, then one per interval. The service takes 240 a minute and 5000
    /// an hour (docs/push.md A.5).
    package var ordinaryBurst = 20
    package var ordinaryInterval: Duration = .seconds(3)
    package var faultBurst = 30
    package var faultInterval: Duration = .seconds(2)
    /// Repeats of alarms that the service has taken before.
    package var repeatBurst = 30
    package var repeatInterval: Duration = .seconds(1)

    /// An alarm without receipt for so long is overdue, and the first repeat leaves.
    package var receiptDelay: Duration = .seconds(30)
    /// A message that nothing has confirmed by then leaves by the person's other channels too.
    package var fallbackDelay: Duration = .seconds(30)
    /// So long an alarm stays open that a chat server has taken: another server may send it back. Then it leaves again
    /// after as long: a server that is away is not back within seconds.
    package var bounceSpan: Duration = .minutes(1)
    /// From one notice about overdue alarms of an address to the next.
    package var overdueInterval: Duration = .minutes(5)
    /// From one repeat to the next; the last figure goes on.
    package var repeatDelays: [Duration] = [.minutes(2), .minutes(5)]

    /// The first try again comes 1…2 s after the refusal; the spans double up to the cap. A channel that wants longer
    /// pauses gets them.
    package var firstRetry: Duration = .seconds(1)
    package var urgentRetryCap: Duration = .seconds(5)
    package var retryCap: Duration = .seconds(60)
    /// An alarm to one of the house's own addresses that was refused as often as its channel allows: the pauses double
    /// from there on up to this.
    package var exhaustedPause: Duration = .minutes(5)
    /// Between the tries of an alarm that nobody takes before a person has acted.
    package var blockedPause: Duration = .minutes(5)
    /// A service that says that a device gets too much says for how long; doubled at each repetition up to the cap,
    /// until so long has passed without one.
    package var addressHold: Duration = .seconds(60)
    package var addressHoldCap: Duration = .minutes(16)
    /// What a service asks for holds back an alarm for no longer than this, doubled at each repetition up to the cap.
    package var askedAlarmPause: Duration = .seconds(60)
    package var askedAlarmPauseCap: Duration = .minutes(5)
    /// Between the new tries of alarms that were refused for this reason: the service takes 240 a minute (docs/push.md
    /// A.5). They are spread over one `addressHold`.
    package var refusedAlarmInterval: Duration = .milliseconds(250)

    /// Messages in memory; the others are in the store only.
    package var memoryLimit = 1000
    /// Alarms that are not stored yet may go beyond `memoryLimit`, up to this.
    package var unstoredLimit = 10_000
    /// Messages that reading from the store may put into memory, shared by the addresses.
    package var readAhead = 500
    /// Alarms that wait for a receipt; beyond it the most often repeated are left at "accepted".
    package var awaitedLimit = 400
    /// Changes of state are written at most so often, in batches of at most so many.
    package var flushInterval: Duration = .seconds(1)
    package var flushLimit = 200
    /// Changes that wait for a store that fails. Reads stop at half of it, which leaves room for a page
    /// (`OutboxPage.limit`).
    package var changeLimit = 10_000
    /// Reads that fail in a row, a second apart, before people are told, and before nothing waits any more for what the
    /// store holds.
    package var readTries = 5
    /// A read without answer for so long no longer holds back alarms for the sake of their order.
    package var readPatience: Duration = .seconds(2)

    /// As long as topic servers keep files.
    package static let pictureLifetime = Duration.hours(3)

    package init() {}

    /// A service that asks for a day does not silence an alarm for a day; nil: what it asks for holds, if it asks.
    func longestPause(_ item: OutboxItem, asked: Duration?) -> Duration? {
        guard item.priority == .alarm, let asked else { return nil }
        return min(asked, askedAlarmPause * (1 << min(item.askedPauses, 20)), askedAlarmPauseCap)
    }

    /// How long a receipt is waited for, of an alarm that the service had taken so often before.
    func receiptPause(after acceptances: Int) -> Duration {
        guard acceptances > 0, let last = repeatDelays.last else { return receiptDelay }
        return acceptances <= repeatDelays.count ? repeatDelays[acceptances - 1] : last
    }

    package func lifetime(_ event: Event) -> Duration {
        switch event.panelNotice {
        case .entryDelay, .automaticArming: return delayLifetime
        case .installerMode, .armedWithBypass, nil: break
        }
        if event.isReminder { return reminderLifetime }
        // Programs and original apps, which alone are told of a trouble's repetition, get it like the trouble itself.
        let repeats = event.flags.contains(.repeats)
        return switch repeats ? event.type.priority : event.priority {
        case .alarm: alarmLifetime
        case .fault: faultLifetime
        case .state: stateLifetime
        case .info: infoLifetime
        }
    }

    /// Seconds that the service may keep a message for a phone that is away (docs/push.md A.11).
    package static func timeToLive(_ event: Event, _ picture: PictureReference? = nil) -> Int {
        guard picture == nil else { return Int(pictureLifetime.milliseconds / 1000) }
        return switch event.type {
        case .alarm, .fault: 3600
        case .disarmed: event.flags.contains(.endsAlarm) ? 3600 : 600
        case .recovery, .armed: 600
        case .command, .info, .response, .unknown:
            event.flags.contains(.testAlarm) ? 3600 : event.panelNotice == nil && !event.isReminder ? 0 : 600
        }
    }
}
