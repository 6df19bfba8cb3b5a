import AlarmModel
import PhoneLink
import Simulators

/// Somebody's store app that listens to a topic of the box, or account that chats with it.
struct StoreApp: Sendable {
    let kind: Contact.Kind
    let name: String
    /// Of an account.
    var address = ""
    let person: String
    /// What the owner allows beside what every store app may do.
    let allowed: [ContactVerb]
    let tellsArming: Bool
    /// As the box told it at the last pairing.
    var topic: String?
    /// What arrived there with the code in it.
    var code: String?
    /// What it shows to be pressed, newest last.
    var buttons: [Pressable] = []
    /// What was posted, oldest first: whoever runs the server can post it again.
    var posted: [Pressable] = []
    /// The box has said that it is paired, and nobody has asked to revoke it.
    var isPromised = false

    static let memory = 24

    /// Anna's does what every store app may; Ben's more.
    static let household = [
        StoreApp(kind: .topic, name: "Annas store app", person: "Anna", allowed: [], tellsArming: false),
        StoreApp(
            kind: .topic, name: "Bens store app", person: World.contact, allowed: [.arm, .disarm], tellsArming: true),
        StoreApp(
            kind: .xmpp, name: "Annas chat", address: "anna@xmpp.example", person: "Anna", allowed: [.arm],
            tellsArming: true),
        StoreApp(
            kind: .xmpp, name: "Bens chat", address: "ben@xmpp.example", person: World.contact, allowed: [],
            tellsArming: false),
    ]

    var labels: [String] {
        ["Seen", "Status"] + (allowed.contains(.arm) ? ["Arm"] : []) + (allowed.contains(.disarm) ? ["Disarm"] : [])
    }

    var channel: ChannelKind {
        switch kind {
        case .topic: .ntfy
        case .xmpp: .xmpp
        }
    }

    mutating func forget() {
        topic = kind == .topic ? nil : address
        code = nil
        isPromised = false
    }

    mutating func take(_ arrival: Arrival) {
        if let digits = arrival.text.digits(after: "code ") { code = digits }
        buttons += arrival.buttons
        if buttons.count > Self.memory { buttons.removeFirst(buttons.count - Self.memory) }
    }
}

extension String {
    /// The six digits that follow such a word.
    fileprivate func digits(after word: String) -> String? {
        var rest = self[...]
        while let start = rest.firstIndex(of: word.first ?? " ") {
            let tail = rest[start...]
            if tail.hasPrefix(word) {
                let digits = tail.dropFirst(word.count).prefix { $0.isASCII && $0.isNumber }
                return digits.count == 6 ? String(digits) : nil
            }
            rest = tail.dropFirst()
        }
        return nil
    }
}

/// The pairing of a store app as somebody at the box goes through it.
struct ContactAffair: Sendable {
    var app: Int
    var client: ConnectionID
    var since: BootTime
    var confirmedAt: BootTime?
    var hasMistyped = false
}
