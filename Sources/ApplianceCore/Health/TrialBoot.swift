import AlarmModel

/// `update`: when a version has proved itself, and when it is given up.
package struct TrialSettings: Codable, Equatable, Sendable {
    /// So long all has to be well.
    package var healthyAfter: Duration
    /// A new version that has not proved itself by then is left by a restart.
    package var giveUpAfter: Duration

    package init(healthyAfter: Duration = .minutes(5), giveUpAfter: Duration = .minutes(20)) {
        self.healthyAfter = healthyAfter
        self.giveUpAfter = giveUpAfter
    }
}

/// Decides, in each run on a machine with slots, whether the software that runs has proved itself.
///
/// On trial, the panel or the phones must have been reached once where the version before had reached one of them. A version
/// that is good already needs no peer: else a house without panel would lose its software by being restarted often.
struct TrialBoot: Codable, Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
        case healthy
        /// Only on trial.
        case givenUp
    }

    let isTrial: Bool
    private let needsSession: Bool
    private let startedAt: BootTime
    /// Since when store and watchdog are well without a break.
    private var soundSince: BootTime?
    /// The panel or the phones were reached in this run.
    private(set) var hasHadSession = false
    private var isDecided = false

    init(isTrial: Bool, needsSession: Bool, at now: BootTime) {
        self.isTrial = isTrial
        self.needsSession = isTrial && needsSession
        startedAt = now
    }

    /// Called after each step of the core.
    mutating func observe(isSound: Bool, hasSession: Bool, at now: BootTime) {
        hasHadSession = hasHadSession || hasSession
        soundSince = isSound ? soundSince ?? now : nil
    }

    /// - Parameter busyUntil: it is not given up before: something happens in the house
    mutating func decide(_ settings: TrialSettings, busyUntil: BootTime?, at now: BootTime) -> Verdict? {
        guard let due = nextDeadline(settings, busyUntil: busyUntil), due <= now else { return nil }
        isDecided = true
        return healthyAt(settings).map { $0 <= now } ?? false ? .healthy : .givenUp
    }

    /// The store has not taken what was to be stored: the time begins anew.
    mutating func tryAgain() {
        isDecided = false
        soundSince = nil
    }

    func nextDeadline(_ settings: TrialSettings, busyUntil: BootTime?) -> BootTime? {
        guard !isDecided else { return nil }
        let end = isTrial ? max(startedAt + settings.giveUpAfter, busyUntil ?? startedAt) : nil
        return [healthyAt(settings), end].compactMap { $0 }.min()
    }

    private func healthyAt(_ settings: TrialSettings) -> BootTime? {
        guard let soundSince, hasHadSession || !needsSession else { return nil }
        return soundSince + settings.healthyAfter
    }

    /// On trial, and nothing is decided.
    var isUnproved: Bool { isTrial && !isDecided }

    /// What is missing, in words.
    var missing: String {
        soundSince == nil
            ? "its storage or one of its parts does not work"
            : needsSession && !hasHadSession
                ? "it reaches neither the panel nor a phone" : "it has not worked long enough"
    }
}
