import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Simulators

/// The promises about what really happened at the panel; only in houses of incidents.
struct TruthPromises {
    unowned let world: World

    /// A batch leaves the core: what it tells people is true.
    func check(_ batch: Batch) throws(Violation) {
        guard let oracle = world.oracle, let belief = world.running?.panel else { return }
        let names = world.ownersFile.configuration.panel.names
        for (index, event) in batch.events.enumerated() where batch.outbox.contains(where: { $0.event == index }) {
            let statement = IncidentOracle.Statement(
                event: event, subject: event.noticeSubject(names, partitions: belief.partitions),
                contactID: event.contactID(names, partitions: belief.partitions))
            try report(oracle.check(statement, world.panelHost.panel.ledger, at: world.now))
        }
    }

    /// A batch is durable: whom it tells of what is certain.
    func committed(_ batch: Batch) throws(Violation) {
        guard world.oracle != nil else { return }
        for (index, event) in batch.events.enumerated() {
            let addresses = batch.outbox.filter { $0.event == index }.map(\.address)
            guard !addresses.isEmpty else { continue }
            try report(world.oracle?.told(event, to: addresses, world.panelHost.panel.ledger) ?? [])
        }
    }

    /// After each step: what is owed and shown.
    func check() throws(Violation) {
        let (panelHost, store, now) = (world.panelHost, world.store, world.now)
        guard world.oracle != nil else { return }
        let belief = world.running?.panel
        let isPossible =
            belief?.link == .up && panelHost.isSound(at: now) && panelHost.panel.isTelling && store.isSound(at: now)
        let isComplete =
            isPossible && panelHost.isQuiet(for: .seconds(8), at: now) && world.running?.awaitsPanelReport == false
            && world.running?.waitingEvents == 0 && store.thread.isIdle
        let hearing = IncidentOracle.Hearing(isPossible: isPossible, isComplete: isComplete)
        let addresses = { recipients }
        try report(world.oracle?.look(at: belief, panelHost.panel, hearing, addresses, at: now) ?? [])
    }

    func ordered(_ request: ControlRequest, from client: ConnectionID) {
        guard case .command(let command, _) = request else { return }
        world.oracle?.ordered(command, orderNumber(client), at: world.now)
    }

    func ended(_ outcome: Outcome, for client: ConnectionID) throws(Violation) {
        try report(world.oracle?.ended(orderNumber(client), outcome, world.panelHost.panel, at: world.now) ?? [])
    }

    private func orderNumber(_ client: ConnectionID) -> UInt64 { UInt64(world.run) << 32 | client.number }

    private func report(_ untruths: [IncidentOracle.Untruth]) throws(Violation) {
        let wanted = untruths.first { world.soughtUntruth.map($0.what.contains) ?? true }
        if let wanted { throw world.broken(wanted.promise, "\(wanted.what): \(wanted.detail)") }
    }

    /// All addresses that alarms go to.
    private var recipients: [IncidentOracle.Recipient] {
        guard let book = world.store.disk.phones.book else { return [] }
        var recipients: [IncidentOracle.Recipient] = []
        func add(_ address: AddressID, _ since: BootTime?, hearsEnds: Bool = true) {
            guard let since else { return }
            recipients.append(IncidentOracle.Recipient(address: address, since: since, hearsEnds: hearsEnds))
        }
        for contact in book.contacts where contact.state == .inUse {
            add(contact.address, world.channelChecks.owners[contact.address]?.since)
        }
        for house in book.house where house.triggers.contains(.alarm) {
            add(
                house.address, world.channelChecks.owners[house.address]?.since,
                hearsEnds: house.goesByOwnType && house.kind != .receiver)
        }
        for address in book.phones.flatMap(\.addresses) where address.state == .inUse {
            guard world.ownersFile.carries(address.kind) else { continue }
            add(address.id, world.phoneChecks.inUse[address.id])
        }
        return recipients
    }
}
