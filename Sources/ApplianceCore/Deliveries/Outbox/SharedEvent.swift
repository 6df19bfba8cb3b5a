import AlarmModel

/// An event that messages are about, held once: messages are copied and moved for each step, and an event is large.
final class SharedEvent: Codable, Hashable, Sendable {
    let event: Event

    init(_ event: Event) { self.event = event }

    required init(from decoder: any Decoder) throws { event = try Event(from: decoder) }

    func encode(to encoder: any Encoder) throws { try event.encode(to: encoder) }

    static func == (a: SharedEvent, b: SharedEvent) -> Bool { a === b || a.event == b.event }

    func hash(into hasher: inout Hasher) { hasher.combine(event) }
}
