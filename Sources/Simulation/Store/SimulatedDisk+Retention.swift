import AlarmModel
import ApplianceCore

/// Deleting old rows, as the real store does it: always the oldest, and at most so many of each kind in a step.
extension SimulatedDisk {
    mutating func retain(_ step: RetentionStep) {
        dropEvents(
            countToGo(step), olderThan: step.olderThan, limit: step.limit,
            duressBelow: phones.firstToStay(isDuress: true, at: step.now))
        phones.retain(
            from: rows.first?.seq.number, duressFrom: duress.first?.seq.number, newest: rows.last?.event.time,
            limit: step.limit)
    }

    /// Looks at the first `limit` rows only. An event whose clock was not trusted goes with those around it.
    private func countToGo(_ step: RetentionStep) -> Int {
        let surplus = step.keepAtMost.map { last.number - Int64(max($0, 0)) } ?? 0
        let end = phones.firstToStay(isDuress: false, at: step.now)
        var count = 0
        for (index, row) in rows.prefix(step.limit).enumerated() {
            guard row.seq.number < end else { break }
            let isOld = step.olderThan.map { row.event.time < $0 } ?? false
            if row.seq.number <= surplus || isOld {
                count = index + 1
            } else if row.event.isTimeTrusted {
                break
            }
        }
        return count
    }
}
