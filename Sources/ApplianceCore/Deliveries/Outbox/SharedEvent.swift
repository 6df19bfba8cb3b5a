import AlarmModel

/// An event that messages are about, held once: messages are copied and moved for each step, and an event is large.
final class SharedEvent: Codable, Equatable, Sendable {
    let event: Event
    /// What phones are told instead.
    let picture: PictureReference?

    init(_ event: Event, _ picture: PictureReference? = nil) {
        self.event = event
        self.picture = picture
    }

    static func == (a: SharedEvent, b: SharedEvent) -> Bool { a === b || a.event == b.event && a.picture == b.picture }
}
