package import AlarmModel
package import PhoneLink

/// What `status` shows.
extension Outbox {
    /// One for each address that messages can go to, ascending.
    package var reports: [OutboxReport] {
        var reports = lines.map { line in
            var report = OutboxReport(address: line.route.address)
            report.hasMoreStored = line.horizon != nil || line.unheld != nil
            report.lastAccepted = line.lastAccepted
            report.lastReceived = line.lastReceived
            report.lastError = line.lastError
            report.heldUntil = line.heldUntil
            return report
        }
        for item in items where !item.isDuress {
            guard let index = lineIndex(item.address) else { continue }
            if item.isUntaken { reports[index].waiting += 1 }
            if item.isOverdue { reports[index].overdue += 1 }
        }
        return reports
    }

    /// Whether everybody in the house may know what became of it: all but duress.
    package func isTellable(_ message: MessageID) -> Bool { index(of: message).map { !items[$0].isDuress } ?? true }

    /// Which channel carries messages to an address.
    package func channel(of address: AddressID) -> ChannelKind? { lineIndex(address).map { lines[$0].route.channel } }

    /// The channels that lead to a person, in the order of `ChannelKind`.
    package func channels(to person: PersonID) -> [ChannelKind] {
        let theirs = lines.filter { $0.route.person == person && $0.route.retiresAt == nil }.map(\.route.channel)
        return ChannelKind.allCases.filter { theirs.contains($0) }
    }

    /// Messages given out or with the link, for which an answer is due.
    package var unanswered: Int {
        items.filter { $0.stage == .handed || $0.stage == .underWay }.count
    }
}
