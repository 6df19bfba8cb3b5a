package import AlarmModel

/// Names a job for the vault; numbered by the core.
package struct VaultJobID: Codable, Equatable, Comparable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
    package static func < (a: VaultJobID, b: VaultJobID) -> Bool { a.number < b.number }
}

/// What the core asks of the keeper of the keys. Keys, nonces and the pairing's secret never leave it: the core, a
/// recording and a support archive see these values only (docs/pairing.md 9).
package enum VaultJob: Codable, Equatable, Sendable {
    /// An envelope of a phone: open it and judge what it holds. Answered by `opened` or `unopened`.
    case open([UInt8])
    /// Answered by `sealed` or `unsealed`. With `challengeUntil` (seconds since the start) the member `ch`, a fresh
    /// challenge for this phone, is added to the end of the content.
    case seal(PhoneID, BoxMessage, challengeUntil: UInt32?)
    /// A new pairing code: whatever pairing was under way ends. The code itself goes from the vault to the screen.
    /// Answered by `pairingReady`, or by `unopened(.noPairing)` when no code can be made of these servers: none, too
    /// many for 88 bytes, or a place that is not printable ASCII.
    case beginPairing(servers: [RendezvousPlace])
    /// The first frame of a phone. Answered by `pairingHeard`, or by `unopened` when it is none of this pairing.
    case handshake(frame: [UInt8], siteName: String)
    /// The digits that were typed at the box. Answered by `confirmed` or `notConfirmed`.
    case confirm(Secret)
    /// 16 random bytes, to be sent under a seal. Answered by `nonce`.
    case nonce
    /// Forget everything of the pairing. No answer.
    case endPairing
    /// A new secret for this person's one-time codes, which counts once one of its codes is confirmed. It goes from the
    /// vault to the screen. Answered by `codesReady`.
    case beginCodes(PersonID, issuer: String, account: String)
    /// The code that was typed at the box. Answered by `codeStep`; the right one puts the secret into the vault, in place
    /// of the one that the person had.
    case confirmCodes(Secret, at: WallTime)
    /// Forget a secret that was not confirmed. No answer.
    case endCodes
    /// A code that came from an account of this person. Answered by `codeStep`.
    case checkCode(PersonID, Secret, at: WallTime, lastUsed: UInt64)
    /// Forget a person's secret. No answer; it leaves the file with the phone book that no longer has it.
    case forgetCodes(PersonID)
    /// Forget the keys of a phone. No answer; they leave the file with the phone book that no longer has the phone.
    case forget(PhoneID)
}

package enum VaultAnswer: Codable, Equatable, Sendable {
    case opened(PhoneID, PhoneMessage, CommandVerdict?)
    case unopened(UnopenedReason)
    case sealed([UInt8])
    /// The vault has no keys of this phone, or the content is too long.
    case unsealed
    /// With the topics of this pairing: names only, they tell nothing of the secret. Recordings of before 1.1 have none.
    case pairingReady(PairingTopics?)
    case pairingHeard(PairingHeard)
    /// The keys of this phone are now in the vault; they are stored with the phone book.
    case confirmed(PhoneID)
    case notConfirmed
    case nonce([UInt8])
    case codesReady
    /// The time step that the code is of; nil for a wrong, an old and a used one.
    case codeStep(UInt64?)
}

/// Why something that came in could not be opened. Never told to whom sent it.
package enum UnopenedReason: String, Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// No length or version of ours.
    case notOurs
    case newerVersion
    case unknownPhone
    case sealBroken
    /// It opens, and its body is not exact.
    case malformed
    case noPairing

    package var description: String {
        switch self {
        case .notOurs: "this is no message of HowAlarming"
        case .newerVersion: "this is of a newer version; update HowAlarming on both sides"
        case .unknownPhone: "no phone with this id is paired"
        case .sealBroken: "it was sealed with another key, or changed on its way"
        case .malformed: "it opens, but its content is not exact; update HowAlarming on both sides"
        case .noPairing: "no pairing is under way; start one at the box"
        }
    }
}

/// A place where a phone and the box meet for a pairing (docs/pairing.md 3).
package struct RendezvousPlace: Codable, Equatable, Sendable {
    package enum Kind: UInt8, Codable, Hashable, Sendable, CaseIterable {
        case topicServer = 1
        case database = 2
        case broker = 3
        case xmpp = 4
        case ccsSender = 5
    }
    package var kind: Kind
    package var place: String
    package init(kind: Kind, place: String) {
        self.kind = kind
        self.place = place
    }
}

/// The topics of one pairing on a topic server, without the server (docs/pairing.md 3).
package struct PairingTopics: Codable, Equatable, Sendable {
    /// Where the phone's frame is waited for.
    package var up: String
    /// Where the answer goes.
    package var down: String

    package init(up: String, down: String) {
        self.up = up
        self.down = down
    }
}

/// A phone has shown that it holds the pairing code.
package struct PairingHeard: Codable, Equatable, Sendable {
    /// The same first frame as before: the same answer goes out again.
    package var isRepeat: Bool
    /// Another phone than the one that was heard before: the code was seen by somebody else.
    package var isSecondPhone: Bool
    package var name: String
    package var hasPresenceKey: Bool
    /// The page of its passkey, to be shown before the digits count; nil where key 2 is none.
    package var passkey: PasskeyPlace?
    package var addresses: [Address]
    /// Frame 2, for the phone; empty for a second phone.
    package var answer: [UInt8]

    package struct Address: Codable, Equatable, Sendable {
        package var kind: AddressKind
        package var value: String

        package init(kind: AddressKind, value: String) {
            self.kind = kind
            self.value = value
        }
    }

    package init(
        isRepeat: Bool, isSecondPhone: Bool, name: String, hasPresenceKey: Bool, passkey: PasskeyPlace? = nil,
        addresses: [Address], answer: [UInt8]
    ) {
        self.isRepeat = isRepeat
        self.isSecondPhone = isSecondPhone
        self.name = name
        self.hasPresenceKey = hasPresenceKey
        self.passkey = passkey
        self.addresses = addresses
        self.answer = answer
    }
}

/// The keys of one phone as they lie in the key file. Never in a log, an event or a recording.
package struct PhoneKeys: Equatable, Sendable {
    package typealias Algorithm = SignatureAlgorithm
    package var phone: PhoneID
    package var up: [UInt8]
    package var down: [UInt8]
    package var bind: [UInt8]
    package var algorithm1: Algorithm
    package var key1: [UInt8]
    package var algorithm2: Algorithm
    package var key2: [UInt8]
    /// Where key 2 is a passkey, and only there: its page.
    package var passkey: PasskeyPlace?

    package init(
        phone: PhoneID, up: [UInt8], down: [UInt8], bind: [UInt8], algorithm1: Algorithm, key1: [UInt8],
        algorithm2: Algorithm, key2: [UInt8], passkey: PasskeyPlace? = nil
    ) {
        self.phone = phone
        self.up = up
        self.down = down
        self.bind = bind
        self.algorithm1 = algorithm1
        self.key1 = key1
        self.algorithm2 = algorithm2
        self.key2 = key2
        self.passkey = passkey
    }
}
