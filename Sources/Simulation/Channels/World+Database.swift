import AlarmModel
import PhoneLink
import PhoneProtocol
import Simulators

/// The database where phones put what they have for the box, in houses with FCM over HTTP. It keeps a message until the
/// box removes it, so what was dealt with comes again wherever the removal did not reach it.
extension World {
    /// A phone's message, or one that pretends to be, is put there; false: this house has no database.
    func databaseTakes(_ data: JSON) -> Bool {
        guard let index = hosts.index(.fcm) else { return false }
        channelTurn(index, FCMSimulator.self) { $0.put(data, at: $1, into: &$2) }
        return true
    }
}
