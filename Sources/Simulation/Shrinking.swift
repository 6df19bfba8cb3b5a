import AlarmModel

/// The shortest list of happenings with which a run still breaks the same promise, by delta debugging: parts of the list
/// are left out as long as that breaks it, first large ones, single ones at last, and the calm comes as early as may be.
package struct Shrinking: Sendable {
    /// With the selection found so far; its run breaks `violation`.
    package private(set) var plan: RunPlan
    package private(set) var violation: Violation
    /// What is left.
    package private(set) var happenings: [DrawnHappening]
    /// So many there were at first.
    package let drawn: Int
    /// So many runs it took.
    package private(set) var runs = 1
    /// None of what is left can be left out alone. False when the budget was spent before that was known.
    package private(set) var isMinimal = false
    private let budget: Int
    private var isBudgetSpent = false
    /// Each run is lived to its end. Before, a promise that was broken among the faults is looked for only there, which
    /// takes less time.
    private var isThorough = false

    /// - Parameters:
    ///   - budget: at most so many runs.
    ///   - heard: is told of every shorter list.
    /// - Returns: nil when the plan's run keeps every promise.
    package init?(_ plan: RunPlan, budget: Int = 500, heard: (Shrinking) -> Void = { _ in }) {
        guard let violation = plan.run.violation else { return nil }
        self.plan = plan
        self.violation = violation
        self.budget = budget
        happenings = plan.happenings
        drawn = happenings.count
        dropWhatCameLater(heard)
        if tries(happenings: [], heard) {
            isMinimal = true
        } else {
            dropParts(heard)
        }
    }

    private mutating func dropParts(_ heard: (Shrinking) -> Void) {
        var size = max(happenings.count / 2, 1)
        while !isBudgetSpent {
            let isShorter = pass(leavingOut: size, heard)
            if size > 1 {
                size /= 2
            } else if !isShorter, !endsEarlier(heard) {
                guard !isThorough else {
                    isMinimal = !isBudgetSpent
                    return
                }
                isThorough = true
            }
        }
    }

    /// Tries to do without each part of the list. Returns whether any was left out.
    private mutating func pass(leavingOut size: Int, _ heard: (Shrinking) -> Void) -> Bool {
        var isShorter = false
        var index = 0
        while index < happenings.count {
            var shorter = happenings
            shorter.removeSubrange(index..<min(index + size, shorter.count))
            if tries(happenings: shorter, heard) {
                isShorter = true
                dropWhatCameLater(heard)
            } else {
                index += size
            }
        }
        return isShorter
    }

    /// What would have happened after the promise was broken has no part in it.
    private mutating func dropWhatCameLater(_ heard: (Shrinking) -> Void) {
        let seconds = (violation.at - .zero).milliseconds / 1000 + 1
        let until = Duration.seconds(Int(seconds))
        guard until < plan.selection.end(of: plan.span) else { return }
        _ = tries(happenings: happenings.filter { $0.at - .zero < until }, until: until, heard)
    }

    /// What is broken in the calm may be so as well when the calm comes soon after the last happening.
    private mutating func endsEarlier(_ heard: (Shrinking) -> Void) -> Bool {
        let end = plan.selection.end(of: plan.span)
        let last = happenings.map { $0.at - .zero }.max() ?? .seconds(60)
        for pause in [1, 30, 120, 480] {
            let until = Duration.seconds(Int(last.milliseconds / 1000) + pause)
            guard until < end else { return false }
            if tries(happenings: happenings, until: until, heard) { return true }
        }
        return false
    }

    /// Whether a run with these alone breaks the same promise; then they are what is left.
    private mutating func tries(
        happenings: [DrawnHappening], until: Duration? = nil, _ heard: (Shrinking) -> Void
    ) -> Bool {
        guard runs < budget else {
            isBudgetSpent = true
            return false
        }
        runs += 1
        var shorter = plan
        shorter.selection.only = happenings.map(\.number)
        if let until { shorter.selection.until = until }
        let livesOn = isThorough || violation.at - .zero > plan.selection.end(of: plan.span) + .seconds(120)
        // Only the comparison of two runs shows this one.
        let isOfTwo = violation.promise == .sameEffects
        let found = isOfTwo ? shorter.run.violation : shorter.violation(settles: livesOn)
        guard let found, found.promise == violation.promise else { return false }
        plan = shorter
        violation = found
        self.happenings = happenings
        heard(self)
        return true
    }
}
