import AlarmModel

/// What lasts in some parts of the house, such as a door that stands open: told once, when it has lasted long enough, and
/// again only after it has ended. Over restarts, too.
struct Lasting: Codable, Equatable, Sendable {
    /// In one part, as far as is known.
    private struct Spell: Codable, Equatable, Sendable {
        /// A zone or a partition.
        var part: Int
        var since: BootTime
        var isTold: Bool
    }

    /// Ascending by part.
    private var spells: [Spell] = []
    /// Told before the last restart.
    private var toldBefore: [Int]

    init(toldBefore: [Int] = []) { self.toldBefore = toldBefore }

    /// Of which it was told that it lasts, ascending.
    var told: [Int] { Set(spells.filter(\.isTold).map(\.part) + toldBefore).sorted() }

    /// - Parameter isOn: nil: not known now; it waits
    /// - Returns: where it has lasted for the span now, ascending; to be told
    mutating func look(at parts: [Int], for span: Duration, at now: BootTime, _ isOn: (Int) -> Bool?) -> [Int] {
        var due: [Int] = []
        spells.removeAll { !parts.contains($0.part) }
        for part in parts.sorted() {
            let index = spells.firstIndex { $0.part == part }
            switch isOn(part) {
            case nil: continue
            case false?:
                toldBefore.removeAll { $0 == part }
                if let index { spells.remove(at: index) }
            case true?:
                guard let index else {
                    spells.append(Spell(part: part, since: now, isTold: toldBefore.contains(part)))
                    toldBefore.removeAll { $0 == part }
                    continue
                }
                guard !spells[index].isTold, now - spells[index].since >= span else { continue }
                spells[index].isTold = true
                due.append(part)
            }
        }
        spells.sort { $0.part < $1.part }
        return due
    }

    /// It is not known to have lasted: the span begins anew. What was told stays told.
    mutating func breakOff() { spells.removeAll { !$0.isTold } }

    func nextDeadline(_ span: Duration?, _ isOn: (Int) -> Bool?) -> BootTime? {
        guard let span else { return nil }
        return spells.filter { !$0.isTold && isOn($0.part) ?? false }.map { $0.since + span }.min()
    }
}
