public import PhoneProtocol

/// A phone that is paired with a box: it opens what comes, keeps log and state, asks for what is missing, and signs
/// commands. The app says what happened, carries out the actions in their order, stores `memory`, and calls `timerFired`
/// when `nextDeadline` has come.
///
/// Requests, as both sides write their arguments: `ping log=…;seq=…` (up to there nothing is missing; none before the
/// first contact), `sync log=…;from=…;max=…` (at most 20), `snapshot`, `picture t=…;u=…` (the alarm's time and mark), `got log=…;seq=…` (numbers with commas between them) or `u=…` or `n=base64url`.
public struct PairedPhone<C: Crypto>: Sendable {
    /// nil once the box has ended the pairing.
    public internal(set) var secrets: PhoneSecrets?
    public internal(set) var memory: PhoneMemory
    /// Messages that could not be opened or made no sense; never answered.
    public internal(set) var refused = 0
    /// As the newest status said: pushes to this phone's subscription are refused for good. Not stored: each status says it.
    public internal(set) var isPushGone = false
    var crypto: C
    let signers: PhoneSigners
    var requests: [OpenRequest] = []
    var filling = GapFilling()
    /// Uptimes of what was asked in the last minute: the box takes 30.
    var sentAt: [Int64] = []
    var receipts = ReceiptQueue()
    var challenge: HeldChallenge?
    /// A failed ping is tried again, this often more.
    var pingTriesLeft = 0
    var wantsPing = false
    var nextPing: Int64 = 0
    var live: [LiveCommand] = []
    var watch = ContactWatch()
    var addressTelling = AddressTelling(due: 0)
    /// Of the addresses that the box does not know, those that it has refused since the app came to the front.
    var refusedAddresses: [ContactAddress] = []

    public init(secrets: PhoneSecrets, memory: PhoneMemory, crypto: C, signers: PhoneSigners) {
        self.secrets = memory.hasLeft ? nil : secrets
        self.memory = memory
        self.crypto = crypto
        self.signers = signers
        // What was under way when the phone was switched off: nobody knows.
        for index in self.memory.commands.indices where self.memory.commands[index].outcome == .pending {
            self.memory.commands[index].outcome = .timeout
        }
    }

    /// The way to the box is open again, the app came to the front, the push service dropped messages, or the token is
    /// new: ask how things are.
    public mutating func becameReachable(at time: PhoneTime, into actions: inout [PhoneAction]) {
        // What was asked before may be lost; the answer about pictures is awaited long enough.
        requests.removeAll { $0.kind != .picture }
        wantsPing = true
        pingTriesLeft = 3
        nextPing = time.uptime
        filling.retry()
        addressTelling = AddressTelling(due: time.uptime)
        refusedAddresses = []
        work(at: time, &actions)
    }

    /// A command is about to be given (its button is on the screen): have a challenge at hand.
    public mutating func prepareCommand(at time: PhoneTime, into actions: inout [PhoneAction]) {
        guard challenge.map({ time.uptime - $0.since > HeldChallenge.renewAfter }) ?? true else { return }
        wantPing(at: time)
        work(at: time, &actions)
    }

    /// A command can be signed at once, for the box has given a challenge that still holds.
    public func isPrepared(at time: PhoneTime) -> Bool {
        challenge.map { time.uptime - $0.since < HeldChallenge.holds } ?? false
    }

    /// The owner wants to see what is missing, now.
    public mutating func fillGaps(at time: PhoneTime, into actions: inout [PhoneAction]) {
        filling.retry()
        wantPing(at: time)
        work(at: time, &actions)
    }

    /// Asks for the state alone.
    public mutating func askForSnapshot(at time: PhoneTime, into actions: inout [PhoneAction]) {
        ask(.snapshot, Arguments(), at: time, &actions)
        work(at: time, &actions)
    }

    /// Milliseconds of uptime at which `timerFired` wants to be called; nil when nothing happens by itself.
    public var nextDeadline: Int64? {
        guard secrets != nil else { return nil }
        var times = requests.map { $0.deadline } + live.compactMap { $0.nextDeadline }
        let budget = budgetFrees
        if wantsPing, !isOpen(.ping) { times.append(max(nextPing, budget)) }
        if let due = receiptsDue { times.append(max(due, budget)) }
        if let due = addressTellingDue { times.append(due) }
        if let due = watch.deadline(memory.view) { times.append(due) }
        if let due = filling.due, !isOpen(.ping), !isOpen(.sync) { times.append(max(due, fillingBudgetFrees)) }
        return times.min()
    }

    public mutating func timerFired(at time: PhoneTime, into actions: inout [PhoneAction]) {
        work(at: time, &actions)
    }

    /// Does everything that is due.
    mutating func work(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        guard secrets != nil else { return }
        endRequests(at: time, &actions)
        watchContact(at: time, &actions)
        tellAddress(at: time, &actions)
        workOnCommands(at: time, &actions)
        if wantsPing, time.uptime >= nextPing, ping(at: time, &actions) { wantsPing = false }
        sendReceipts(at: time, &actions)
        fill(at: time, &actions)
    }
}
