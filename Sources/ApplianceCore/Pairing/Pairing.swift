import AlarmModel
import PhoneLink
import PhoneProtocol

/// How a phone, a contact or a person's one-time codes come into the phone book: begun at the box, proved by what somebody
/// types there (docs/pairing.md 3, 4 and 10).
///
/// Guarantees: one pairing is under way at a time; nothing counts before it is stored, and what cannot be stored is taken
/// back. The keys and codes are in the vault. Knows nothing of what paired phones ask for.
struct Pairing: Machine, Codable, Equatable, Sendable {
    /// What the other machines have to know.
    enum Action: Codable, Equatable, Sendable {
        /// A frame did not open.
        case notOpened
        case phoneAdded(PhoneID)
        /// It was not stored.
        case phoneRemoved(PhoneID)
        /// The address is a paired phone's from now on, and no original app's.
        case takesOverToken(String)
        /// Nothing is sent to this address any more.
        case dropped(AddressID, why: String)
        /// The contacts and phones to listen to may be others now.
        case contactsChanged
        /// This person's codes are new, or gone.
        case codesChanged(PersonID)
    }

    struct Welcome: Codable, Equatable, Sendable {
        var phone: PhoneID
        var nextAt: BootTime
        var step = 0
    }

    var phonePairing: PhonePairing?
    var contactPairing: ContactPairing?
    var enrolment: CodeEnrolment?
    var welcomes: [Welcome] = []
    var actions: [Action] = []

    /// Phones that were paired in an earlier run and never heard are welcomed again.
    mutating func start(_ step: Step) {
        welcomes = step.book.phones.filter { !$0.isHeard }.map { .init(phone: $0.id, nextAt: step.now.boot) }
    }

    /// Whoever began what is under way.
    var clients: [ConnectionID] { [phonePairing?.client, contactPairing?.client, enrolment?.client].compactMap { $0 } }

    var nextDeadline: BootTime? {
        ([phonePairing?.until, contactPairing?.until, enrolment?.until].compactMap { $0 } + welcomes.map(\.nextAt))
            .min()
    }

    /// What is under way, in words.
    func words(_ book: PhoneBook) -> String? {
        phonePairing?.words ?? contactPairing?.words
            ?? enrolment.map { $0.words(book.person($0.person)?.name ?? "somebody") }
    }

    mutating func cancel(by client: ConnectionID, _ step: inout Step) {
        guard phonePairing != nil || contactPairing != nil || enrolment != nil else {
            return step.refuse("no pairing is under way", client)
        }
        endAll(PhonePairing.cancelled, &step)
        step.finishRequest(of: client, with: .changed("the pairing was cancelled"))
    }

    /// Whatever is being paired ends.
    mutating func endAll(_ why: String, _ step: inout Step) {
        endPairing(why, &step)
        endContactPairing(why, &step)
        endCodes(why, &step)
    }

    mutating func endOverdue(_ step: inout Step) {
        let now = step.now.boot
        if let phonePairing, phonePairing.until <= now { endPairing(PhonePairing.timeOver, &step) }
        if let contactPairing, contactPairing.until <= now { endContactPairing(PhonePairing.timeOver, &step) }
        if let enrolment, enrolment.until <= now { endCodes(CodeEnrolment.timeOver, &step) }
    }
}

extension Step {
    /// Where phones send to, the preferred one first. Where a code has no room for all, the topic server gives way to what
    /// other apps of ours may need, but in a house with a web app, which can use nothing else.
    var rendezvous: [RendezvousPlace] {
        let places = channelSettings.compactMap(\.rendezvous)
        let isTopicServerFirst = configuration.app != nil
        let first = places.filter { ($0.kind == .topicServer) == isTopicServerFirst }
        let chosen = PairingText.fitting(first + places.filter { !first.contains($0) })
        return places.filter { chosen.contains($0) }
    }

    /// What addresses on the topic server begin with.
    var topicPlace: String { channelSettings.lazy.compactMap(\.topicPlace).first ?? "" }

    /// As the store app is told: with its scheme where it is not the usual one.
    func subscription(_ topic: String) -> String {
        for settings in channelSettings {
            if case .ntfy(let ntfy) = settings, !ntfy.isEncrypted { return "http://" + topic }
        }
        return topic
    }
}
