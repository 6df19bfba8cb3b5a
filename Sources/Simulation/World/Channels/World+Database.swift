import AlarmModel
import PhoneLink
import PhoneProtocol

/// The database where phones put what they have for the box, in houses with FCM over HTTP. It keeps a message until the
/// box removes it, so what was dealt with comes again wherever the removal did not reach it.
extension World {
    /// Longer than any wait before another attempt at the stream or at a removal.
    private static let databasePatience = Duration.seconds(400)

    /// A phone's message, or one that pretends to be, is put there; false: this house has no database.
    mutating func databaseTakes(_ data: JSON) -> Bool {
        guard let index = hosts.index(.fcm) else { return false }
        channelTurn(index, FCMSimulator.self) { $0.put(data, at: $1, into: &$2) }
        return true
    }

    /// What lies there is heard and removed soon after nothing keeps the box from it.
    func checkDatabase() throws(Violation) {
        guard appliance != nil, !store.isBad(at: now), store.disk.fault == nil, let index = hosts.index(.fcm),
            let sound = hosts[index].sound(at: now), let server = hosts[index].peer as? FCMSimulator
        else { return }
        for message in server.nodes {
            let since = max(sound, runSince, store.goodSince, message.since)
            guard now - since > Self.databasePatience else { continue }
            throw broken(
                .databaseIsEmptied,
                "\(message.key) lies in the database since \((message.since - .zero).milliseconds) ms, and it is sound "
                    + "since \((sound - .zero).milliseconds) ms")
        }
    }
}
