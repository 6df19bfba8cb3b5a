import AlarmModel
import ApplianceCore
import Companion
import PanelLink
import PhoneLink
import PhoneProtocol

/// What the world remembers to hold the phones' promises against.
///
/// Guarantees: nothing that leaves for a phone, and nothing that is done for one, is passed over that a promise forbids.
struct PhoneChecks: Sendable {
    struct Signed: Equatable, Sendable {
        var command: HouseCommand
        var at: BootTime
    }

    /// What lies under a seal of the box.
    struct Sealed: Equatable, Sendable {
        var phone: PhoneID
        /// The event, without what may differ between two sendings; nil when it holds none.
        var event: String?
        var seq: String?
    }

    struct Revoking: Equatable, Sendable {
        var client: ConnectionID
        var phone: PhoneID
    }

    struct Named: Hashable, Sendable {
        var token: String
        var seq: String
    }

    struct UnderWay: Equatable, Sendable {
        var message: String
        var connection: ConnectionID
    }

    /// What was broken in the middle of something that cannot tell.
    var broken: Violation?
    /// Everything that honest phones ever signed.
    private(set) var signed: [PhoneShelf.Spent: Signed] = [:]
    /// Commands whose phone was told ok while the store failed.
    var toldUnstored: Set<PhoneShelf.Spent> = []
    /// By the salt of the envelope.
    var sealed: [[UInt8]: Sealed] = [:]
    /// What a message id stands for.
    var meanings: [String: String] = [:]
    var names: [Named: String] = [:]
    /// Phones whose pairing was reported as done, and that nobody asked to revoke.
    private(set) var promised: [PhoneID] = []
    /// Phones whose revocation was reported as done.
    private(set) var revoked: [PhoneID] = []
    private var revoking: Revoking?
    /// The phone book as the core has ordered it to be written last.
    private(set) var book: PhoneBook?
    private var newestBatch = BatchID(0)
    /// Since when the file has held these addresses as in use.
    private(set) var inUse: [AddressID: BootTime] = [:]
    /// Sent, and not answered by the service so far; in the order of sending.
    private(set) var underWay: [UnderWay] = []
    /// When the service said last that a device gets too much.
    private(set) var lastHold = BootTime.zero - .hours(1)

    /// Lines that only phones cause, as sent to the panel.
    private(set) var linesSent = 0
    /// Lines that the panel turned down: they may be sent again.
    private(set) var linesRefused = 0
    /// What the module has said of a line that is not at its end.
    private var panelLine: (peer: ConnectionID, bytes: [UInt8]) = (ConnectionID(0), [])
    /// Commands that may cause such lines, with their counters on the disk.
    private(set) var ordersSpent = 0
    private var spentSeen = 0
    private var resultsSeen = 0

    /// Somebody at the box never gives such an order.
    private static func isPhonesOwn(_ command: HouseCommand) -> Bool {
        switch command {
        case .arm(_, let mode, _): mode == .zeroEntry
        case .panic: true
        case .output(_, let number): number == 3
        case .disarm, .bypass, .chime, .suspend, .address, .leave, .seen: false
        }
    }

    private static func isPhonesOwn(line: some Collection<UInt8>) -> Bool {
        let text = String(decoding: line.prefix(5), as: UTF8.self)
        return text.hasPrefix("032") || text.hasPrefix("060") || text.hasPrefix("02013")
    }

    // MARK: What happens

    /// An honest phone has signed it; false when that is known.
    mutating func signs(_ command: HouseCommand, _ name: PhoneShelf.Spent, at now: BootTime) -> Bool {
        guard signed[name] == nil else { return false }
        signed[name] = Signed(command: command, at: now)
        return true
    }

    mutating func hasPaired(_ phone: PhoneID) { promised.append(phone) }

    /// Somebody at the box asks for it, and whoever asked is told that it is done. Else the store fails, and a crash
    /// undoes it.
    mutating func asksToRevoke(_ phone: PhoneID) { promised.removeAll { $0 == phone } }
    mutating func awaitsRevocation(_ phone: PhoneID, _ client: ConnectionID) {
        revoking = Revoking(client: client, phone: phone)
    }
    mutating func hasRevoked(_ client: ConnectionID) {
        guard let revoking, revoking.client == client else { return }
        revoked.append(revoking.phone)
        self.revoking = nil
    }

    /// The service says that a device gets too much.
    mutating func heldBack(at now: BootTime) { lastHold = now }

    /// Bytes for the panel leave the box.
    mutating func sendsToPanel(_ bytes: [UInt8]) {
        for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) where Self.isPhonesOwn(line: line) {
            linesSent += 1
        }
    }

    mutating func sends(_ message: String, on connection: ConnectionID) {
        underWay.removeAll { $0.message == message }
        underWay.append(UnderWay(message: message, connection: connection))
    }

    /// The service has answered, for better or worse.
    mutating func serviceSays(_ bytes: [UInt8]) {
        guard !underWay.isEmpty, bytes.starts(with: "<message".utf8) else { return }
        let quoted = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false).dropFirst().dropLast()
        underWay.removeAll { sent in quoted.contains { $0.elementsEqual(sent.message.utf8) } }
    }

    /// The core starts with this book; its batches are numbered from 1 again.
    mutating func started(with book: PhoneBook?) {
        self.book = book
        newestBatch = BatchID(0)
    }

    /// A batch leaves the core, perhaps not for the first time.
    mutating func ordered(_ batch: Batch) {
        guard batch.id > newestBatch else { return }
        newestBatch = batch.id
        book = batch.phoneBook ?? book
    }

    /// The file of the phone book was written.
    mutating func fileHolds(_ book: PhoneBook, at now: BootTime) {
        var known: [AddressID: BootTime] = [:]
        for address in book.phones.flatMap(\.addresses) where address.state == .inUse {
            known[address.id] = inUse[address.id] ?? now
        }
        inUse = known
    }

    mutating func restarted() {
        underWay = []
        revoking = nil
    }

    /// Bytes of the module on their way to the box; it may cut its lines anywhere.
    mutating func panelSays(_ bytes: [UInt8], on peer: ConnectionID) {
        if panelLine.peer != peer { panelLine = (peer, []) }
        for byte in bytes {
            guard byte == 10 || byte == 13 else {
                panelLine.bytes.append(byte)
                continue
            }
            let line = panelLine.bytes
            panelLine.bytes = []
            if line.starts(with: "502".utf8) || line.starts(with: "501".utf8) { linesRefused += 1 }
        }
    }

    /// New rows of the phones' ledger are on the disk.
    mutating func look(at shelf: PhoneShelf, from standpoint: Standpoint) throws(Violation) {
        if let broken { throw broken }
        while spentSeen < shelf.spent.count {
            let row = shelf.spent[spentSeen]
            spentSeen += 1
            guard let order = signed[row] else {
                throw standpoint.broken(
                    .strangersAreNotObeyed, "phone \(row.phone) never signed a command \(row.counter)")
            }
            guard !revoked.contains(row.phone) else {
                throw standpoint.broken(
                    .revokedPhonesAreOut, "command \(row.counter) of phone \(row.phone), which was revoked")
            }
            if Self.isPhonesOwn(order.command) { ordersSpent += 1 }
        }
        while resultsSeen < shelf.results.count {
            let row = shelf.results[resultsSeen]
            resultsSeen += 1
            guard row.result.out == .ok, let order = signed[.init(phone: row.phone, counter: row.counter)] else {
                continue
            }
            // A challenge holds a minute, and the panel and the disk take their time.
            if order.command.isChallenged, standpoint.now - order.at > .seconds(170) {
                throw standpoint.broken(
                    .strangersAreNotObeyed,
                    "\(order.command) was signed \(standpoint.now - order.at) ago, and was carried out")
            }
        }
        if linesSent > ordersSpent + linesRefused {
            throw standpoint.broken(
                .atMostOnce,
                "\(linesSent) orders of phones went to the panel, \(ordersSpent) counters are on the disk")
        }
        guard shelf.log == 1 else { throw standpoint.broken(.phonesAgree, "the journal was taken for a restored copy") }
        guard let book = shelf.book else { return }
        if let lost = promised.first(where: { book.phone($0) == nil }) {
            throw standpoint.broken(.phonesStayPaired, "phone \(lost) is not in the phone book any more")
        }
        if let back = revoked.first(where: { book.phone($0) != nil }) {
            throw standpoint.broken(.revokedPhonesAreOut, "phone \(back) was revoked and is in the phone book")
        }
    }
}

extension HouseCommand {
    /// Only a challenge makes it fresh, and phones' clocks do not matter.
    fileprivate var isChallenged: Bool {
        switch self {
        case .disarm, .output, .bypass, .suspend, .leave: true
        case .arm, .chime, .panic, .address, .seen: false
        }
    }
}
