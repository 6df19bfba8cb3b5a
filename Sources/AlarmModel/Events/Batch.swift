/// Everything one step of the core writes. There is no other way to write (docs/ARCHITECTURE.md 2).
package struct Batch: Codable, Equatable, Sendable {
    package var id: BatchID
    /// In the order in which they take their places in the journal. Duress events go to a journal of their own with
    /// its own numbers, so that no gap in the sequence betrays them.
    package var events: [Event]
    /// The state after this step; of several batches in one transaction only the last is written.
    package var snapshot: Snapshot?
    package var ledger: [LedgerRow]
    /// Delete at most so many of the oldest events, down to the retention limits.
    package var retention: RetentionStep?
    /// Messages about this batch's events.
    package var outbox: [OutboxRow] = []
    package var outboxChanges: [OutboxChange] = []
    package var phoneLedger: [PhoneLedgerRow] = []
    /// Phones that are new or gone in the ledger. A paired phone that the ledger does not know has lost its counter.
    package var phoneLedgerOwners: [PhoneLedgerOwner] = []
    /// The phone book after this step. Its file is written, in both copies, before the rest of the batch.
    package var phoneBook: PhoneBook?
    /// The journal gets this log number: phones have proved that the card was restored from a copy.
    package var newLog: UInt32?

    package init(
        id: BatchID, events: [Event] = [], snapshot: Snapshot? = nil, ledger: [LedgerRow] = [],
        retention: RetentionStep? = nil
    ) {
        self.id = id
        self.events = events
        self.snapshot = snapshot
        self.ledger = ledger
        self.retention = retention
    }

    /// Whether there is anything to write.
    package var hasWrites: Bool { rowCount > 0 || retention != nil || newLog != nil }

    /// What counts against the 256 rows of one transaction.
    package var rowCount: Int {
        events.count + ledger.count + (snapshot == nil ? 0 : 1) + outbox.count + outboxChanges.count
            + phoneLedger.count + phoneLedgerOwners.count + (phoneBook == nil ? 0 : 1)
    }
}

/// A phone enters the ledger when it is paired, with its counter at nothing, and leaves it when it is revoked.
package enum PhoneLedgerOwner: Codable, Equatable, Sendable {
    case added(PhoneID)
    case removed(PhoneID)
}

/// What the core needs to go on after a restart, beside the journal.
package struct Snapshot: Codable, Equatable, Sendable {
    package var panel: PanelState
    package var isMaintenance: Bool
    package var nextCommand: CommandID
    /// Last good addresses of names, tried when DNS is dead.
    package var addresses: [RememberedAddress]
    /// A person has seen every alarm up to this number: those that only the disk holds are not repeated either.
    package var seenUpTo: SequenceNumber?
    /// nil: nothing is known of the console's lock, and what is stored of it stays.
    package var console: ConsoleRecord?
    /// What each link has carried; nil before links were configured.
    package var linkUsage: [LinkUsage]?
    /// A mark of the PIN that the SIM card has refused, to know it again: no further try is made with that one. Whoever
    /// could find the PIN by it holds the card with the configuration, where it stands. nil: none was refused.
    package var refusedPIN: UInt64?
    /// The version that ran, on a machine with slots for its software.
    package var software: SoftwareRecord?
    /// The last ones, oldest first; nil: there are none.
    package var heardCommands: [HeardCommand]?
    /// Wrong codes since the last right one; nil: there were none.
    package var codeLocks: [CodeLockRecord]?
    /// At that time a server's certificate was good; whole hours. nil: no server has proved who it is yet.
    package var acceptedTime: WallTime?
    /// What people were told of the UPS; nil: nothing.
    package var ups: UPSRecord?
    /// nil: none are configured, or nothing is known yet.
    package var reminders: RemindersRecord?
    /// nil: no receiver was told anything yet.
    package var receiver: ReceiverRecord?
    /// Who was told that the box lives, in this month and the last one; nil: nobody.
    package var watch: [WatchRecord]?

    package init(
        panel: PanelState = PanelState(), isMaintenance: Bool = false, nextCommand: CommandID = CommandID(1),
        addresses: [RememberedAddress] = [], seenUpTo: SequenceNumber? = nil,
        linkUsage: [LinkUsage]? = nil, refusedPIN: UInt64? = nil, console: ConsoleRecord? = nil,
        software: SoftwareRecord? = nil, heardCommands: [HeardCommand]? = nil, codeLocks: [CodeLockRecord]? = nil,
        acceptedTime: WallTime? = nil, ups: UPSRecord? = nil, reminders: RemindersRecord? = nil,
        receiver: ReceiverRecord? = nil, watch: [WatchRecord]? = nil
    ) {
        self.panel = panel
        self.isMaintenance = isMaintenance
        self.nextCommand = nextCommand
        self.addresses = addresses
        self.seenUpTo = seenUpTo
        self.linkUsage = linkUsage
        self.refusedPIN = refusedPIN
        self.console = console
        self.software = software
        self.heardCommands = heardCommands
        self.codeLocks = codeLocks
        self.acceptedTime = acceptedTime
        self.ups = ups
        self.reminders = reminders
        self.receiver = receiver
        self.watch = watch
    }
}

/// Wrong codes that lock their owner's codes, kept over restarts.
package struct CodeLockRecord: Codable, Equatable, Sendable {
    /// nil: the codes of a channel.
    package var person: PersonID?
    /// Of `ChannelKind`.
    package var channel: String?
    /// Since the last right code, or since it locked.
    package var wrong: Int
    /// How often it has locked since the last right code.
    package var locks: Int
    package var isLocked: Bool

    package init(person: PersonID? = nil, channel: String? = nil, wrong: Int, locks: Int, isLocked: Bool) {
        self.person = person
        self.channel = channel
        self.wrong = wrong
        self.locks = locks
        self.isLocked = isLocked
    }
}

/// A message of an account or a queue that became a command. The service may bring it again after a power cut: that is
/// no second command.
package struct HeardCommand: Codable, Equatable, Sendable {
    /// Of `ChannelKind`.
    package var channel: String
    /// As `InboundMessage` has it.
    package var from: String
    package var id: String

    /// How many are kept.
    package static let limit = 32

    package init(channel: String, from: String, id: String) {
        self.channel = channel
        self.from = from
        self.id = id
    }
}

/// What a version of the software leaves to the next.
package struct SoftwareRecord: Codable, Equatable, Sendable {
    package var version: String
    /// The panel or the phones were reached, by this version or one before.
    package var hadSession: Bool
    /// What is known of newer versions; nil: nothing yet.
    package var offer: OfferRecord?
    /// The good version in whose place this one runs until the next start; nil: in nobody's.
    package var standsInFor: String?

    package init(version: String, hadSession: Bool, offer: OfferRecord? = nil) {
        self.version = version
        self.hadSession = hadSession
        self.offer = offer
    }
}

/// What is kept of the host that offers newer versions.
package struct OfferRecord: Codable, Equatable, Sendable {
    /// Where it was offered: each host counts by itself. nil: nowhere yet.
    package var url: String?
    /// The highest number of an offer that was taken there: an older one is refused.
    package var seen: Int64
    /// The version that people were told of last.
    package var told: String?
    /// Newer than what runs, and offered at this time.
    package var version: String?

    package init(url: String? = nil, seen: Int64 = 0, told: String? = nil, version: String? = nil) {
        self.url = url
        self.seen = seen
        self.told = told
        self.version = version
    }
}

package struct RememberedAddress: Codable, Equatable, Sendable {
    package var name: String
    package var address: IPAddress

    package init(name: String, address: IPAddress) {
        self.name = name
        self.address = address
    }
}

/// The life of a command of a person: accepted before it is carried out, ended when its outcome is known.
package struct LedgerRow: Codable, Equatable, Sendable {
    package var command: CommandID
    /// The plain word, never a code.
    package var summary: String
    package var origin: String
    package var time: WallTime
    /// nil while it is only accepted.
    package var outcome: Outcome?

    package init(command: CommandID, summary: String, origin: String, time: WallTime, outcome: Outcome?) {
        self.command = command
        self.summary = summary
        self.origin = origin
        self.time = time
        self.outcome = outcome
    }
}

package struct RetentionStep: Codable, Equatable, Sendable {
    /// Events older than this may go.
    package var olderThan: WallTime?
    /// More events than this are too many.
    package var keepAtMost: Int?
    /// Rows that one step may delete.
    package var limit: Int
    /// The time, where it is trusted. An event stays, and all behind it, while a message about it is open and does not
    /// expire before; nil: no message has expired.
    package var now: WallTime?
    package init(olderThan: WallTime?, keepAtMost: Int?, limit: Int, now: WallTime? = nil) {
        self.olderThan = olderThan
        self.keepAtMost = keepAtMost
        self.limit = limit
        self.now = now
    }
}
