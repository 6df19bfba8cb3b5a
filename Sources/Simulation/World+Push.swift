import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators

/// What the push service does, and with whom.
extension World {
    static let firstPush: UInt64 = 1 << 24

    static func isPush(_ connection: ConnectionID) -> Bool {
        connection.number >= firstPush && connection < Appliance.firstClient
    }

    /// Lets the push service act and carries out what it does.
    func pushTurn(_ act: (inout PushSimulator, BootTime, inout [PushSimulator.Action]) -> Void) {
        for action in pushHost.actions(at: now, act) {
            switch action {
            case .send(_, let bytes):
                phoneChecks.serviceSays(bytes)
                pushHost.carryOut(action, at: standpoint, &chances.phones, &agenda)
            case .close, .reset, .stopReading, .resumeReading, .certificate, .wire, .heard, .listen:
                pushHost.carryOut(action, at: standpoint, &chances.phones, &agenda)
            case .deliver(let token, let delivery):
                household.deliver(delivery.data, to: token, at: now, &chances.phones, &agenda)
            case .deletedMessages(let token): tell(token, .object(["deleted": .bool(true)]))
            case .sendFailed(let token, let id, let code):
                tell(
                    token,
                    .object(["error": .object(["id": .string(id), "code": .integer(Int64(code))])]))
            case .channelUp(let token): tell(token, .object(["ready": .bool(true)]))
            case .tokenChanged(let old, let new):
                guard let index = household.index(of: old) else { continue }
                household.changeToken(of: index, to: new)
                if let fcm = hosts.index(.fcm) {
                    channelTurn(fcm, FCMSimulator.self) { server, _, _ in server.settings.unregistered.append(old) }
                }
                tell(new, .object(["token": .string(new)]))
            }
        }
        pushHost.setTimer(at: now, &agenda)
    }
}
