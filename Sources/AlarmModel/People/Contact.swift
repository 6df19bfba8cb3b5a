/// A channel to a person that needs no app of ours (docs/pairing.md 10): a topic of a topic server that a store app
/// listens to, or an account. What goes there is in words, and what comes from there is worth no more than the relay.
package struct Contact: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// A store app on a topic server: `host/topic`, and a second topic for what it sends.
        case topic
        /// An XMPP account: a bare JID.
        case xmpp
    }
    package enum State: Codable, Equatable, Sendable {
        /// The code that was sent there has not been typed at the box yet: nothing else goes there.
        case unconfirmed
        case inUse
        /// The service says that nobody is there any more.
        case gone(why: String)

        private enum CodingKeys: String, CodingKey {
            case unconfirmed = "unconfirmed", inUse = "inUse", gone = "gone"
        }
        private enum GoneCodingKeys: String, CodingKey {
            case why = "why"
        }
    }
    package var address: AddressID
    package var person: PersonID
    package var kind: Kind
    /// As its owner calls the device: 1…32 bytes.
    package var name: String
    package var value: String
    /// Where its commands come from: `host/topic` for a topic; the address itself otherwise.
    package var commandsFrom: String
    /// In the order of `ContactVerb`.
    package var allowed: [ContactVerb]
    /// Arm and disarm are told there too, in clear: the relay learns who is away.
    package var tellsArming: Bool
    package var pairedAt: WallTime
    package var state: State
    /// It stands in the configuration, and goes when it does not any more; nil: it was paired.
    package var isConfigured: Bool?

    private enum CodingKeys: String, CodingKey {
        case address = "address", person = "person", kind = "kind", name = "name", value = "value",
            commandsFrom = "commandsFrom", allowed = "allowed", tellsArming = "tellsArming",
            pairedAt = "pairedAt", state = "state", isConfigured = "isConfigured"
    }

    package init(
        address: AddressID, person: PersonID, kind: Kind, name: String, value: String, commandsFrom: String,
        allowed: [ContactVerb], tellsArming: Bool = false, pairedAt: WallTime, state: State
    ) {
        self.address = address
        self.person = person
        self.kind = kind
        self.name = name
        self.value = value
        self.commandsFrom = commandsFrom
        self.allowed = allowed
        self.tellsArming = tellsArming
        self.pairedAt = pairedAt
        self.state = state
    }
}

/// What a contact may ask for. Never panic, output, suspend, or anything that quiets a siren.
package enum ContactVerb: String, Codable, Hashable, Sendable, CaseIterable {
    case seen, status, log, arm, disarm, bypass

    /// Given without being asked for.
    package static func byDefault(_ kind: Contact.Kind) -> [ContactVerb] {
        switch kind {
        case .topic: [.seen, .status]
        case .xmpp: [.status, .log]
        }
    }

    /// What may be added by name at the box.
    ///
    /// - Parameter hasCodes: the contact's person has one-time codes, without which an account may not disarm or bypass
    package static func possible(_ kind: Contact.Kind, hasCodes: Bool) -> [ContactVerb] {
        switch kind {
        case .topic: [.seen, .status, .arm, .disarm]
        case .xmpp: allCases.filter { hasCodes || !$0.wantsCode }
        }
    }

    /// By an account it is done only with a one-time code.
    package var wantsCode: Bool {
        switch self {
        case .disarm, .bypass: true
        case .seen, .status, .log, .arm: false
        }
    }
}

/// Where the house tells its events without regard to people, from the configuration: mail, URLs, programs, tubes, the
/// broker, a receiver.
package struct HouseAddress: Codable, Equatable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case mail, url, program, tube, broker, receiver
    }
    /// Kept as long as kind and value stand in the configuration.
    package var address: AddressID
    package var kind: Kind
    /// A mail address, a URL, a program's name, a tube; for the broker its topic, for a receiver the account.
    package var value: String
    /// The types of events that are told there.
    package var triggers: [EventType]
    /// `triggers` are the events' own types (`Event.type`), not those of HowAlarming's table: mail whose owner wrote no
    /// list.
    package var goesByOwnType: Bool
    /// Duress is told there, too, because its owner says so; nil: it is not.
    package var isDuressContact: Bool?

    private enum CodingKeys: String, CodingKey {
        case address = "address", kind = "kind", value = "value", triggers = "triggers",
            goesByOwnType = "goesByOwnType", isDuressContact = "isDuressContact"
    }

    package init(
        address: AddressID, kind: Kind, value: String, triggers: [EventType], goesByOwnType: Bool = false,
        isDuressContact: Bool? = nil
    ) {
        self.address = address
        self.kind = kind
        self.value = value
        self.triggers = triggers
        self.goesByOwnType = goesByOwnType
        self.isDuressContact = isDuressContact
    }

    #if !hasFeature(Embedded)
        /// Without the last member it was written by a version that knew only HowAlarming's table.
        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            address = try container.decode(AddressID.self, forKey: .address)
            kind = try container.decode(Kind.self, forKey: .kind)
            value = try container.decode(String.self, forKey: .value)
            triggers = try container.decode([EventType].self, forKey: .triggers)
            goesByOwnType = try container.decodeIfPresent(Bool.self, forKey: .goesByOwnType) ?? false
            isDuressContact = try container.decodeIfPresent(Bool.self, forKey: .isDuressContact)
        }
    #endif
}
