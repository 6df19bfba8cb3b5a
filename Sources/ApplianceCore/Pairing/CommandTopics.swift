import AlarmModel
import PhoneProtocol

// The topics by which paired phones speak to the box (docs/pairing.md 7): each has one of its own beside the one where it
// is told.

extension PhoneAddress {
    /// `host/topic`; nil for other kinds of addresses.
    var commandTopic: String? { kind == .topic ? value + PersonSettings.commandsEnding : nil }
}

extension Phone {
    /// Of all its topics, also of one that is new or about to be given up.
    var commandTopics: [String] { addresses.filter { !$0.isGone }.compactMap(\.commandTopic) }
}

extension Step {
    /// Where this phone sends to, the preferred place first.
    func commandPlaces(of phone: Phone) -> [RendezvousPlace] {
        rendezvous.flatMap { place in
            guard place.kind == .topicServer else { return [place] }
            return phone.commandTopics.filter { $0.hasPrefix(place.place + "/") }.map {
                RendezvousPlace(kind: .topicServer, place: $0)
            }
        }
    }
}

extension Pairing {
    /// To whom channels listen: contacts, and the topics of phones, those that are being paired among them.
    func listening(_ step: Step) -> (contacts: [Contact], topics: [String]) {
        let contacts = step.book.contacts.filter { $0.state == .inUse }
        return (
            contacts + [contactPairing?.contact].compactMap { $0 },
            step.book.phones.flatMap(\.commandTopics) + [waitingTopic(step)].compactMap { $0 }
        )
    }

    /// Where the frame of a phone that is being paired is waited for; nil where no topic server is one of the places.
    func waitingTopic(_ step: Step) -> String? {
        guard let topics = phonePairing?.topics, step.rendezvous.contains(where: { $0.kind == .topicServer }) else {
            return nil
        }
        return "\(step.topicPlace)/\(topics.up)"
    }
}
