import AlarmModel
import ApplianceCore

/// `journal`: how long events are kept.
struct JournalSection: SettingsSection {
    var retention = Configuration.Retention()

    static let table: [Setting<Self>] = [
        .init("keep_days", .days(36_500), \.retention.maximumAge),
        .init("keep_events", .count(100_000_000), \.retention.maximumCount),
    ]
}

extension ValueKind where Value == Duration? {
    /// 0: for ever.
    fileprivate static func days(_ most: Int) -> Self {
        ValueKind<Int>.integer(0...most).map { $0 == 0 ? Duration?.none : .hours(24 * $0) }
    }
}

extension ValueKind where Value == Int? {
    /// 0: all.
    fileprivate static func count(_ most: Int) -> Self {
        ValueKind<Int>.integer(0...most).map { $0 == 0 ? Int?.none : $0 }
    }
}
