import AlarmModel
import PhoneLink
import PhoneProtocol

/// What was asked of the shell and not answered yet, and what for: an answer goes to whoever asked.
struct Questions: Codable, Equatable, Sendable {
    /// Of the key vault.
    enum VaultPurpose: Codable, Equatable, Sendable {
        case openInbound(InboundMessage)
        case handshake(InboundMessage)
        case sealMessage(OutboxEntry)
        case sealAnswer(MessageID)
        case beginPairing
        case confirm(ConnectionID)
        case nonce(PhoneID, AddressID)
        case beginCodes
        case confirmCodes(ConnectionID)
        case code(CodedOrder)
        case houseCode(HouseCodedOrder)

        var isAnswer: Bool {
            if case .sealAnswer = self { true } else { false }
        }
    }

    /// Of the workers that compute and look up.
    enum WorkPurpose: Codable, Equatable, Sendable {
        case transport(ChannelKind, TransportJobID)
        case contactSecrets
        case buttons(OutboxEntry, AddressID, [ContactVerb])
        /// A button's bytes came from this topic.
        case pressed(String)
    }

    /// Of the journal.
    enum ReadPurpose: Codable, Equatable, Sendable {
        case outbox
        case ping(PhoneID, rid: [UInt8])
        case sync(PhoneID, rid: [UInt8], from: SequenceNumber)
        case arming(partition: Int)
        case dead(ConnectionID)
        /// A contact asked for the last events.
        case log(AddressID)
        /// A client reads the journal.
        case client(ConnectionID)
    }

    struct Waiting<ID: Codable & Equatable & Sendable, Purpose: Codable & Equatable & Sendable>: Codable, Equatable,
        Sendable
    {
        var id: ID
        var purpose: Purpose
    }

    fileprivate(set) var vault: [Waiting<VaultJobID, VaultPurpose>] = []
    fileprivate(set) var work: [Waiting<ComputeID, WorkPurpose>] = []
    fileprivate(set) var reads: [Waiting<QueryID, ReadPurpose>] = []
    fileprivate(set) var nextVaultJob: UInt64 = 1
    fileprivate var nextWork: UInt64 = 1
    fileprivate var nextQuery: UInt64 = 1

    mutating func answered(_ id: VaultJobID) -> VaultPurpose? {
        vault.firstIndex { $0.id == id }.map { vault.remove(at: $0).purpose }
    }

    mutating func answered(_ id: ComputeID) -> WorkPurpose? {
        work.firstIndex { $0.id == id }.map { work.remove(at: $0).purpose }
    }

    mutating func answered(_ id: QueryID) -> ReadPurpose? {
        reads.firstIndex { $0.id == id }.map { reads.remove(at: $0).purpose }
    }

    /// A disk that does not answer must not gather what a phone asks on and on.
    static let readsOfOneLimit = 8

    /// Whether this phone has asked for so much that the next has to wait.
    func isWaitingForMuch(_ phone: PhoneID) -> Bool {
        let count = reads.count { waiting in
            switch waiting.purpose {
            case .ping(phone, _), .sync(phone, _, _): true
            case .ping, .sync, .outbox, .arming, .dead, .log, .client: false
            }
        }
        return count >= Self.readsOfOneLimit
    }

    func isWaitingForMuch(_ contact: AddressID) -> Bool {
        reads.count { $0.purpose == .log(contact) } >= Self.readsOfOneLimit
    }

    /// Answers to these come too late.
    mutating func forgetWork(of channel: ChannelKind) {
        work.removeAll { waiting in
            if case .transport(channel, _) = waiting.purpose { true } else { false }
        }
    }
}

extension Step {
    /// Asks the key vault.
    @discardableResult
    mutating func ask(_ job: VaultJob, for purpose: Questions.VaultPurpose) -> VaultJobID {
        let id = VaultJobID(questions.nextVaultJob)
        tell(job)
        questions.vault.append(.init(id: id, purpose: purpose))
        return id
    }

    /// A job of the vault that has no answer.
    mutating func tell(_ job: VaultJob) {
        effects.append(.vault(VaultJobID(questions.nextVaultJob), job))
        questions.nextVaultJob += 1
    }

    mutating func compute(_ job: TransportJob, for purpose: Questions.WorkPurpose) {
        effects.append(.compute(beginWork(for: purpose), job))
    }

    mutating func locate(_ service: String, by link: Link, for purpose: Questions.WorkPurpose) {
        effects.append(.locate(beginWork(for: purpose), service: service, link))
    }

    private mutating func beginWork(for purpose: Questions.WorkPurpose) -> ComputeID {
        let id = ComputeID(questions.nextWork)
        questions.nextWork += 1
        questions.work.append(.init(id: id, purpose: purpose))
        return id
    }

    @discardableResult
    mutating func read(_ query: EventQuery, for purpose: Questions.ReadPurpose) -> QueryID {
        let id = beginRead(for: purpose)
        effects.append(.read(id, query))
        return id
    }

    mutating func read(_ query: OutboxQuery, for purpose: Questions.ReadPurpose) {
        effects.append(.readMessages(beginRead(for: purpose), query))
    }

    private mutating func beginRead(for purpose: Questions.ReadPurpose) -> QueryID {
        let id = QueryID(questions.nextQuery)
        questions.nextQuery += 1
        questions.reads.append(.init(id: id, purpose: purpose))
        return id
    }
}
