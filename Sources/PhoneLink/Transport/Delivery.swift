package import AlarmModel
package import PhoneProtocol

/// A message for one address.
package struct Delivery: Codable, Equatable, Sendable {
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
    /// Beside a sealed message, on a channel that is encrypted to the phone itself: what its system shows.
    package var shown: ShownWords?

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
/// name of a tube, an account at a receiver.
package struct DeliveryAddress: Codable, Equatable, Sendable {
    package enum Kind: Codable, Equatable, Sendable {
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

    /// NAME of `/topics/NAME` in a token's place: a topic of Google's push services (docs/push.md A.5).
    var topicName: String? {
        value.hasPrefix("/topics/") ? String(value.dropFirst("/topics/".count)) : nil
    }
}

package enum DeliveryContent: Codable, Equatable, Sendable {
    /// An envelope of docs/pairing.md 5, for an app of ours.
    case sealed([UInt8])
    /// One frame of a pairing.
    case frame([UInt8])
    /// HowAlarming's own event of docs/messages.md B.4: its `data` object. For original apps.
    case legacy(JSON)
    /// For people.
    case words(Notice)
    /// The event for programs (docs/messages.md B.2 and B.6), one object.
    case event(JSON, type: String)
    /// The event for a receiver.
    ///
    /// - Parameter at: when it happened; nil where the clock was in doubt
    case report(ContactID, at: WallTime?)
}

/// What a phone's system shows in the place of a sealed message.
package struct ShownWords: Codable, Equatable, Sendable {
    package var notice: Notice
    package var language: NoticeLanguage

    package init(_ notice: Notice, in language: NoticeLanguage) {
        self.notice = notice
        self.language = language
    }
}

/// A message in words.
package struct Notice: Codable, Equatable, Sendable {
    /// One line without control characters.
    package var title: String
    package var text: String
    package var subject: NoticeSubject
    /// When it happened, for channels that show it.
    package var time: WallTime
    package var buttons: [Button]

    /// A one-time capability (docs/pairing.md 10).
    package struct Button: Codable, Equatable, Sendable {
        package var label: String
        /// What is posted to the command topic when it is pressed.
        package var body: Secret
        package init(label: String, body: Secret) {
            self.label = label
            self.body = body
        }
    }

    package init(title: String, text: String, subject: NoticeSubject, time: WallTime, buttons: [Button] = []) {
        self.title = title
        self.text = text
        self.subject = subject
        self.time = time
        self.buttons = buttons
    }
}
