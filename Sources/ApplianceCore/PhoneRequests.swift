package import AlarmModel
package import PhoneLink

/// `howalarming people …`.
package enum PeopleRequest: Codable, Equatable, Sendable {
    case list
    case add(name: String, PersonChange)
    case rename(from: String, to: String)
    /// Refused while the person has a phone.
    case remove(name: String)
    case set(name: String, PersonChange)
}

/// What is to change of a person; nil leaves it.
package struct PersonChange: Codable, Equatable, Sendable {
    /// Two letters.
    package var language: String?
    package var isDuressContact: Bool?
    package var receives: [PriorityClass]?

    package init(language: String? = nil, isDuressContact: Bool? = nil, receives: [PriorityClass]? = nil) {
        self.language = language
        self.isDuressContact = isDuressContact
        self.receives = receives
    }
}

/// `howalarming phones …`. A phone is named by its id, a beginning of it that is unique, or its name.
package enum PhonesRequest: Codable, Equatable, Sendable {
    case list
    /// Begins a pairing and hears of it until it ends; closing the connection does not end it.
    ///
    /// Without roles the phone gets those of howalarming.yaml, or else the usual ones.
    case pair(person: String, roles: Roles?, noPresence: Bool)
    /// Begins the pairing of a store app or an account.
    case pairContact(ContactRequest)
    /// What a contact may ask for and is told.
    case allow(contact: String, [ContactVerb], tellsArming: Bool)
    /// The six digits that the phone shows, or that were sent to a contact.
    case confirm(Secret)
    case cancelPairing
    /// Begins to set up one-time codes of a person, named by name or by one of the accounts; hears of it until it ends.
    case codes(person: String)
    /// Takes a person's one-time codes away.
    case codesOff(person: String)
    case rename(phone: String, name: String)
    case role(phone: String, Roles)
    case revoke(phone: String)
    /// Lets a suspended or locked phone act again.
    case lift(phone: String)
    /// Sends a test notice; nil: to all phones.
    case test(phone: String?)
    /// With the sound and the urgency of an alarm.
    case testAlarm(phone: String?)
    /// Lets an original app in (legacy mode).
    case approve(token: String, [LegacyPhone.Verb])
    case disapprove(token: String)
    /// Messages that were given up.
    case dead(limit: Int)
    /// A person at the box has seen the alarm: no repeats.
    case seen
}

/// A store app or an account that is to be paired.
package struct ContactRequest: Codable, Equatable, Sendable {
    package var kind: Contact.Kind
    package var person: String
    /// What the device or account is called: 1…32 bytes.
    package var name: String
    /// A bare JID; empty for a topic, which the box makes.
    package var value: String
    /// Beside those that every contact has.
    package var allowed: [ContactVerb]
    package var tellsArming: Bool

    package init(
        kind: Contact.Kind, person: String, name: String, value: String, allowed: [ContactVerb], tellsArming: Bool
    ) {
        self.kind = kind
        self.person = person
        self.name = name
        self.value = value
        self.allowed = allowed
        self.tellsArming = tellsArming
    }
}

/// `people list`.
package struct PersonReport: Codable, Equatable, Sendable {
    package var person: Person
    /// Names of phones, store apps and accounts.
    package var phones: [String]

    package init(person: Person, phones: [String]) {
        self.person = person
        self.phones = phones
    }
}

/// `phones list`, and the phones' part of `status`.
package struct PhonesReport: Codable, Equatable, Sendable {
    /// One phone or original app.
    package struct Entry: Codable, Equatable, Sendable {
        /// 16 digits; for an original app the beginning of its token.
        package var id: String
        package var name: String
        package var person: String?
        /// By what it is bound (docs/pairing.md 10); `house` is nobody's.
        package var level: Level
        package var roles: [String]
        /// In words: paired and not heard yet, suspended, gone …; nil while all is well.
        package var note: String?
        /// The page of a phone's passkey; nil where it has none.
        package var passkey: PasskeyPlace?
        package var waiting: Int
        package var overdue: Int
        /// When the service last took a message, and when the phone last said that it has one.
        package var lastAccepted: WallTime?
        package var lastReceived: WallTime?
        /// When the phone itself was last heard.
        package var lastHeard: WallTime?
        package var lastError: String?

        package enum Level: String, Codable, Equatable, Sendable { case app, account, topic, legacy, house }

        package init(id: String, name: String, person: String?, level: Level, roles: [String]) {
            self.id = id
            self.name = name
            self.person = person
            self.level = level
            self.roles = roles
            waiting = 0
            overdue = 0
        }
    }

    package enum Connection: RawRepresentable, Codable, Equatable, Sendable {
        /// The configuration has no channel to phones.
        case off
        case channel(TransportHealth.Phase)
        /// No daemon runs: who is paired is known, and neither the configuration nor what was sent.
        package static let noDaemon = Connection.channel(.stopped)

        package init?(rawValue: String) {
            if rawValue == "off" {
                self = .off
            } else if let phase = TransportHealth.Phase(rawValue: rawValue) {
                self = .channel(phase)
            } else {
                return nil
            }
        }

        package var rawValue: String {
            switch self {
            case .off: "off"
            case .channel(let phase): phase.rawValue
            }
        }
    }

    package var connection: Connection
    package var server: String?
    /// What is wrong and what to do, nil while all is well.
    package var problem: String?
    package var entries: [Entry] = []
    /// Each channel that is configured.
    package var channels: [Channel] = []
    /// Tokens of original apps that have spoken and are not approved, newest last.
    package var pendingTokens: [String] = []
    package var waiting = 0
    package var overdue = 0
    package var dead = 0
    package var expired = 0
    /// A pairing is under way; what it waits for, in words.
    package var pairing: String?
    /// Input that was dropped, by kind, without those that are zero.
    package var rejected: [Rejected] = []
    /// nil: everybody has been told of every alarm, as far as a service can tell.
    package var untold: Untold?

    private enum CodingKeys: String, CodingKey {
        case connection = "connection", server = "server", problem = "problem", entries = "entries",
            channels = "ways", pendingTokens = "pendingTokens", waiting = "waiting", overdue = "overdue",
            dead = "dead", expired = "expired", pairing = "pairing", rejected = "rejected", untold = "untold"
    }

    package struct Channel: Codable, Equatable, Sendable {
        package var kind: String
        package var phase: TransportHealth.Phase
        /// What is wrong and what to do, nil while all is well.
        package var problem: String?
        package var lastAccepted: WallTime?
        package var waiting: Int

        package init(
            kind: String, phase: TransportHealth.Phase, problem: String?, lastAccepted: WallTime?, waiting: Int
        ) {
            self.kind = kind
            self.phase = phase
            self.problem = problem
            self.lastAccepted = lastAccepted
            self.waiting = waiting
        }
    }

    package struct Rejected: Codable, Equatable, Sendable {
        package var kind: String
        package var count: UInt64

        package init(kind: String, count: UInt64) {
            self.kind = kind
            self.count = count
        }
    }

    package init(connection: Connection, server: String?, problem: String?) {
        self.connection = connection
        self.server = server
        self.problem = problem
    }
}

/// What `phones pair` hears until the pairing ends.
package enum PairingProgress: Codable, Equatable, Sendable {
    /// The code is there; on the control socket the reply carries it as member `code` beside this. `app` is where the
    /// owner hosts the web app, which takes the code behind a `#`; `roles` is what the phone will be granted, nil in the
    /// replies of older versions.
    case ready(validFor: Duration, app: String? = nil, roles: Roles? = nil)
    /// Subscribe a store app to this topic, `host/topic`; a code arrives there.
    case subscribe(topic: String)
    /// A code went to this account.
    case codeSent(to: String)
    /// A phone has used the code: type the digits that it shows, if a passkey's page is the one that was opened there.
    case heard(phone: String, passkey: PasskeyPlace? = nil)
    case wrongCode(triesLeft: Int)
    /// The secret of one-time codes is there; on the control socket the reply carries its URI as member `code` beside
    /// this. The first code of the authenticator app is to be typed.
    case codesReady(validFor: Duration)
    /// A person's one-time codes count from now on.
    case codesOn(person: String)
    case paired(phone: String, name: String)
    /// Ended without a phone or codes, and why.
    case ended(why: String)
}

extension ControlRequest {
    /// What can be asked of a core that is mounted for one change while the daemon is stopped.
    package var worksOffline: Bool {
        switch self {
        case .people: true
        case .phones(let request):
            switch request {
            case .list, .rename, .role, .revoke, .lift, .codesOff, .approve, .disapprove, .dead: true
            case .pair, .pairContact, .codes, .allow, .confirm, .cancelPairing, .test, .testAlarm, .seen: false
            }
        case .status, .events, .panel, .links, .trace, .command, .maintenance, .console, .reboot, .update, .updates,
            .stick, .forgetPictures:
            false
        }
    }
}
