import AlarmModel
import PanelLink
import PhoneLink
import PhoneProtocol

/// What people want done, from whatever origin: paired phones, contacts, original apps, the broker, the command tube,
/// the control socket.
///
/// One way for all: authenticate, authorise, write into the ledger, carry out once that is stored, report the outcome
/// once that is stored (docs/pairing.md 7.4 and 10). Guarantees: nothing is carried out twice, nothing that its owner
/// has not allowed, and nothing of a phone, a contact or the house before it is on the disk. Knows nothing of
/// connections, and of the panel only what a command and its outcome are.
struct Commands: Machine, Codable, Equatable, Sendable {
    enum Action: Codable, Equatable, Sendable {
        /// The service may forget this message.
        case acknowledge(InboundMessage)
        /// The panel is asked to do it.
        case submit(PanelOrder)
        /// A phone spoke from this address.
        case spoke(Phone, from: String)
        /// A phone asks for something that needs no signature.
        case requested(PhoneRequest, by: Phone)
        /// A phone tells its new address; the command ends with the outcome.
        case changeAddress(CommandID, AddressKind, String, of: Phone)
        /// The alarms up to this number need no repeats any more; of one person: to them.
        case seen(upTo: SequenceNumber, of: PersonID?)
    }

    var open: OpenCommands
    /// Ascending by phone; one for each phone of the book.
    var accounts: [PhoneAccount] = []
    var legacy = LegacyApps()
    /// Whose codes were wrong since the last right one.
    var codeLocks: CodeLocks
    var buttons: [Button] = []
    var heardTexts: HeardTexts
    /// What became a command, kept over restarts.
    var heardCommands: [HeardCommand]
    /// What contacts and the house's own channels have asked for lately.
    var paces = AskingPaces()
    var openings: [OpeningPace] = []
    /// When each partition was armed or disarmed last.
    var armings: [Arming] = []
    /// Who armed or disarmed a moment ago: the panel names its user after it has confirmed.
    var recentActors: [RecentActor] = []
    var rejected = Rejections()
    var actions: [Action] = []

    /// - Parameters:
    ///   - heard: what became a command in earlier runs
    ///   - locks: whose codes were wrong in earlier runs
    init(next: CommandID, heard: [HeardCommand] = [], locks: [CodeLockRecord] = [], at now: BootTime = .zero) {
        open = OpenCommands(next: next)
        codeLocks = CodeLocks(locks, at: now)
        heardCommands = heard
        heardTexts = HeardTexts(earlier: heard, at: now)
    }

    func account(_ phone: PhoneID) -> Int? { accounts.firstIndex { $0.phone == phone } }

    func standing(of phone: PhoneID) -> PhoneStanding? {
        account(phone).map { index in
            PhoneStanding(
                lastHeard: accounts[index].lastHeard, isLocked: accounts[index].lockedUntil != nil,
                isResync: accounts[index].isResync)
        }
    }

    /// Takes over what the store knows of the book's phones.
    mutating func start(_ counters: [PhoneCounters], _ step: inout Step) {
        accounts = step.book.phones.map { phone in
            PhoneAccount(phone: phone.id, counters: counters.first { $0.phone == phone.id })
        }
        step.counters = accounts.map { .init(phone: $0.phone, last: $0.last) }
    }

    mutating func phoneAdded(_ phone: PhoneID, _ step: inout Step) {
        accounts.append(PhoneAccount(phone: phone, counters: PhoneCounters(phone: phone, rows: [])))
        accounts.sort { $0.phone < $1.phone }
        step.counters.append(.init(phone: phone, last: 0))
    }

    mutating func phoneGone(_ phone: PhoneID, _ step: inout Step) {
        accounts.removeAll { $0.phone == phone }
        step.counters.removeAll { $0.phone == phone }
    }

    mutating func contactGone(_ address: AddressID) {
        buttons.removeAll { $0.contact == address }
        paces.forget(.contact(address))
    }

    mutating func lifted(_ phone: PhoneID) {
        if let index = account(phone) { accounts[index].lift() }
    }

    /// The owner lets a contact's codes count again.
    ///
    /// - Returns: false where none of them are locked
    mutating func liftCodes(of name: String, by client: ConnectionID, _ step: inout Step) -> Bool {
        guard let contact = step.book.contact(named: name),
            codeLocks.contains(.person(contact.person))
        else { return false }
        codeLocks.end(.person(contact.person))
        let words = step.book.actor(contact).words
        step.note(.info, .phones, "Codes of \(words) count again.")
        step.wait(.replyChanged(client, "codes of \(words) count again"))
        return true
    }

    mutating func codesChanged(_ person: PersonID) { codeLocks.end(.person(person)) }

    /// The phone's newest command, stored or on its way to the store.
    mutating func store(_ row: PhoneLedgerRow, at index: Int, _ step: inout Step) {
        accounts[index].store(row)
        step.setCounter(accounts[index].last, of: accounts[index].phone)
    }

    mutating func reject(_ kind: Rejections.Kind, _ step: inout Step) {
        guard rejected.count(kind, at: step.now.boot) else { return }
        step.note(
            .fault, .phoneNoise,
            "More than \(Rejections.anHour) messages within an hour were none of a paired phone; they were dropped. "
                + "Somebody may be trying; see \(Hint.phones.atBox).")
    }
}
