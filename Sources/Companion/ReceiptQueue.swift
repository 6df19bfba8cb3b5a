/// What the phone has and the box does not know of yet.
///
/// A few alarms are confirmed at once, which is quickest. In a flood the box would wait for the requests that it takes
/// in a minute and repeat what has long arrived: then one `ping` confirms everything up to its position, and one receipt
/// names all that lies behind a gap.
struct ReceiptQueue: Equatable, Sendable {
    /// Arguments of receipts for what has no number, in the order of arrival.
    private(set) var others: [String] = []
    /// Numbered alarms, ascending.
    private(set) var numbers: [LogPosition] = []
    /// Uptimes of the last receipts with numbers.
    private var singles: [Int64] = []
    /// Uptime from which a ping may be sent for the sake of its position.
    private(set) var nextPing: Int64 = 0

    private static let othersLimit = 50
    private static let numbersLimit = 2000
    /// So many receipts within this time.
    private static let few = 3
    private static let singlesSpan: Int64 = 15_000
    /// Numbers in one receipt.
    private static let together = 40
    /// Together with the receipts this stays below the phone's budget.
    private static let pingInterval: Int64 = 6_000

    /// What does not fit is asked for again by the box.
    mutating func add(_ arguments: String) {
        guard !others.contains(arguments), others.count < Self.othersLimit else { return }
        others.append(arguments)
    }

    mutating func add(_ position: LogPosition) {
        // Mostly it is the newest.
        var index = numbers.count
        while index > 0, numbers[index - 1] > position { index -= 1 }
        guard index == 0 || numbers[index - 1] != position, numbers.count < Self.numbersLimit else { return }
        numbers.insert(position, at: index)
    }

    mutating func takeOther() -> String? { others.isEmpty ? nil : others.removeFirst() }

    /// The box has answered a ping with this position.
    mutating func confirmed(upTo position: LogPosition) { numbers.removeAll { $0 <= position } }

    /// Whether a ping with this position is better than single receipts.
    /// - Parameter contiguous: up to here nothing is missing
    func wantsPing(_ contiguous: LogPosition?) -> Bool {
        guard let contiguous, let first = numbers.first, first <= contiguous else { return false }
        return singles.count >= Self.few || numbers.count { $0 <= contiguous } > Self.few
    }

    mutating func pinged(at uptime: Int64) { nextPing = uptime + Self.pingInterval }

    /// The next numbers of one journal for one receipt; empty while it is another's turn.
    /// - Parameter underWay: the position of a ping that is not answered yet
    mutating func takeNumbers(notIn underWay: LogPosition?, at uptime: Int64) -> [LogPosition] {
        singles.removeAll { uptime - $0 >= Self.singlesSpan }
        guard singles.count < Self.few, let index = firstFree(underWay) else { return [] }
        singles.append(uptime)
        let taken = Array(numbers[index...].prefix(Self.together).prefix { $0.log == numbers[index].log })
        numbers.removeSubrange(index..<(index + taken.count))
        return taken
    }

    /// So much is to be confirmed that the rest of what a phone may ask must leave room for it.
    var isBusy: Bool { !numbers.isEmpty || singles.count >= Self.few }

    /// Uptime from which `takeNumbers` gives something, if it waits for nothing but time.
    func nextSingle(notIn underWay: LogPosition?) -> Int64? {
        guard firstFree(underWay) != nil else { return nil }
        return singles.count < Self.few ? 0 : singles.first.map { $0 + Self.singlesSpan }
    }

    private func firstFree(_ underWay: LogPosition?) -> Int? {
        numbers.firstIndex { number in underWay.map { $0 < number } ?? true }
    }
}
