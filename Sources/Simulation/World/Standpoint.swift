import AlarmModel

/// When and at which step something is looked at.
struct Standpoint: Hashable, Sendable {
    var now: BootTime
    var step: Int

    func broken(_ promise: Violation.Promise, _ detail: String) -> Violation {
        Violation(promise: promise, detail: detail, at: now, step: step)
    }
}
