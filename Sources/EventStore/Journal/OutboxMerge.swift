import AlarmModel

/// Takes the open messages of several addresses in one order, from one statement for each address: so that a page costs
/// what it holds, however many messages wait behind it.
struct OutboxMerge {
    private struct Head {
        var statement: Statement
        var priority: Int64
        var place: Int64
        var row: Int64

        init(_ statement: Statement) {
            self.statement = statement
            priority = statement.integer(6) ?? 0
            place = statement.integer(5) ?? 0
            row = statement.integer(0) ?? 0
        }

        static func < (a: Head, b: Head) -> Bool {
            (a.priority, a.place, a.row) < (b.priority, b.place, b.row)
        }
    }

    private var heads: [Head] = []

    /// - Parameter statements: `OutboxRows.openSelection`, each bound to an address of its own.
    init(_ statements: [Statement]) throws(StoreError) {
        for statement in statements where try statement.step() { heads.append(Head(statement)) }
    }

    /// The statement that stands at the next message; nil after the last.
    var next: Statement? { nextIndex.map { heads[$0].statement } }

    /// Goes on behind `next`.
    mutating func advance() throws(StoreError) {
        guard let index = nextIndex else { return }
        let statement = heads[index].statement
        if try statement.step() { heads[index] = Head(statement) } else { heads.remove(at: index) }
    }

    private var nextIndex: Int? { heads.indices.min { heads[$0] < heads[$1] } }
}
