import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// The promises about the other channels.
extension World {
    /// A batch leaves the core.
    func checkAudience(_ batch: Batch) throws(Violation) {
        channelChecks.ordered(batch)
        try channelChecks.checkAudience(
            of: batch, hosts, store, ordered: phoneChecks.book,
            promised: contacts.apps.filter(\.isPromised).map(\.name), clock: clock, from: standpoint)
    }

    func arrived(_ arrival: Arrival, by kind: ChannelKind) {
        if kind == .webPush { return pushed(arrival) }
        observers.listener?(arrival, kind)
        channelChecks.arrive(arrival, by: kind, store)
        if kind == .fcm, let message = try? JSON(parsing: arrival.text) {
            return pushTurn { $0.handOver(message, at: $1, into: &$2) }
        }
        if kind == .ntfy, topicHears(arrival) { return }
        if let app = contacts.take(arrival) { channelChecks.shows(arrival, to: app) }
    }

    /// Every few seconds.
    func checkDelivery() throws(Violation) {
        try channelChecks.checkDelivery(hosts, store, from: standpoint)
        try channelChecks.checkFallbacks(hosts, store, runSince: runSince, from: standpoint)
    }

    func checkChannelsSettled() throws(Violation) {
        if let app = contacts.unpaired(in: store.disk.phones.book).first {
            throw broken(
                .everythingSettles, "\(app.name) is not paired; affair \(contacts.affair.map { "\($0)" } ?? "none")")
        }
        try channelChecks.checkSettled(store, wall: moment.wall, from: standpoint)
    }
}
