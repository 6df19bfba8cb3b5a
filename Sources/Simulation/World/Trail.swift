import AlarmModel
import ApplianceCore

/// The effects of each step: written down in a first run, compared in a second.
enum Trail {
    case record([[Effect]])
    case compare([[Effect]])

    /// What a second run is held against.
    var asComparison: Trail {
        switch self {
        case .record(let steps), .compare(let steps): .compare(steps)
        }
    }

    mutating func follow(_ effects: [Effect], step: Int, at now: BootTime) throws(Violation) {
        switch self {
        case .record(var steps):
            // Take the array out, so that it is not copied.
            self = .record([])
            steps.append(effects)
            self = .record(steps)
        case .compare(let steps):
            guard step - 1 < steps.count, steps[step - 1] == effects else {
                throw Violation(
                    promise: .sameEffects, detail: "the second run differs: \(effects)", at: now, step: step)
            }
        }
    }
}
