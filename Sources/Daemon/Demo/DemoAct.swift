import AlarmModel

/// A part of the demo's day.
struct DemoAct: Sendable {
    /// Of the panel's clock.
    var hour: Int
    var minute: Int
    var title: String
    var steps: [DemoStep]
}

enum DemoStep: Sendable {
    /// A sentence of the story.
    case say(String)
    /// The panel's clock goes on to this time.
    case clock(Int, Int)
    /// Something happens in the house: a verb of the simulator's script.
    case house(String)
    /// An order to the daemon, as `howalarming arm` and its like give it.
    case order(PanelCommand, says: String)
    /// Waits until the event is in the journal.
    case expect(DemoExpectation)
    /// Shows what the daemon knows of the house.
    case state
    case rest
}

/// An event that an act is to bring into the journal.
struct DemoExpectation: Hashable, Sendable, CustomStringConvertible {
    var code: String
    var zone: Int?
    var user: Int?
    var isWhileAway = false

    init(_ code: String, zone: Int? = nil, user: Int? = nil, isWhileAway: Bool = false) {
        self.code = code
        self.zone = zone
        self.user = user
        self.isWhileAway = isWhileAway
    }

    init(_ code: EventCode) { self.init(code.rawValue) }

    func matches(_ event: Event) -> Bool {
        event.code == code && (zone == nil || event.zone == zone) && (user == nil || event.user == user)
            && event.flags.contains(.whileAway) == isWhileAway
    }

    var description: String {
        code + (zone.map { " of zone \($0)" } ?? "") + (user.map { " by user \($0)" } ?? "")
            + (isWhileAway ? " found after the link was back" : "")
    }
}
