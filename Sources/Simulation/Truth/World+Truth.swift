import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Simulators

/// The promises about what really happened at the panel; only in houses of incidents.
extension World {
    /// A batch leaves the core: what it tells people is true.
    func checkTruth(of batch: Batch) throws(Violation) {
        guard let oracle, let belief = running?.panel else { return }
        let names = ownersFile.configuration.panel.names
        for (index, event) in batch.events.enumerated() where batch.outbox.contains(where: { $0.event == index }) {
            let statement = IncidentOracle.Statement(
                event: event, subject: event.noticeSubject(names, partitions: belief.partitions),
                contactID: event.contactID(names, partitions: belief.partitions))
            try report(oracle.check(statement, panelHost.panel.ledger, at: now))
        }
    }

    /// A batch is durable: whom it tells of what is certain.
    func committedTruth(of batch: Batch) throws(Violation) {
        guard oracle != nil else { return }
        for (index, event) in batch.events.enumerated() {
            let addresses = batch.outbox.filter { $0.event == index }.map(\.address)
            guard !addresses.isEmpty else { continue }
            try report(oracle?.told(event, to: addresses) ?? [])
        }
    }

    /// After each step: what is owed and shown.
    func checkTruth() throws(Violation) {
        guard oracle != nil else { return }
        let belief = running?.panel
        let isPossible =
            belief?.link == .up && panelHost.isSound(at: now) && panelHost.panel.isTelling && store.isSound(at: now)
        let isComplete =
            isPossible && panelHost.isQuiet(for: .seconds(8), at: now) && running?.awaitsPanelReport == false
            && running?.waitingEvents == 0 && store.thread.isIdle
        let hearing = IncidentOracle.Hearing(isPossible: isPossible, isComplete: isComplete)
        let recipients = { self.recipients }
        try report(oracle?.look(at: belief, panelHost.panel, hearing, recipients, at: now) ?? [])
    }

    func ordersTruth(_ request: ControlRequest, from client: ConnectionID) {
        guard case .command(let command, _) = request else { return }
        oracle?.ordered(command, orderNumber(client), at: now)
    }

    func endsTruth(_ outcome: Outcome, for client: ConnectionID) throws(Violation) {
        try report(oracle?.ended(orderNumber(client), outcome, panelHost.panel, at: now) ?? [])
    }

    private func orderNumber(_ client: ConnectionID) -> UInt64 { UInt64(run) << 32 | client.number }

    private func report(_ untruths: [IncidentOracle.Untruth]) throws(Violation) {
        let wanted = untruths.first { soughtUntruth.map($0.what.contains) ?? true }
        if let wanted { throw broken(wanted.promise, "\(wanted.what): \(wanted.detail)") }
    }

    /// All addresses that alarms go to.
    private var recipients: [IncidentOracle.Recipient] {
        guard let book = store.disk.phones.book else { return [] }
        var recipients: [IncidentOracle.Recipient] = []
        func add(_ address: AddressID, _ since: BootTime?, hearsEnds: Bool = true) {
            guard let since else { return }
            recipients.append(IncidentOracle.Recipient(address: address, since: since, hearsEnds: hearsEnds))
        }
        for contact in book.contacts where contact.state == .inUse {
            add(contact.address, channelChecks.owners[contact.address]?.since)
        }
        for house in book.house where house.triggers.contains(.alarm) {
            add(house.address, channelChecks.owners[house.address]?.since, hearsEnds: house.goesByOwnType)
        }
        for address in book.phones.flatMap(\.addresses) where address.state == .inUse {
            guard ownersFile.carries(address.kind) else { continue }
            add(address.id, phoneChecks.inUse[address.id])
        }
        return recipients
    }
}
