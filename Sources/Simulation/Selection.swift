package import AlarmModel
package import PhoneLink

/// Which of the happenings that a seed draws take place. Everything is drawn all the same, so that what remains is as it
/// was; later randomness of the run may differ, and is the same again with the same selection.
package struct Selection: Equatable, Sendable {
    /// The numbers of those that take place, ascending; nil: all.
    package var only: [Int]?
    /// The faults end here, and what was drawn for later does not take place; nil: at the end of the span.
    package var until: Duration?

    package init(only: [Int]? = nil, until: Duration? = nil) {
        self.only = only
        self.until = until
    }

    package static let all = Selection()

    /// When the faults end.
    func end(of span: Duration) -> Duration { min(until ?? span, span) }

    /// Such as "3,17-20"; "none" for nothing. nil for other texts.
    package static func numbers(_ text: String) -> [Int]? {
        if text == "none" { return [] }
        var numbers: [Int] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first > 0, first <= last,
                last < 1_000_000
            else { return nil }
            numbers += Array(first...last)
        }
        return Set(numbers).sorted()
    }

    /// As `numbers` understands it.
    package static func text(_ numbers: [Int]) -> String {
        var runs: [(first: Int, last: Int)] = []
        for number in numbers {
            if let last = runs.last, last.last + 1 == number {
                runs[runs.count - 1].last = number
            } else {
                runs.append((number, number))
            }
        }
        let parts = runs.map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" }
        return parts.isEmpty ? "none" : parts.joined(separator: ",")
    }
}

/// Something from outside that the seed has drawn.
package struct DrawnHappening: Equatable, Sendable {
    /// From 1 on, in the order in which they were drawn.
    package var number: Int
    package var at: BootTime
    /// What it is, for people.
    package var words: String
    /// Cause of it.
    package var source: Source

    package enum Source: Equatable, Sendable {
        case panel
        /// A service that fails or lies, or the way to it.
        case service(ChannelKind)
        case other
    }
}
