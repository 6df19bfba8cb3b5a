import AlarmModel
import PhoneLink
import PhoneProtocol

/// Everything that the core keeps for phones; what is done with it stands in `Appliance+Phone….swift`.
struct PhoneHall: Codable, Hashable, Sendable {
    var book = PhoneBook()
    /// What cannot be read now may be sound: it is not written over.
    var isBookReadable = true
    /// Ascending by phone; one for each phone of the book.
    var accounts: [PhoneAccount] = []
    var outbox: Outbox
    /// One of each kind at most, in the order of `WayKind`.
    var ways: [Way] = []
    /// Their connections and questions are numbered far above the panel's.
    var dialLines: [DialLine] = []
    var nextDialRange: UInt64 = 0
    var computeWaits: [ComputeWait] = []
    var nextCompute: UInt64 = 1
    /// Bytes on their way to the services.
    var flows: [Flow] = []
    var answers = AnswerQueue()
    var nextAnswer: UInt64 = 1 << 40
    var pairing: PairingDesk?
    /// Paired and not on the disk yet: it is not obeyed.
    var entering: PhoneID?
    var legacy = LegacyDesk()
    var contactPairing: ContactPairing?
    var enrolment: CodeEnrolment?
    /// Whose codes were wrong lately.
    var codeLocks: [PersonLock] = []
    var buttons: [Button] = []
    /// People of whom it was told that no way leads to them.
    var unreachable: [PersonID] = []
    /// People of whom it was told that the configuration has no way to them.
    var wayless: [PersonID] = []
    var heardTexts: [HeardText] = []
    var houseLock = CodeLock()
    var queueLock = CodeLock()
    /// What contacts and the house's own ways have asked for lately.
    var paces: [AskingPace] = []
    var heartbeat: Heartbeat
    /// As it was shown last.
    var shown: HousePicture?
    var vaultWaits: [VaultWait] = []
    var nextVaultJob: UInt64 = 1
    var probes: [AddressProbe] = []
    var welcomes: [Welcome] = []
    var reads: [Read] = []
    /// When each partition was armed or disarmed last.
    var armings: [Arming] = []
    /// Who armed or disarmed a moment ago: the panel names its user after it has confirmed.
    var recentActors: [RecentActor] = []
    var rejected = Rejections()
    var log = "00000000"
    var oldest = SequenceNumber.zero
    /// The number that the next stored event gets; nil until the store has told one.
    var nextSequence: SequenceNumber?
    /// Of the batches that were committed last.
    var committedNumbers: [Number] = []
    /// Messages that were given up or expired, since the store was begun.
    var counts = OutboxCounts()
    /// When `phonesDue` is wanted, as of the end of the last step; once it is past it stays until `phonesDue` has run.
    var deadline: BootTime?
    /// The read of the outbox that is under way.
    var outboxRead: QueryID?

    static let firstConnection = ConnectionID(1 << 24)
    static let firstQuestion = ResolveID(1 << 24)

    init(bootMark: String, seed: UInt64, policy: OutboxPolicy = OutboxPolicy()) {
        outbox = Outbox(bootMark: bootMark, seed: seed, policy: policy)
        heartbeat = Heartbeat(seed: seed)
    }

    struct ComputeWait: Codable, Hashable, Sendable {
        enum Purpose: Codable, Hashable, Sendable {
            case transport(WayKind, TransportJobID)
            case contactSecrets
            case buttons(OutboxEntry, AddressID, [ContactVerb])
            /// A button's bytes came from this topic.
            case pressed(String)
        }
        var id: ComputeID
        var purpose: Purpose
    }

    struct VaultWait: Codable, Hashable, Sendable {
        enum Purpose: Codable, Hashable, Sendable {
            case openUpstream(InboundMessage)
            case handshake(InboundMessage)
            case sealMessage(OutboxEntry)
            case sealAnswer(MessageID)
            case beginPairing
            case confirm(ConnectionID)
            case nonce(PhoneID, AddressID)
            case beginCodes
            case confirmCodes(ConnectionID)
            case code(CodedOrder)
        }
        var id: VaultJobID
        var purpose: Purpose

        var isAnswer: Bool {
            if case .sealAnswer = purpose { true } else { false }
        }
    }

    /// A candidate address and what was sent there.
    struct AddressProbe: Codable, Hashable, Sendable {
        var phone: PhoneID
        var address: AddressID
        var nonce: String
        var nextAt: BootTime
        var tries = 0
    }

    struct Welcome: Codable, Hashable, Sendable {
        var phone: PhoneID
        var nextAt: BootTime
        var step = 0
    }

    /// A request of a phone that waits for events of the journal.
    struct Read: Codable, Hashable, Sendable {
        enum Purpose: Codable, Hashable, Sendable {
            case ping(PhoneID, rid: [UInt8], held: SequenceNumber)
            case sync(PhoneID, rid: [UInt8], from: SequenceNumber)
            case arming(partition: Int)
            case dead(ConnectionID)
            /// A contact asked for the last events.
            case log(AddressID)
        }
        var id: QueryID
        var purpose: Purpose
    }

    struct Arming: Codable, Hashable, Sendable {
        var partition: Int
        /// nil: not known yet, or it is being stored.
        var seq: SequenceNumber?
        /// It happened in this run.
        var isFresh = false
    }

    /// How much was ordered to be sent on a connection, and how much has left.
    struct Flow: Codable, Hashable, Sendable {
        var connection: ConnectionID
        var ordered: UInt64 = 0
        var left: UInt64 = 0
        var isPaused = false

        /// A peer that asks on and on and reads no answer has to wait.
        static let pauseAt: UInt64 = 1 << 20
        static let resumeAt: UInt64 = 1 << 18
    }

    struct Number: Codable, Hashable, Sendable {
        var batch: BatchID
        var event: Int
        var seq: SequenceNumber
    }

    struct RecentActor: Codable, Hashable, Sendable {
        var partition: Int
        /// Of the line that is awaited.
        var code: String
        var actor: CommandDesk.Actor
        var command: CommandID
        var until: BootTime
    }

    /// What addresses on the topic server begin with.
    var topicPlace: String {
        for way in ways {
            if let place = way.settings.topicPlace { return place }
        }
        return ""
    }

    // A way is large: these are asked several times in each step and look at it in place.
    func way(_ kind: WayKind) -> Int? {
        for index in ways.indices where ways[index].kind == kind { return index }
        return nil
    }

    var healthyWays: [WayKind] {
        var healthy: [WayKind] = []
        for index in ways.indices where ways[index].isReady && ways[index].carrier.transport.health.isHealthy {
            healthy.append(ways[index].kind)
        }
        return healthy
    }

    var isAnyReady: Bool {
        for index in ways.indices where ways[index].isReady { return true }
        return false
    }

    func account(_ phone: PhoneID) -> Int? { accounts.firstIndex { $0.phone == phone } }
}

/// Input that was dropped, by kind. Told once an hour when there is much of it.
struct Rejections: Codable, Hashable, Sendable {
    enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        case notOurs = "no message of ours"
        case notOpened = "seals that did not open"
        case unknownPhone = "unknown or revoked phones"
        case repeated = "repeats"
        case tooMany = "too many at once"
        case legacy = "old apps that were not let in"
        case malformed = "sealed, but not exact"
    }

    private(set) var counts: [UInt64] = Kind.allCases.map { _ in 0 }
    private var hourStart = BootTime.zero
    private var thisHour = 0
    private var isTold = false

    static let anHour = 100

    /// Returns true once an hour, when the limit is passed.
    mutating func count(_ kind: Kind, at now: BootTime) -> Bool {
        if let index = Kind.allCases.firstIndex(of: kind) { counts[index] += 1 }
        if now - hourStart >= .hours(1) {
            hourStart = now
            thisHour = 0
            isTold = false
        }
        thisHour += 1
        guard thisHour > Self.anHour, !isTold else { return false }
        isTold = true
        return true
    }

    var report: [PhonesReport.Rejected] {
        zip(Kind.allCases, counts).filter { $0.1 > 0 }.map { .init(kind: $0.0.rawValue, count: $0.1) }
    }
}
