import AlarmModel

/// Sums rejected input up, so that a noisy line writes at most one event a minute.
struct NoiseMeter: Codable, Equatable, Sendable {
    struct Tally: Codable, Equatable, Sendable {
        var badChecksum = 0
        var overlong = 0
        var malformed = 0

        var isEmpty: Bool { badChecksum == 0 && overlong == 0 && malformed == 0 }
        var text: String {
            var parts: [String] = []
            if badChecksum > 0 { parts.append("\(badChecksum) with a wrong checksum") }
            if overlong > 0 { parts.append("\(overlong) too long") }
            if malformed > 0 { parts.append("\(malformed) not of the protocol") }
            return parts.joined(separator: ", ")
        }
    }

    private var tally = Tally()
    private var quietUntil: BootTime?

    mutating func count(_ rejection: Rejection) {
        switch rejection {
        case .badChecksum: tally.badChecksum += 1
        case .overlong: tally.overlong += 1
        case .malformed: tally.malformed += 1
        }
    }

    /// When a sum is due; nil while there is nothing to tell.
    var deadline: BootTime? { tally.isEmpty ? nil : quietUntil ?? .zero }

    /// What is to be told now; begins a quiet minute.
    mutating func due(at now: BootTime) -> Tally? {
        guard let deadline, deadline <= now else { return nil }
        defer { tally = Tally() }
        quietUntil = now + .seconds(60)
        return tally
    }
}
