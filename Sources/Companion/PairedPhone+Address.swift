extension PairedPhone {
    /// This phone has a new address (a token of its push service). It is told to the box until the box has it: also after
    /// a restart of the app, and however long there is no contact.
    public mutating func addressChanged(
        to address: ContactAddress, at time: PhoneTime, into actions: inout [PhoneAction]
    ) {
        memory.untoldAddresses.removeAll { $0.kind == address.kind }
        memory.untoldAddresses.append(address)
        refusedAddresses = []
        actions.append(.store)
        addressTelling = AddressTelling(due: time.uptime)
        work(at: time, &actions)
    }

    mutating func tellAddress(at time: PhoneTime, _ actions: inout [PhoneAction]) {
        guard let address = nextAddress, time.uptime >= addressTelling.due, !isTellingAddress else { return }
        addressTelling.toldAt(time.uptime)
        // Only the newest try is kept in the list of commands.
        memory.commands.removeAll { $0.command.isAddress }
        give(.address(address), at: time, into: &actions)
    }

    /// The box has answered: it knows the address, it will never take it, or it has nothing now that reaches it. Then it is
    /// told again when the app comes to the front, for the owner of the box may have configured that meanwhile.
    mutating func addressTold(_ record: CommandRecord) {
        guard case .address(let address) = record.command else { return }
        if record.outcome == .denied("request") { return refusedAddresses.append(address) }
        guard record.outcome.settlesAddress else { return }
        memory.untoldAddresses.removeAll { $0 == address }
    }

    var addressTellingDue: Int64? { nextAddress == nil || isTellingAddress ? nil : addressTelling.due }

    private var nextAddress: ContactAddress? { memory.untoldAddresses.first { !refusedAddresses.contains($0) } }

    private var isTellingAddress: Bool { live.contains { $0.command.isAddress } }
}

/// When an address that the box does not know is told again: after a minute, doubling to an hour. At once when there is
/// contact again.
struct AddressTelling: Equatable, Sendable {
    var due: Int64
    private var pause: Int64 = 60_000

    init(due: Int64) { self.due = due }

    mutating func toldAt(_ uptime: Int64) {
        due = uptime + pause
        pause = min(pause * 2, 3_600_000)
    }
}

extension HouseCommand {
    var isAddress: Bool {
        switch self {
        case .address: true
        case .arm, .disarm, .bypass, .panic, .output, .chime, .suspend, .leave, .seen: false
        }
    }
}

extension CommandOutcome {
    /// Whether the same address need not be told again. What was too fast or came too late may succeed the next time.
    fileprivate var settlesAddress: Bool {
        switch self {
        case .ok: true
        case .denied(let why): !["challenge", "stale", "counter", "rate"].contains(why)
        case .failed(let why): ["too long", "not valid"].contains(why)
        case .pending, .expired, .timeout: false
        }
    }
}
