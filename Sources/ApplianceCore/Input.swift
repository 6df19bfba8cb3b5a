package import AlarmModel
package import PhoneLink
package import PhoneProtocol
package import SoftwareUpdate

/// A fact that the shell reports to the core.
///
/// What is large and rare lies apart: each input is copied some times on its way.
package enum Input: Codable, Equatable, Sendable {
    /// The first input of a run.
    indirect case started(Start)
    /// Known after the start had waited for it long enough.
    case found(StartFinding)
    /// Answer to `resolve`.
    case resolved(ResolveID, Resolution)
    /// Answer to `open`.
    case connected(ConnectionID)
    /// Answer to `startTLS`: the peer has proved who it is.
    case secured(ConnectionID)
    case received(ConnectionID, [UInt8])
    /// So much of what was ordered has left: bytes on a connection that the core opened, replies on a control client.
    case sent(ConnectionID, upTo: UInt64)
    /// A connection ended, or never came about. Not reported for one that the core closed.
    case closed(ConnectionID, ConnectionEnd)
    /// Somebody entitled connected to the control socket.
    case accepted(ConnectionID)
    /// A client asked for something; at most one request runs on a client.
    case request(ConnectionID, ControlRequest)
    /// A client's line was not a request; it gets the error and stays.
    case badRequest(ConnectionID, ControlRequestError)
    case timer(TimerID)
    /// All batches up to this one are durable; `last` is the number of the newest event.
    case committed(upTo: BatchID, last: SequenceNumber)
    /// None of these batches is stored, nor what was ordered behind them: the disk waits for it to be ordered anew.
    case commitFailed(from: BatchID, upTo: BatchID, StoreFailure)
    /// Answer to `read`.
    case rows(QueryID, Rows)
    /// Answer to `vault`.
    case vault(VaultJobID, VaultAnswer)
    /// Answer to `compute`.
    case computed(ComputeID, TransportAnswer)
    /// Answer to `locate`.
    case located(ComputeID, ServiceLookup)
    /// What the machine knows of the interfaces that `watchLinks` named, all of them, in that order.
    case links([LinkFacts])
    case modem(ModemFact)
    /// Answer to `derive`.
    case derived(DeriveID, PINAnswer)
    case reload(Reload)
    case signal(Signal)
}

extension Input {
    /// That of which it tells.
    var connection: ConnectionID? {
        switch self {
        case .connected(let connection), .secured(let connection), .received(let connection, _),
            .sent(let connection, _), .closed(let connection, _):
            connection
        case .started, .found, .resolved, .accepted, .request, .badRequest, .timer, .committed, .commitFailed, .rows,
            .vault, .computed, .located, .links, .modem, .derived, .reload, .signal:
            nil
        }
    }
}

/// What the shell knows when it mounts the core.
package struct Start: Codable, Equatable, Sendable {
    @Boxed package var configuration: Configuration
    /// nil at the very first start, in safe mode, and when it could not be read.
    package var snapshot: Snapshot?
    /// The console's lock as it is stored, where there is no snapshot.
    package var console: ConsoleRecord?
    /// The mark of the PIN that the SIM card has refused, where there is no snapshot.
    package var refusedPIN: UInt64?
    /// What is known of the host of `updates`, where there is no snapshot.
    package var offer: OfferRecord?
    /// Seeds the core's jitter.
    package var seed: UInt64
    /// Eight hexadecimal digits, new at each start.
    package var bootMark: String
    package var lastSequence: SequenceNumber
    /// The newest event of the journal; wall time is floored there.
    package var newestEvent: WallTime?
    /// When this program was built; wall time is floored there too.
    package var buildTime: WallTime
    /// What is worth an event of its own.
    package var findings: [StartFinding]
    /// Channels that were at work in the crashes before a safe mode: they start after the others. nil: an older recording.
    package var suspects: [ChannelKind]?
    /// A supervisor would start us again, and the disk has not cost a restart yet.
    package var mayRestart = false
    /// The longest silence that the service manager accepts; nil: it does not watch.
    package var watchdog: Duration?
    /// There is somebody who restarts the machine when it is asked for.
    package var mayReboot = false
    /// There are slots, and somebody who installs a bundle when it is asked for.
    package var mayUpdate = false
    /// On a machine with slots for its software.
    package var slots: SlotReport?
    /// The version that runs there; nil: that of this program.
    package var release: String?
    /// Commands that were accepted and have no outcome: their end is unknown.
    package var unfinished: [LedgerRow]
    /// The highest command number of the ledger.
    package var lastCommand: CommandID?
    /// The number of this journal: eight hexadecimal digits.
    package var log = "00000000"
    /// The store could be read: what stands here is all there is.
    package var isStoreOpen = true
    package var outboxCounts = OutboxCounts()
    package var oldestSequence: SequenceNumber = .zero
    /// nil when it could not be read: then it must not be written either.
    package var phoneBook: PhoneBook? = PhoneBook()
    package var phoneCounters: [PhoneCounters] = []
    /// A single change while the daemon is stopped: no panel, no phones, no events of a start.
    package var isOffline = false

    private enum CodingKeys: String, CodingKey {
        case configuration = "configuration", snapshot = "snapshot", console = "console",
            refusedPIN = "refusedPIN", offer = "offer", seed = "seed", bootMark = "bootMark",
            lastSequence = "lastSequence", newestEvent = "newestEvent", buildTime = "buildTime", findings = "findings",
            suspects = "suspects", mayRestart = "mayRestart", watchdog = "watchdog", mayReboot = "mayReboot",
            mayUpdate = "mayUpdate",
            slots = "slots", release = "release", unfinished = "unfinished", lastCommand = "lastCommand",
            log = "log", isStoreOpen = "isStoreOpen", outboxCounts = "outboxCounts",
            oldestSequence = "oldestSequence", phoneBook = "phoneBook", phoneCounters = "phoneCounters",
            isOffline = "isOffline"
    }

    package init(
        configuration: Configuration, snapshot: Snapshot? = nil, seed: UInt64 = 0, bootMark: String = "00000000",
        lastSequence: SequenceNumber = .zero, newestEvent: WallTime? = nil,
        buildTime: WallTime = WallTime(milliseconds: 0), findings: [StartFinding] = [], unfinished: [LedgerRow] = [],
        lastCommand: CommandID? = nil
    ) {
        self.configuration = configuration
        self.snapshot = snapshot
        self.seed = seed
        self.bootMark = bootMark
        self.lastSequence = lastSequence
        self.newestEvent = newestEvent
        self.buildTime = buildTime
        self.findings = findings
        self.unfinished = unfinished
        self.lastCommand = lastCommand
    }
}

/// Something out of the ordinary that the shell found while it started.
package enum StartFinding: Codable, Equatable, Sendable {
    /// The journal was damaged; it was kept under the name given and a new one begun.
    case storeDamaged(keptAs: String, why: String)
    /// The store could not be opened; commits will try again.
    case storeUnavailable(why: String)
    case snapshotUnreadable(why: String)
    /// The check of the journal did not finish in time; nothing wrong was found as far as it went.
    case checkUnfinished
    /// Third crash within five minutes; so many suspect rows were set aside.
    case safeMode(crashes: Int, setAside: Int)
    /// Safe mode had no time for all rows; what was not looked at stays as it is.
    case searchUnfinished
    /// The last run did not end by itself.
    case crashed
    case restoredFromBackup
    /// One copy of the phone file could not be read; the other was used, or none was left.
    case phoneFileDamaged(why: String)
    /// Somebody with the card in hand wants the console's PIN reset; the file that says so was removed.
    case consolePINReset
    /// That file cannot be removed, so that nothing was reset: each start would do it again.
    case consolePINNotReset(why: String)
}

package enum TimerID: String, Codable, Equatable, Sendable, CaseIterable {
    case panel, dialer, journal, retention, clock, phoneDialer, phones, links, modem, texts, watchdog, console, trial,
        updates, cameras, power, reminders
}

/// Why a batch could not be stored.
package struct StoreFailure: Codable, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, Equatable, Sendable {
        case full, readOnly, inputOutput, damaged, busy
        /// The store refuses this very batch: another try changes nothing.
        case rejected
        case other
    }
    package var kind: Kind
    package var detail: String

    package init(_ kind: Kind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }
    package var description: String {
        switch kind {
        case .full: "the disk is full; delete something or use a bigger card (\(detail))"
        case .readOnly: "the state directory is read-only; check the card and how it is mounted (\(detail))"
        case .inputOutput: "the disk reports an error; replace the card (\(detail))"
        case .damaged: "the journal is damaged; it is set aside at the next start (\(detail))"
        case .busy: "another program holds the journal (\(detail))"
        case .rejected: "the store refuses a row (\(detail))"
        case .other: "storage failed (\(detail))"
        }
    }
}

package enum Rows: Codable, Equatable, Sendable {
    case page(EventPage)
    case messages(OutboxPage)
    case failed(StoreFailure)
}

package indirect enum Reload: Codable, Equatable, Sendable {
    case configuration(Configuration)
    /// The file does not validate: nothing changes.
    case refused([String])
}

package enum Signal: String, Codable, Equatable, Sendable { case terminate }
