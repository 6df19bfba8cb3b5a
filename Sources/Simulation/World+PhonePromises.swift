import AlarmModel
import ApplianceCore
import Companion
import PanelLink
import PhoneLink
import Simulators

/// The promises about phones.
extension World {
    // MARK: After each step

    func checkPhones() throws(Violation) {
        try phoneChecks.look(at: store.disk.phones, from: standpoint)
        try pushHost.check(from: standpoint)
    }

    /// Unless FCM has taken the phones over.
    func checkResending() throws(Violation) {
        guard ownersFile.hasAccountAlone else { return }
        try phoneChecks.checkResending(pushHost, store, from: standpoint)
    }

    // MARK: At the end

    func checkPhonesSettled() throws(Violation) {
        for phone in household.phones {
            guard phone.isPaired(in: store.disk.phones), let id = phone.id, let memory = phone.app.phone?.memory,
                memory.roles != nil
            else {
                throw broken(
                    .everythingSettles, "\(phone.name) is not paired: \(household.words(of: phone, store.disk.phones))")
            }
            let settled = SettledPhone(
                phone: phone, id: id, memory: memory, store: store, clock: clock, here: standpoint)
            try settled.checkLog()
            if let core = running, core.panel.link == .up {
                try settled.checkState(core.panel, of: ownersFile.configuration.panel.partitions)
            }
            try settled.checkSubscription(hosts.index(.webPush).flatMap { hosts[$0].peer as? WebPushSimulator })
            try settled.checkCommands(toldUnstored: phoneChecks.toldUnstored)
            // FCM's server may have lied; what the service itself says of an Android phone may come before somebody
            // drops it.
            try settled.checkArrived(
                isServiceTrue: hosts.index(.fcm) == nil,
                isAllCarried: phone.kind == .ios || household.isByTopics || !household.attacker.hasDroppedDown)
        }
    }
}
