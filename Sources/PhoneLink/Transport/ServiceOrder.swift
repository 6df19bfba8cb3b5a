package import AlarmModel

/// In which order the places of a service are tried (RFC 2782): by priority, and among equals at random by weight.
package enum ServiceOrder {
    /// - Parameter record: of an element
    package static func sorted<Element>(
        _ elements: [Element], by record: (Element) -> ServiceRecord, _ jitter: inout Jitter
    ) -> [Element] {
        var sorted: [Element] = []
        var rest = elements.enumerated().sorted { a, b in
            let (left, right) = (record(a.element), record(b.element))
            // Those without weight stand first, so that they have a small chance of being chosen.
            let isLess = (left.priority, left.weight, a.offset) < (right.priority, right.weight, b.offset)
            return isLess
        }.map(\.element)
        while let first = rest.first {
            let count = rest.prefix { record($0).priority == record(first).priority }.count
            let total = rest.prefix(count).reduce(0) { $0 + UInt64(record($1).weight) }
            let chosen = jitter.next() % (total + 1)
            var sum: UInt64 = 0
            let index = rest.prefix(count).firstIndex { element in
                sum += UInt64(record(element).weight)
                return sum >= chosen
            }
            sorted.append(rest.remove(at: index ?? 0))
        }
        return sorted
    }
}
