import AlarmModel

/// When, at which step and in which run of the daemon something happens or is looked at.
struct Standpoint: Equatable, Sendable {
    var now: BootTime
    var step: Int
    var run = 0

    func broken(_ promise: Violation.Promise, _ detail: String) -> Violation {
        Violation(promise: promise, detail: detail, at: now, step: step)
    }
}
