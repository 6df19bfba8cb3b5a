/// What happened in each quarter of an hour of each day, by the house's clock: one byte each, whatever happens.
package struct HistoryDays: Equatable, Sendable {
    /// Of a quarter of an hour with several the last one here counts.
    enum State: UInt8, Sendable {
        /// Before the journal begins, not come yet, or left out when the clock was put forward.
        case blank = 0
        case disarmed, unknown, armed
    }

    static let slotsADay = 96
    static let minutesASlot = 15
    /// Openings that are told apart.
    static let mostOpenings = 15

    /// Days since 1970-01-01.
    let first: Int64
    let count: Int
    private var cells: [UInt8]

    private static let alarmBit: UInt8 = 1 << 2
    private static let faultBit: UInt8 = 1 << 3

    init(first: Int64, count: Int) {
        self.first = first
        self.count = count
        cells = Array(repeating: 0, count: count * Self.slotsADay)
    }

    /// nil for a day that is not shown.
    private func index(_ place: (day: Int64, minute: Int)) -> Int? {
        guard place.day >= first, place.day < first + Int64(count) else { return nil }
        return Int(place.day - first) * Self.slotsADay + place.minute / Self.minutesASlot
    }

    mutating func fill(_ place: (day: Int64, minute: Int), _ state: State, onlyBlank: Bool) {
        guard let index = index(place) else { return }
        let old = cells[index] & 3
        guard old == 0 || !onlyBlank && state.rawValue > old else { return }
        cells[index] = cells[index] & ~3 | state.rawValue
    }

    mutating func markAlarm(_ place: (day: Int64, minute: Int)) {
        if let index = index(place) { cells[index] |= Self.alarmBit }
    }

    mutating func markFault(_ place: (day: Int64, minute: Int)) {
        if let index = index(place) { cells[index] |= Self.faultBit }
    }

    mutating func markOpening(_ place: (day: Int64, minute: Int)) {
        if let index = index(place), Int(cells[index] >> 4) < Self.mostOpenings { cells[index] += 1 << 4 }
    }

    /// What stands in one of `slotsADay` places of one of `count` days.
    func slot(_ day: Int, _ slot: Int) -> (state: State, hasAlarm: Bool, hasFault: Bool, openings: Int) {
        let cell = cells[day * Self.slotsADay + slot]
        return (
            State(rawValue: cell & 3) ?? .blank, cell & Self.alarmBit != 0, cell & Self.faultBit != 0, Int(cell >> 4)
        )
    }

    /// Whether anything but states stands there.
    var hasMarks: Bool { cells.contains { $0 & ~3 != 0 } }

    /// With the marks of another one of the same days.
    func marked(by other: HistoryDays) -> HistoryDays {
        var both = self
        for index in both.cells.indices where index < other.cells.count {
            let openings = min(Self.mostOpenings, Int(both.cells[index] >> 4) + Int(other.cells[index] >> 4))
            both.cells[index] =
                (both.cells[index] | other.cells[index]) & 0b1100 | both.cells[index] & 3
                | UInt8(openings) << 4
        }
        return both
    }
}
