import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// The promises about the other channels.
extension World {
    /// A batch leaves the core.
    func checkAudience(_ batch: Batch) throws(Violation) {
        try channelChecks.checkAudience(
            of: batch, hosts, store, ordered: phoneChecks.book,
            promised: storeApps.filter(\.isPromised).map(\.name), clock: clock, from: standpoint)
    }

    mutating func arrived(_ arrival: Arrival, by kind: ChannelKind) {
        channelChecks.arrive(arrival, by: kind, store)
        if kind == .fcm, let message = try? JSON(parsing: arrival.text) {
            return pushTurn { $0.handOver(message, at: $1, into: &$2) }
        }
        guard let index = storeApps.firstIndex(where: { $0.topic == arrival.address }) else { return }
        channelChecks.shows(arrival, to: storeApps[index])
        storeApps[index].take(arrival)
    }

    /// Every few seconds.
    func checkDelivery() throws(Violation) {
        try channelChecks.checkDelivery(hosts, store, from: standpoint)
        try channelChecks.checkFallbacks(hosts, store, runSince: runSince, from: standpoint)
    }

    func checkChannelsSettled() throws(Violation) {
        for app in storeApps where !isPaired(app) {
            throw broken(
                .everythingSettles, "\(app.name) is not paired; affair \(contactAffair.map { "\($0)" } ?? "none")")
        }
        try channelChecks.checkSettled(store, wall: moment.wall, from: standpoint)
    }
}
