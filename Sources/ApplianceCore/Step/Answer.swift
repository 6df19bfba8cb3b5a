import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What a phone or a contact is told that is no event: an answer, a result, a probe, the pairing's frame.
struct Answer: Codable, Equatable, Sendable {
    enum Content: Codable, Equatable, Sendable {
        case sealed(PhoneID, BoxMessage, wantsChallenge: Bool)
        /// Bytes as they are: the pairing's second frame.
        case frame([UInt8])
        /// An original app's status reply (docs/messages.md B.4).
        case clear(JSON)
        /// For a contact.
        case words(Notice)
        /// How a command of Home Assistant's ended.
        case outcome(JSON)
    }

    /// Where it goes, and by which channel.
    struct Place: Codable, Equatable, Sendable {
        var channel: ChannelKind
        var address: DeliveryAddress
    }

    var message: MessageID
    var place: Place
    var content: Content
    /// Goes when nothing else wants to.
    var isHeartbeat = false

    /// The phone of whose share it is where a service takes only so many messages a day; also of a welcome, which comes
    /// again until the phone is heard. nil: it is not counted. A pairing is in its owner's hand, and what a contact is told
    /// has a pace of its own.
    var budgeted: PhoneID? {
        switch content {
        case .sealed(let phone, let message, _): message.kind == .bye ? nil : phone
        case .frame, .words, .clear, .outcome: nil
        }
    }

    /// Rows that a phone lacks.
    var isHistory: Bool {
        guard case .sealed(_, let message, _) = content else { return false }
        return message.kind == .batch || message.kind == .event
    }
}

extension Step {
    mutating func answer(_ content: Answer.Content, to place: Answer.Place, isHeartbeat: Bool = false) {
        let id = MessageID(boot: bootMark, counter: nextAnswer)
        nextAnswer += 1
        answers.append(Answer(message: id, place: place, content: content, isHeartbeat: isHeartbeat))
    }

    /// An answer to every address of the phone that is in use. A browser's push shows a notice each time: whoever asks has
    /// the app open and reads it by another channel.
    mutating func tell(_ phone: PhoneID, _ message: BoxMessage, wantsChallenge: Bool = false) {
        guard let phone = book.phone(phone) else { return }
        for address in phone.addresses where address.state == .inUse && address.kind != .webPush {
            guard let place = place(of: address) else { continue }
            answer(.sealed(phone.id, message, wantsChallenge: wantsChallenge), to: place)
        }
    }

    /// What is worth something to a contact only now.
    mutating func tell(_ contact: Contact, _ notice: Notice) {
        guard let channel = ChannelKind.carrying(contact.kind, of: channels) else { return }
        answer(.words(notice), to: Answer.Place(channel: channel, address: contact.deliveryAddress))
    }

    /// - Parameter person: who reads it; nil: the house's own addresses, in the language of the house
    func noticeText(for person: PersonID?) -> NoticeText {
        let own = person.flatMap { book.person($0) }.map { NoticeLanguage(code: $0.language) }
        return noticeText(in: own ?? houseLanguage)
    }

    func noticeText(in language: NoticeLanguage) -> NoticeText {
        NoticeText(
            siteName: configuration.siteName, names: configuration.panel.names, timeZone: configuration.panel.timeZone,
            language: language)
    }

    var houseLanguage: NoticeLanguage { configuration.language ?? .english }

    /// Not in the book yet. Is told in the language of the house until somebody says otherwise.
    func newPerson(named name: String) -> Person {
        Person(id: PersonID(book.nextPerson), name: name, language: houseLanguage.rawValue)
    }

    var phoneContent: PhoneContent { PhoneContent(log: log, names: configuration.panel.names) }

    /// nil: no channel that is configured goes there.
    func place(of address: PhoneAddress) -> Answer.Place? { place(address.kind, address.value) }

    func place(_ kind: AddressKind, _ value: String) -> Answer.Place? {
        guard let channel = ChannelKind.carrying(kind, of: channels) else { return nil }
        return Answer.Place(channel: channel, address: DeliveryAddress(.phone(kind), value))
    }

    /// An address as it is kept; nil: this box cannot reach it, or must not.
    func kept(_ kind: AddressKind, _ value: String) -> String? {
        guard place(kind, value) != nil else { return nil }
        guard kind == .webPush else { return value }
        return channelSettings.lazy.compactMap { $0.takesPush(to: value) }.first?.text
    }

    /// Seconds since the start; a challenge holds for a minute.
    var challengeEnd: UInt32 { secondsUp + 60 }

    var secondsUp: UInt32 { UInt32(clamping: (now.boot - startedAt).milliseconds / 1000) }
}

extension Contact {
    var deliveryAddress: DeliveryAddress {
        switch kind {
        case .topic: DeliveryAddress(.phone(.topic), value, commandTopic: commandsFrom)
        case .xmpp: DeliveryAddress(.phone(.xmpp), value)
        }
    }
}
