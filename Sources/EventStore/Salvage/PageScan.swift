import AlarmModel

/// How far a page has come: windows of consecutive numbers, looked at one after the other, so that the place where a
/// reader stopped is known even where nothing matched.
struct PageScan {
    /// Numbers `above + 1 ... upTo`.
    struct Window: Equatable {
        var above: Int64
        var upTo: Int64
    }

    /// Not looked at yet: numbers `rest.above + 1 ... rest.upTo`.
    private var rest: Window
    private let whole: Window
    private let order: EventQuery.Order
    private let limit: Int
    private var width: Int64 = 64
    /// In the order in which they were read.
    private(set) var events: [StoredEvent] = []

    init(bottom: Int64, top: Int64, order: EventQuery.Order, limit: Int) {
        whole = Window(above: bottom, upTo: top)
        rest = whole
        self.order = order
        self.limit = limit
    }

    var nextWindow: Window {
        switch order {
        case .oldestFirst: Window(above: rest.above, upTo: min(rest.upTo, rest.above + width))
        case .newest: Window(above: max(rest.above, rest.upTo - width), upTo: rest.upTo)
        }
    }

    /// `found` holds at most as many as were still wanted; with so many, the window was read only up to the last.
    mutating func looked(at window: Window, found: [StoredEvent]) {
        events += found
        let isFull = events.count >= limit
        switch order {
        case .oldestFirst:
            rest.above = isFull ? found.last?.seq.number ?? window.upTo : window.upTo
        case .newest:
            rest.upTo = isFull ? (found.last?.seq.number ?? window.above + 1) - 1 : window.above
        }
        // Small windows first, for a page that fills quickly; wide ones soon, where little matches.
        width = min(width * 2, 1024)
    }

    private var isExhausted: Bool { rest.above >= rest.upTo }
    var isComplete: Bool { isExhausted || events.count >= limit }

    var page: EventPage {
        switch order {
        case .oldestFirst:
            EventPage(
                events: events, cursor: SequenceNumber(rest.above), hasMore: !isExhausted,
                bottom: SequenceNumber(whole.above + 1))
        case .newest:
            EventPage(
                events: events.reversed(), cursor: SequenceNumber(whole.upTo), hasMore: !isExhausted,
                bottom: SequenceNumber(rest.upTo + 1))
        }
    }
}
