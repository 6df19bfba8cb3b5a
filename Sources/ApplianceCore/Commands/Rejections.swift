import AlarmModel

/// Input that was dropped, by kind. Told once an hour when there is much of it.
struct Rejections: Codable, Equatable, Sendable {
    enum Kind: String, Codable, Equatable, Sendable, CaseIterable {
        case notOurs = "no message of ours"
        case notOpened = "seals that did not open"
        case unknownPhone = "unknown or revoked phones"
        case repeated = "repeats"
        case tooMany = "too many at once"
        case legacy = "old apps that were not let in"
        case malformed = "sealed, but not exact"
    }

    private(set) var counts: [UInt64] = Kind.allCases.map { _ in 0 }
    private var hourStart = BootTime.zero
    private var thisHour = 0
    private var isTold = false

    static let anHour = 100

    /// Returns true once an hour, when the limit is passed.
    mutating func count(_ kind: Kind, at now: BootTime) -> Bool {
        if let index = Kind.allCases.firstIndex(of: kind) { counts[index] += 1 }
        if now - hourStart >= .hours(1) {
            hourStart = now
            thisHour = 0
            isTold = false
        }
        thisHour += 1
        guard thisHour > Self.anHour, !isTold else { return false }
        isTold = true
        return true
    }

    var report: [PhonesReport.Rejected] {
        zip(Kind.allCases, counts).filter { $0.1 > 0 }.map { .init(kind: $0.0.rawValue, count: $0.1) }
    }
}
