package import AlarmModel
package import PhoneProtocol

/// A message for one address.
package struct Delivery: Codable, Hashable, Sendable {
    /// The same however often it is delivered.
    package var message: MessageID
    package var address: DeliveryAddress
    package var content: DeliveryContent
    package var priority: PriorityClass
    /// Seconds that the service may keep it; 0 is "now or never".
    package var timeToLive: Int
    package var wantsReceipt: Bool
    /// The service took it before, and nothing said that it arrived.
    package var isRepeat = false
    /// An answer to something that the person just asked: no sound.
    package var isAnswer: Bool

    package init(
        message: MessageID, address: DeliveryAddress, content: DeliveryContent, priority: PriorityClass,
        timeToLive: Int, wantsReceipt: Bool = false, isAnswer: Bool = false
    ) {
        self.message = message
        self.address = address
        self.content = content
        self.priority = priority
        self.timeToLive = timeToLive
        self.wantsReceipt = wantsReceipt
        self.isAnswer = isAnswer
    }

    package var isAlarm: Bool { priority == .alarm && !isAnswer }
}

/// Where a message goes. The value's form is the kind's: a token, `host/topic`, a bare JID, a mail address, a URL, the
/// name of a tube.
package struct DeliveryAddress: Codable, Hashable, Sendable {
    package enum Kind: Codable, Hashable, Sendable {
        case phone(AddressKind)
        /// The house's own, from the configuration.
        case house(HouseAddress.Kind)
    }
    package var kind: Kind
    package var value: String
    /// `host/topic` where buttons of the message post to; only for store apps of topic servers.
    package var commandTopic: String?
    /// The phone's own token for it, which every button carries; nil where the topic's name alone opens it.
    package var commandToken: Secret?
    package init(_ kind: Kind, _ value: String, commandTopic: String? = nil, commandToken: Secret? = nil) {
        self.kind = kind
        self.value = value
        self.commandTopic = commandTopic
        self.commandToken = commandToken
    }
}

package enum DeliveryContent: Codable, Hashable, Sendable {
    /// An envelope of docs/pairing.md 5, for an app of ours.
    case sealed([UInt8])
    /// One frame of a pairing.
    case frame([UInt8])
    /// HowAlarming's own event of docs/messages.md B.4: its `data` object. For original apps.
    case heritage(JSON)
    /// For people.
    case words(Notice)
    /// The event for programs (docs/messages.md B.2 and B.6), one object.
    case event(JSON, type: String)
}

/// A message in words.
package struct Notice: Codable, Hashable, Sendable {
    package enum Tone: String, Codable, Hashable, Sendable {
        case alarm, fault, recovery, armed, disarmed, info
    }
    /// One line without control characters.
    package var title: String
    package var text: String
    package var tone: Tone
    /// When it happened, for ways that show it.
    package var time: WallTime
    package var buttons: [Button]

    /// A one-time capability (docs/pairing.md 10).
    package struct Button: Codable, Hashable, Sendable {
        package var label: String
        /// What is posted to the command topic when it is pressed.
        package var body: Secret
        package init(label: String, body: Secret) {
            self.label = label
            self.body = body
        }
    }

    package init(title: String, text: String, tone: Tone, time: WallTime, buttons: [Button] = []) {
        self.title = title
        self.text = text
        self.tone = tone
        self.time = time
        self.buttons = buttons
    }
}

/// What somebody sent by a way.
package struct Upstream: Codable, Hashable, Sendable {
    package enum Body: Codable, Hashable, Sendable {
        /// An object of strings, as CCS and the database carry it.
        case data(JSON)
        /// A line of text, as topics, accounts, brokers and tubes carry it.
        case text(String)
    }
    package var way: WayKind
    /// nil where it need not be acknowledged on the connection on which it came.
    package var connection: ConnectionID?
    /// Set by the service, in the form of `DeliveryAddress.value`: token, command topic, bare JID, MQTT topic, tube.
    package var from: String
    /// The sender's or the service's choice; unique at most together with `from`. Empty: it has none.
    package var id: String
    package var body: Body
    /// The app's name, where the service tells it.
    package var category: String?
    /// How long the service has kept it, as far as it says so.
    package var age: Duration?
    /// Kept by the service for whoever comes: never a command.
    package var isRetained = false
    /// Its service may have given the same id to another message before.
    package var mayReuseID = false

    package init(
        way: WayKind, connection: ConnectionID? = nil, from: String, id: String, body: Body, category: String? = nil,
        age: Duration? = nil
    ) {
        self.way = way
        self.connection = connection
        self.from = from
        self.id = id
        self.body = body
        self.category = category
        self.age = age
    }

    /// Whether it was made after a message of the same id was heard, and is another one therefore. In doubt it is not.
    package func isAnother(thanHeardAt time: BootTime, at now: Moment) -> Bool {
        guard mayReuseID, let age else { return false }
        // Ages are whole seconds, cut off.
        return age < now.boot - time - .seconds(2)
    }
}
