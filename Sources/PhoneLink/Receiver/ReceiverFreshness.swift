import AlarmModel

/// Judge of a receiver's encrypted answers. Number and account of an answer are not encrypted, its time is: an
/// answer that was recorded confirms nothing a second time, and one that was held back confirms for a minute at most.
struct ReceiverFreshness: Codable, Equatable, Sendable {
    /// Time in the newest answer that confirmed; nil: none has.
    private(set) var newest: WallTime?
    /// Encrypted content of the answers that confirmed with that time, whose unit is a second.
    private var ofNewest: [[UInt8]] = []

    /// Greatest distance of an answer's time from the receiver's clock as this box knows it.
    static let tolerance = Duration.seconds(60)
    /// Answers that confirm within one second.
    private static let limit = 64

    init(newest: WallTime? = nil) { self.newest = newest }

    /// - Parameters:
    ///   - time: what the answer says when it was made
    ///   - clock: the receiver's clock; nil while this box does not know the time
    /// - Returns: false if the answer confirms nothing
    mutating func accept(_ sealed: [UInt8], of time: WallTime, clock: WallTime?) -> Bool {
        if let clock, !(Duration.zero - Self.tolerance...Self.tolerance).contains(time - clock) { return false }
        if let newest, time < newest { return false }
        if time != newest { ofNewest = [] }
        guard !ofNewest.contains(sealed), ofNewest.count < Self.limit else { return false }
        newest = time
        ofNewest.append(sealed)
        return true
    }
}
