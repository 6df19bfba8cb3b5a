package import AlarmModel

/// Brings one modem up and keeps it up: SIM opened, radio on, registered, and a data connection while one is wanted.
///
/// A PIN is tried once; when the SIM refuses it, or when one try is left, only a person helps (`change`, `tryAgain`).
/// Failed and dropped connections are tried again after 5 s, doubling to 5 min. Without progress for 5 min, doubling to
/// 1 h while it does not help, the modem is reset, at most 12 times in 24 h. A data connection that carries nothing for
/// 3 min is made anew once; if the new one carries nothing either, that is no progress. Nothing of this interrupts a call.
package struct ModemSession: Codable, Equatable, Sendable {
    package static let firstPause = Duration.seconds(5)
    package static let longestPause = Duration.minutes(5)
    package static let firstPatience = Duration.minutes(5)
    package static let longestPatience = Duration.hours(1)
    package static let resetsPerDay = 12
    /// A connection that stood this long is set up again at once when it drops.
    package static let goodStand = Duration.seconds(60)
    /// Between two searches while there is no modem.
    package static let searchPause = Duration.seconds(60)
    /// So long a missing modem or network is no problem yet.
    package static let grace = Duration.minutes(2)
    /// A data connection whose probes have failed for this long is disconnected and connected again.
    package static let silencePatience = Duration.minutes(3)
    /// A modem that does not tell how many PIN tries are left gets this long to do so before the one try.
    package static let countPatience = Duration.seconds(20)

    struct Pending: Codable, Equatable, Sendable {
        var task: ModemTask
        var deadline: BootTime
        /// The one that is tried; the configured one may be another meanwhile.
        var pin: Secret?
    }

    struct PINTry: Codable, Equatable, Sendable {
        /// Tries that were left before; this one counts as spent unless the number still stands.
        var triesLeft: Int?
    }

    package private(set) var settings: ModemSettings
    package internal(set) var status: ModemStatus?
    package internal(set) var isDataWanted = false
    /// The configured PIN was refused; kept across restarts by the owner of this session.
    package internal(set) var isPINRefused: Bool
    var isServiceThere = false
    var pending: Pending?
    /// Nothing is ordered before.
    var retryAt: BootTime?
    var pause = Self.firstPause
    var failure: ModemProblem?
    /// What the data connection was last asked for with; nil: nothing was yet.
    var dialed: ModemSubscription?
    /// Set while nobody knows whether the last try of the PIN was one.
    var pinTry: PINTry?
    var pinTries = 0
    var absentSince: BootTime
    var lockedSince: BootTime?
    var bearerSince: BootTime?
    /// Time since which the data connection carries nothing, over reconnects and resets; nil while it carries, while it
    /// was not judged yet, and while none is wanted.
    var silentSince: BootTime?
    /// The data connection was made anew in this silence; what helps next is a reset.
    var wasReconnected = false
    /// End of the time in which a call may be under way: until then the modem is neither disconnected nor reset.
    package var callsUntil = BootTime.zero
    /// The highest rung reached since the last reset, and since when nothing higher was; nil at the goal and while there
    /// is nothing that a reset could help.
    var rung = 0
    var stuckSince: BootTime?
    var goalSince: BootTime?
    var patience = Self.firstPatience
    var resets: [BootTime] = []
    /// All that was due by then is done.
    var handled: BootTime
    var told = Told()

    struct Told: Codable, Equatable, Sendable {
        var bearer: ModemBearer?
        var problem: ModemProblem?
        var textsReady = false
        var isPINRefused = false
    }

    /// - Parameter isPINRefused: what the last `pinRefused` action of an earlier run said, if the PIN is still the same
    package init(settings: ModemSettings, isPINRefused: Bool = false, at now: Moment) {
        self.settings = settings
        self.isPINRefused = isPINRefused
        told.isPINRefused = isPINRefused
        absentSince = now.boot
        handled = now.boot
    }

    /// Looks for a modem at once.
    package mutating func start(at now: Moment, into actions: inout [ModemAction]) {
        give(.find, within: .seconds(30), at: now.boot, into: &actions)
        advance(at: now, into: &actions)
    }

    /// Whether a data connection is wanted. Without, the modem stays registered, for text messages.
    package mutating func setWanted(_ isWanted: Bool, at now: Moment, into actions: inout [ModemAction]) {
        guard isDataWanted != isWanted else { return }
        isDataWanted = isWanted
        if isWanted {
            retryAt = nil
            pause = Self.firstPause
        } else {
            forgetFailedConnect()
            endSilence()
        }
        // What has not got anywhere yet goes on not getting anywhere: the time until its reset does not begin anew.
        advance(at: now, into: &actions)
    }

    /// The probes by the data connection are answered (true), or several in a row are not (false).
    package mutating func carries(_ isCarrying: Bool, at now: Moment, into actions: inout [ModemAction]) {
        if isCarrying {
            endSilence()
        } else if isDataWanted {
            silentSince = silentSince ?? now.boot
        }
        advance(at: now, into: &actions)
    }

    private mutating func endSilence() {
        silentSince = nil
        wasReconnected = false
    }

    /// The configuration was changed by a person. Another PIN may be tried; another subscription takes effect with a new
    /// connection.
    package mutating func change(
        _ settings: ModemSettings, at now: Moment, into actions: inout [ModemAction]
    ) {
        let old = self.settings
        guard old != settings else { return }
        self.settings = settings
        if old.pin != settings.pin { forgetRefusal() }
        failure = nil
        retryAt = nil
        pause = Self.firstPause
        // What stands without having been asked for was made with what was configured then.
        dialed = dialed ?? old.subscription
        advance(at: now, into: &actions)
    }

    /// A person says that the PIN may be tried once more.
    package mutating func tryAgain(at now: Moment, into actions: inout [ModemAction]) {
        forgetRefusal()
        retryAt = nil
        advance(at: now, into: &actions)
    }

    private mutating func forgetRefusal() {
        isPINRefused = false
        pinTry = nil
        pinTries = 0
    }

    /// When `timerFired` is due; nil while there is nothing to wait for.
    package var nextDeadline: BootTime? {
        var candidates = [pending?.deadline, retryAt, graceEnd, resetDue, reconnectDue]
        if let lockedSince { candidates.append(lockedSince + Self.countPatience) }
        return candidates.compactMap { $0 }.filter { $0 > handled }.min()
    }

    /// Time has passed; does nothing when it is too early.
    package mutating func timerFired(at now: Moment, into actions: inout [ModemAction]) {
        advance(at: now, into: &actions)
    }

    package var report: ModemReport {
        ModemReport(
            step: step, status: status, isDataWanted: isDataWanted,
            resets: resets.count { $0 + .hours(24) > handled }, problem: problem)
    }
}
