import AlarmModel
import ApplianceCore

/// What the real store's reader answers when it has all the time it needs.
extension SimulatedDisk {
    func messages(_ query: OutboxQuery) -> OutboxPage {
        phones.page(query) { event(of: $0) }
    }

    func event(of message: PhoneShelf.Message) -> Event? {
        let events = message.isDuress ? duress : rows
        guard let first = events.first?.seq.number else { return nil }
        let index = Int(message.number - first)
        // Duress is deleted by its age alone, which leaves gaps.
        if events.indices.contains(index), events[index].seq.number == message.number { return events[index].event }
        return message.isDuress ? events.first { $0.seq.number == message.number }?.event : nil
    }

    func page(_ query: EventQuery) -> EventPage {
        let limit = min(max(query.limit, 1), 1000)
        let after = min(max(query.after.number, 0), .max - 1)
        let bottom = max(after, max(oldest.number, 1) - 1)
        let top = min(last.number, query.before.map { max($0.number, 1) - 1 } ?? last.number)
        guard bottom < top else {
            return EventPage(
                events: [], cursor: SequenceNumber(max(after, top)), hasMore: false, bottom: SequenceNumber(after + 1))
        }
        // Numbers have no gaps.
        let wanted = rows[Int(bottom + 1 - oldest.number)...Int(top - oldest.number)]
        switch query.order {
        case .oldestFirst:
            let events = Array(wanted.lazy.filter { Self.matches($0.event, query) }.prefix(limit))
            let end = events.count == limit ? events.last?.seq.number ?? top : top
            return EventPage(
                events: events, cursor: SequenceNumber(end), hasMore: end < top, bottom: SequenceNumber(bottom + 1))
        case .newest:
            let events = Array(wanted.reversed().lazy.filter { Self.matches($0.event, query) }.prefix(limit))
            let begin = events.count == limit ? events.last?.seq.number ?? bottom + 1 : bottom + 1
            return EventPage(
                events: events.reversed(), cursor: SequenceNumber(top), hasMore: begin - 1 > bottom,
                bottom: SequenceNumber(begin))
        }
    }

    private static func matches(_ event: Event, _ query: EventQuery) -> Bool {
        (query.since.map { event.time >= $0 } ?? true) && (query.zone == nil || query.zone == event.zone)
            && (query.partition == nil || query.partition == event.partition)
            && (query.types.isEmpty || query.types.contains(event.type))
    }
}
