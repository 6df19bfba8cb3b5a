import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform

/// What lies around the core for its phones: the push service, the real keeper of the keys, and the store's part.
struct PushWorld {
    static let firstConnection = ConnectionID(1 << 24)
    static let limit = Appliance.firstClient
    static func owns(_ id: ConnectionID) -> Bool { id >= firstConnection && id < limit }

    var server = PushServer()
    var vault = KeyVault(crypto: OpenSSLCrypto())
    /// While true, jobs wait.
    var isVaultSlow = false
    private(set) var waitingJobs: [(id: VaultJobID, job: VaultJob)] = []

    // As it is on the disk.
    private(set) var book: PhoneBook?
    private(set) var keys: [PhoneKeys] = []
    private(set) var codes: [CodeSecret] = []
    private(set) var messages: [StoredMessage] = []
    private(set) var ledger: [PhoneLedgerRow] = []
    private(set) var owners: [PhoneID] = []
    private(set) var log: UInt32 = 0
    var sentInbound = 0

    mutating func carryOut(_ id: VaultJobID, _ job: VaultJob) -> [Input] {
        guard !isVaultSlow else {
            waitingJobs.append((id, job))
            return []
        }
        return vault.carryOut(job).map { [.vault(id, $0)] } ?? []
    }

    /// What the slow vault answers at last.
    mutating func takeAnswers() -> [Input] {
        isVaultSlow = false
        defer { waitingJobs = [] }
        return waitingJobs.flatMap { carryOut($0.id, $0.job) }
    }

    mutating func keep(_ batch: Batch, _ numbers: [SequenceNumber?]) {
        if let book = batch.phoneBook {
            self.book = book
            keys = vault.keys(of: book.phones.map(\.id))
            codes = vault.codes(of: book.codes.map(\.person))
        }
        for owner in batch.phoneLedgerOwners {
            switch owner {
            case .added(let phone): owners.append(phone)
            case .removed(let phone):
                owners.removeAll { $0 == phone }
                ledger.removeAll { $0.phone == phone }
            }
        }
        for row in batch.phoneLedger {
            ledger.removeAll { $0.phone == row.phone && $0.counter == row.counter }
            ledger.append(row)
        }
        for row in batch.outbox {
            messages.append(
                StoredMessage(
                    message: row.message, address: row.address, seq: numbers[row.event],
                    event: batch.events[row.event], createdAt: row.createdAt, expiresAt: row.expiresAt,
                    state: .waiting, picture: row.picture))
        }
        for change in batch.outboxChanges {
            guard let index = messages.firstIndex(where: { $0.message == change.message }) else { continue }
            messages[index].state = change.state
            messages[index].detail = change.detail
            if change.state.isFinal { messages[index].picture = nil }
        }
        log = batch.newLog ?? log
    }

    /// The disk holds what memory had no room for.
    mutating func leave(_ state: OutboxState, of code: String) {
        for index in messages.indices where messages[index].event.code == code { messages[index].state = state }
    }

    /// A message was stored, and nothing that became of it.
    mutating func forget(_ code: String, at address: AddressID) {
        for index in messages.indices where messages[index].event.code == code && messages[index].address == address {
            messages[index].state = .waiting
        }
    }

    func page(_ query: OutboxQuery) -> OutboxPage {
        switch query {
        case .open(let addresses, let limit):
            let open = messages.enumerated().filter {
                addresses.contains($0.element.address) && !$0.element.state.isFinal
            }.sorted { a, b in
                let left = (a.element.event.priority.rawValue, a.element.seq?.number ?? 0, a.offset)
                return left < (b.element.event.priority.rawValue, b.element.seq?.number ?? 0, b.offset)
            }.map(\.element)
            let page = open.prefix(limit).map { message in
                var message = message
                guard message.state == .waiting, message.event.priority == .alarm, message.seq != nil else {
                    return message
                }
                message.takenAt = messages.filter { $0.seq == message.seq && $0.state.isTaken }.map(\.address)
                return message
            }
            return OutboxPage(messages: page, hasMore: open.count > limit)
        case .dead(let limit):
            let dead = messages.filter {
                ($0.state == .dead || $0.state == .expired) && !$0.event.flags.contains(.duress)
            }
            return OutboxPage(messages: Array(dead.reversed().prefix(limit)), hasMore: dead.count > limit)
        }
    }

    var counts: OutboxCounts {
        let shown = messages.filter { !$0.event.flags.contains(.duress) }
        return OutboxCounts(
            waiting: shown.count { $0.state == .waiting }, overdue: shown.count { $0.state == .overdue },
            dead: shown.count { $0.state == .dead }, expired: shown.count { $0.state == .expired })
    }

    var counters: [PhoneCounters] {
        owners.sorted().map { phone in
            PhoneCounters(phone: phone, rows: ledger.filter { $0.phone == phone }.sorted { $0.counter < $1.counter })
        }
    }

    /// What a new process finds: the disk, and a vault with the keys of the file.
    func afterRestart() -> PushWorld {
        var world = self
        world.vault = KeyVault(crypto: OpenSSLCrypto())
        world.vault.load(keys, codes: codes)
        world.waitingJobs = []
        _ = world.server.end(gracefully: false)
        return world
    }

    /// The journal is lost, the file of the phones is not.
    mutating func loseJournal() {
        messages = []
        ledger = []
        owners = []
        log += 1
    }
}
