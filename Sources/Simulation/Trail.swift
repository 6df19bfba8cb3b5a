import AlarmModel
import ApplianceCore

/// The effects of each step: written down in a first run of a seed, compared in a second.
enum Trail {
    case off
    case record([[Effect]])
    case compare([[Effect]])

    /// What a second run is held against.
    var asComparison: Trail {
        switch self {
        case .off: .off
        case .record(let steps), .compare(let steps): .compare(steps)
        }
    }

    mutating func follow(_ effects: [Effect], from standpoint: Standpoint) throws(Violation) {
        switch self {
        case .off: break
        case .record(var steps):
            // Take the array out, so that it is not copied.
            self = .record([])
            steps.append(effects)
            self = .record(steps)
        case .compare(let steps):
            let index = standpoint.step - 1
            guard index < steps.count, steps[index] == effects else {
                throw standpoint.broken(.sameEffects, "the second run differs: \(effects)")
            }
        }
    }
}
