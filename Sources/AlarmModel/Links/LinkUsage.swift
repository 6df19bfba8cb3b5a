/// What went over a link in a month, as it is stored.
package struct LinkUsage: Codable, Equatable, Sendable {
    package var name: String
    /// `WallTime.month`; nil until the wall time was trusted once.
    package var month: Int?
    /// In this month, both directions.
    package var bytes: UInt64
    /// In the month before; nil: nothing is known of it.
    package var monthBefore: UInt64?
    /// Counted while the wall time was not trusted; it goes to the month that is then found.
    package var unplaced: UInt64
    /// The interface and the reading of its counter that are counted in.
    package var interface: String?
    package var counter: UInt64
    /// The exceeded budget was told in this month.
    package var isExceededTold: Bool

    package init(
        name: String, month: Int? = nil, bytes: UInt64 = 0, monthBefore: UInt64? = nil, unplaced: UInt64 = 0,
        interface: String? = nil, counter: UInt64 = 0, isExceededTold: Bool = false
    ) {
        self.name = name
        self.month = month
        self.bytes = bytes
        self.monthBefore = monthBefore
        self.unplaced = unplaced
        self.interface = interface
        self.counter = counter
        self.isExceededTold = isExceededTold
    }

    /// What counts against the budget.
    package var total: UInt64 {
        let (sum, overflow) = bytes.addingReportingOverflow(unplaced)
        return overflow ? .max : sum
    }
}
