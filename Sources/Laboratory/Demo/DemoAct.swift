import AlarmModel

/// A part of the demo's day.
struct DemoAct: Sendable {
    /// Of the panel's clock.
    var hour: Int
    var minute: Int
    var title: String
    var showsSentencesOnly = false
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
    /// Something happens at the push service: a verb of its simulator's script.
    case push(String)
    /// A phone is paired with the box for this person, with these roles.
    case pair(person: String, roles: String)
    /// A store app on the topic server is paired with the box for this person.
    case pairStoreApp(person: String, name: String)
    /// A browser on this machine is paired with the box for this person, by somebody who types here what it shows.
    case pairBrowser(person: String, roles: Roles)
    /// Waits until the house is armed or disarmed: in the browser, or, where somebody presses Enter here, by the phone.
    case browserArms
    case browserDisarms
    /// Waits until the demo's Firefox gets notices; until its user has closed the app's page; until it has the push of what
    /// happened last. The last two are left out where its user wants no notices.
    case browserTakesNotices
    case pageIsClosed
    case noticeArrives
    /// Waits until the store app is sent a notice with this text, after the last thing that happened in the house.
    case topicTells(String)
    /// The phone's owner opens its app, which prepares for a command.
    case phoneOpens
    /// The phone's owner does something: a word of `simulate phone`.
    case phone(String)
    /// Waits until the phone has told a line with this text, in this act.
    case phoneTells(String)
    /// Waits until the box has given the push service a message, after the last thing that happened in the house.
    case messageSent
    /// Waits until a message that was sent before has come again, with its id, on a newer connection.
    case sameMessageAgain
    /// Somebody at the push service sends again what the phone sent when it armed, and commands of his own; nothing may
    /// come of it.
    case forgeries
    /// The event came once in this act.
    case once(DemoExpectation)
    /// Waits until the phone's log is the journal: each event once, in order.
    case compare
    /// Shows what has changed of what the daemon knows of the house.
    case state
    case rest
}

/// An event that an act is to bring into the journal.
struct DemoExpectation: Equatable, Sendable, CustomStringConvertible {
    var code: String
    var zone: Int?
    var user: Int?
    var words: String?
    var isWhileAway = false

    init(_ code: String, zone: Int? = nil, user: Int? = nil, words: String? = nil, isWhileAway: Bool = false) {
        self.code = code
        self.zone = zone
        self.user = user
        self.words = words
        self.isWhileAway = isWhileAway
    }

    init(_ code: EventCode) { self.init(code.rawValue) }

    func matches(_ event: Event) -> Bool {
        event.code == code && (zone == nil || event.zone == zone) && (user == nil || event.user == user)
            && (words.map { event.message.contains($0) } ?? true) && event.flags.contains(.whileAway) == isWhileAway
    }

    var description: String {
        code + (zone.map { " of zone \($0)" } ?? "") + (user.map { " by user \($0)" } ?? "")
            + (words.map { " saying '\($0)'" } ?? "") + (isWhileAway ? " found after the link was back" : "")
    }
}
