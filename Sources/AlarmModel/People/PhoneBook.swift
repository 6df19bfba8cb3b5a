/// Who is told, how they are reached, and what they may do. Kept in a file of its own beside the keys, so that a journal
/// that is set aside loses no phone (docs/pairing.md 9). Holds no secret: keys stay in the shell.
package struct PhoneBook: Codable, Equatable, Sendable {
    /// Ascending by number.
    package var people: [Person]
    /// Ascending by id.
    package var phones: [Phone]
    /// The original apps (legacy mode), ascending by address.
    package var legacyPhones: [LegacyPhone]
    /// Ascending by address.
    package var contacts: [Contact]
    /// Ascending by address.
    package var house: [HouseAddress]
    /// Who has one-time codes, ascending by person.
    package var codes: [PersonCodes]
    /// Phones that were revoked or have left: their ids stay dead.
    package var dead: [PhoneID]
    package var nextPerson: Int
    package var nextAddress: Int64
    /// Grows with every change.
    package var version: UInt64
    /// How often the daemon has started since the first phone was paired (`boot` of docs/pairing.md 6).
    package var starts: UInt64
    /// A backup has brought this book, and nobody has been notified yet; nil otherwise.
    package var isRestored: Bool?

    private enum CodingKeys: String, CodingKey {
        case people = "people", phones = "phones", legacyPhones = "legacyPhones", contacts = "contacts",
            house = "house", codes = "codes", dead = "dead", nextPerson = "nextPerson",
            nextAddress = "nextAddress", version = "version", starts = "starts",
            isRestored = "isRestored"
    }

    package init(
        people: [Person] = [], phones: [Phone] = [], legacyPhones: [LegacyPhone] = [],
        contacts: [Contact] = [], house: [HouseAddress] = [], codes: [PersonCodes] = [], dead: [PhoneID] = [],
        nextPerson: Int = 1, nextAddress: Int64 = 1, version: UInt64 = 0, starts: UInt64 = 0
    ) {
        self.people = people
        self.phones = phones
        self.legacyPhones = legacyPhones
        self.contacts = contacts
        self.house = house
        self.codes = codes
        self.dead = dead
        self.nextPerson = nextPerson
        self.nextAddress = nextAddress
        self.version = version
        self.starts = starts
    }

    #if !hasFeature(Embedded)
        /// A book that was written before there were contacts or codes has none.
        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            people = try values.decode([Person].self, forKey: .people)
            phones = try values.decode([Phone].self, forKey: .phones)
            legacyPhones = try values.decode([LegacyPhone].self, forKey: .legacyPhones)
            contacts = try values.decodeIfPresent([Contact].self, forKey: .contacts) ?? []
            house = try values.decodeIfPresent([HouseAddress].self, forKey: .house) ?? []
            codes = try values.decodeIfPresent([PersonCodes].self, forKey: .codes) ?? []
            dead = try values.decode([PhoneID].self, forKey: .dead)
            nextPerson = try values.decode(Int.self, forKey: .nextPerson)
            nextAddress = try values.decode(Int64.self, forKey: .nextAddress)
            version = try values.decode(UInt64.self, forKey: .version)
            starts = try values.decode(UInt64.self, forKey: .starts)
            isRestored = try values.decodeIfPresent(Bool.self, forKey: .isRestored)
        }
    #endif

    package func person(_ id: PersonID) -> Person? { people.first { $0.id == id } }
    package func phone(_ id: PhoneID) -> Phone? { phones.first { $0.id == id } }
    package func codes(of person: PersonID) -> PersonCodes? { codes.first { $0.person == person } }

    /// Names are compared without regard to case, in any script.
    package func person(named name: String) -> Person? {
        people.first { $0.name.lowercased() == name.lowercased() }
    }

    /// The phone that has this address in its list, whatever its state: in use, being probed, about to retire, or gone.
    /// Of several the one that has it still: an app that was paired anew has left it behind as gone.
    package func phone(at kind: AddressKind, _ value: String) -> Phone? {
        phones.first { $0.address(kind, value)?.isGone == false } ?? phones.first { $0.address(kind, value) != nil }
    }
}

/// A person's one-time codes (docs/pairing.md 10), without their secret: that stays in the shell.
package struct PersonCodes: Codable, Equatable, Sendable {
    package var person: PersonID
    /// The newest time step whose code was used, in steps of 30 s since 1970: neither it nor an earlier one counts again.
    package var lastStep: UInt64

    private enum CodingKeys: String, CodingKey {
        case person = "person", lastStep = "lastStep"
    }

    package init(person: PersonID, lastStep: UInt64) {
        self.person = person
        self.lastStep = lastStep
    }
}

package struct Person: Codable, Equatable, Sendable {
    package var id: PersonID
    /// 1…32 bytes, no control characters; unique in the house.
    package var name: String
    /// Two letters (ISO 639).
    package var language: String
    /// Duress events are sent to these people and to nobody else (docs/ARCHITECTURE.md 1.6).
    package var isDuressContact: Bool
    /// What is pushed to this person; alarms always are. Everything else can be read in the log.
    package var receives: [PriorityClass]

    private enum CodingKeys: String, CodingKey {
        case id = "id", name = "name", language = "language", isDuressContact = "isDuressContact",
            receives = "receives"
    }

    package init(
        id: PersonID, name: String, language: String = "en", isDuressContact: Bool = false,
        receives: [PriorityClass] = [.alarm, .fault, .state]
    ) {
        self.id = id
        self.name = name
        self.language = language
        self.isDuressContact = isDuressContact
        self.receives = receives
    }

    package static let nameLimit = 32
}

/// What a phone may do (docs/pairing.md 7.1). `view` is given to everybody.
package struct Roles: OptionSet, Codable, Equatable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let view = Roles(rawValue: 1 << 0)
    package static let arm = Roles(rawValue: 1 << 1)
    package static let disarm = Roles(rawValue: 1 << 2)
    package static let bypass = Roles(rawValue: 1 << 3)
    package static let panic = Roles(rawValue: 1 << 4)
    package static let admin = Roles(rawValue: 1 << 5)

    package static let named: [(name: String, role: Roles)] = [
        ("view", .view), ("arm", .arm), ("disarm", .disarm), ("bypass", .bypass), ("panic", .panic), ("admin", .admin),
    ]

    /// In a fixed order.
    package var names: [String] { Self.named.filter { contains($0.role) }.map { $0.name } }

    /// From names joined by commas; nil when one is unknown. `view` is always included.
    package init?(_ text: String) {
        self = .view
        for name in text.split(separator: ",") {
            guard let known = Self.named.first(where: { $0.name == name }) else { return nil }
            insert(known.role)
        }
    }
}

/// A paired phone, without its keys.
package struct Phone: Codable, Equatable, Sendable {
    package var id: PhoneID
    package var person: PersonID
    /// As the phone calls itself, or as it was renamed: 1…32 bytes.
    package var name: String
    package var roles: Roles
    /// It has a key 2, which wants its owner's presence; without it there is no disarming, unless `key1Suffices`.
    package var hasPresenceKey: Bool
    /// The page that key 2 belongs to, where it is a passkey.
    package var passkey: PasskeyPlace?
    /// `phones pair --no-presence`: key 1 stands for key 2.
    package var key1Suffices: Bool
    package var addresses: [PhoneAddress]
    package var pairedAt: WallTime
    /// It has answered `welcome` with its first `got`.
    package var isHeard: Bool
    /// Acting verbs are refused until this is lifted at the box.
    package var isSuspended: Bool

    private enum CodingKeys: String, CodingKey {
        case id = "id", person = "person", name = "name", roles = "roles", hasPresenceKey = "hasPresenceKey",
            passkey = "passkey", key1Suffices = "key1Suffices", addresses = "addresses", pairedAt = "pairedAt",
            isHeard = "isHeard",
            isSuspended = "isSuspended"
    }

    package init(
        id: PhoneID, person: PersonID, name: String, roles: Roles, hasPresenceKey: Bool, passkey: PasskeyPlace? = nil,
        key1Suffices: Bool = false, addresses: [PhoneAddress], pairedAt: WallTime, isHeard: Bool = false,
        isSuspended: Bool = false
    ) {
        self.id = id
        self.person = person
        self.name = name
        self.roles = roles
        self.hasPresenceKey = hasPresenceKey
        self.passkey = passkey
        self.key1Suffices = key1Suffices
        self.addresses = addresses
        self.pairedAt = pairedAt
        self.isHeard = isHeard
        self.isSuspended = isSuspended
    }

    /// An address of its list, whatever its state; of several one that is not gone.
    package func address(_ kind: AddressKind, _ value: String) -> PhoneAddress? {
        let same = addresses.filter { $0.kind == kind && $0.value == value }
        return same.first { !$0.isGone } ?? same.first
    }
}

/// Kinds of addresses, with the numbers that they have in a pairing (docs/pairing.md 4).
package enum AddressKind: UInt8, Codable, Hashable, Sendable, CaseIterable {
    case topic = 1
    case fcmToken = 2
    case fcmInstallation = 3
    case xmpp = 4
    case mqtt = 5
    case webPush = 6
}

package struct PhoneAddress: Codable, Equatable, Sendable {
    package enum State: Codable, Equatable, Sendable {
        /// Messages go there.
        case inUse
        /// Told by the phone or by the channel itself; counts once the phone has returned what was sent there.
        case candidate
        /// Replaced; still used for alarms until then (docs/pairing.md 8).
        case retiring(until: WallTime)
        /// The service says that nobody is there any more.
        case gone(why: String)

        private enum CodingKeys: String, CodingKey {
            case inUse = "inUse", candidate = "candidate", retiring = "retiring", gone = "gone"
        }
        private enum RetiringCodingKeys: String, CodingKey {
            case until = "until"
        }
        private enum GoneCodingKeys: String, CodingKey {
            case why = "why"
        }
    }
    package var id: AddressID
    package var kind: AddressKind
    package var value: String
    package var state: State

    private enum CodingKeys: String, CodingKey {
        case id = "id", kind = "kind", value = "value", state = "state"
    }

    package init(id: AddressID, kind: AddressKind, value: String, state: State = .inUse) {
        self.id = id
        self.kind = kind
        self.value = value
        self.state = state
    }

    package var isGone: Bool {
        switch state {
        case .gone: true
        case .inUse, .candidate, .retiring: false
        }
    }
}

/// An original app, approved at the box (docs/messages.md B.8). Everything to it is in clear.
package struct LegacyPhone: Codable, Equatable, Sendable {
    package enum Verb: String, Codable, Hashable, Sendable, CaseIterable {
        case ping, status, arm, disarm, fire, medical, police
    }
    package var address: AddressID
    package var token: String
    /// In the order of `Verb`.
    package var allowed: [Verb]
    package var approvedAt: WallTime
    /// The service says that nobody is there any more.
    package var isGone: Bool

    private enum CodingKeys: String, CodingKey {
        case address = "address", token = "token", allowed = "allowed", approvedAt = "approvedAt",
            isGone = "isGone"
    }

    package init(
        address: AddressID, token: String, allowed: [Verb], approvedAt: WallTime, isGone: Bool = false
    ) {
        self.address = address
        self.token = token
        self.allowed = allowed
        self.approvedAt = approvedAt
        self.isGone = isGone
    }

    package static let allowedByDefault: [Verb] = [.ping, .status, .arm]

    /// In a token's place: what the original app for Android listens at, which never sends its token
    /// (docs/messages.md B.5).
    package static let topic = "/topics/newclient"
    package var isTopic: Bool { token == Self.topic }
}
