package import AlarmModel

/// A simulated service at the far end of a channel: a machine that takes what the box brings, and misbehaves on
/// command.
package protocol ChannelPeer: HTTPService {
    mutating func perform(_ fault: PeerFault, at now: Moment, into actions: inout [HTTPServiceAction])
    /// What it has taken since the last call, in order.
    mutating func takeArrivals() -> [Arrival]
}

/// How any service may misbehave; a peer does the nearest that its protocol knows.
package enum PeerFault: Codable, Equatable, Sendable {
    /// Nobody listens, and what stood is reset.
    case refuse
    /// Everything that stands is reset.
    case reset
    /// What comes is not read, nothing is said; connections stay.
    case blackHole
    /// Answers take so long.
    case slow(Duration)
    /// The next answers are not of the protocol.
    case garbage(Int)
    /// The next answers are right in form and wrong in content.
    case lies(Int)
    /// The next answers end in their middle.
    case closesMidway(Int)
    /// The next requests are carried out and not answered.
    case noAnswer(Int)
    /// The next requests are turned down for now.
    case failure(Int)
    /// The next requests are turned down because there were too many.
    case tooMany(Int)
    /// So many messages are taken, no more.
    case quota(Int)
    /// What should come by itself does not.
    case silent
    /// What comes by itself comes twice.
    case repeats(Int)
    /// What stays open by nature is ended in good order.
    case ends
    /// All of that is over.
    case off

    /// Over as soon as it has happened.
    package var isMoment: Bool {
        switch self {
        case .reset, .ends, .repeats, .off: true
        case .refuse, .blackHole, .slow, .garbage, .lies, .closesMidway, .noAnswer, .failure, .tooMany, .quota, .silent:
            false
        }
    }

    package static func draw(from chance: inout Jitter) -> PeerFault {
        let few = Int(chance.next() % 4) + 1
        switch chance.next() % 14 {
        case 0: return .refuse
        case 1: return .reset
        case 2, 3: return .blackHole
        case 4: return .slow(.seconds(few * 4))
        case 5: return .garbage(few)
        case 6: return .lies(few)
        case 7: return .closesMidway(few)
        case 8: return .noAnswer(few)
        case 9: return .failure(few * 2)
        case 10: return .tooMany(few)
        case 11: return few == 1 ? .quota(few) : .silent
        case 12: return .repeats(few)
        default: return .ends
        }
    }
}

/// A message that a service has taken.
package struct Arrival: Equatable, Sendable {
    /// As the box addresses it: `host/topic`, a token, a URL, a tube …
    package var address: String
    /// The box's name of it, where the channel shows it.
    package var message: MessageID?
    package var text: String
    /// What a person could press.
    package var buttons: [Pressable]
    /// Whoever comes later gets it, too.
    package var isKept: Bool

    package init(
        address: String, message: MessageID? = nil, text: String, buttons: [Pressable] = [], isKept: Bool = true
    ) {
        self.address = address
        self.message = message
        self.text = text
        self.buttons = buttons
        self.isKept = isKept
    }
}

package struct Pressable: Equatable, Sendable {
    package var label: String
    package var body: String
    /// Where it is posted to, as the service names it.
    package var target: String
}
