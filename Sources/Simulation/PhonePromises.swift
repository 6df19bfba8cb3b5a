import AlarmModel
import ApplianceCore
import Companion
import PanelLink
import PhoneLink
import Simulators

/// The promises about phones.
struct PhonePromises {
    unowned let world: World

    // MARK: After each step

    func check() throws(Violation) {
        try world.phoneChecks.look(at: world.store.disk.phones, from: world.standpoint)
        try world.pushHost.check(from: world.standpoint)
    }

    /// Unless FCM has taken the phones over.
    func checkResending() throws(Violation) {
        guard world.ownersFile.hasAccountAlone else { return }
        try world.phoneChecks.checkResending(world.pushHost, world.store, from: world.standpoint)
    }

    // MARK: At the end

    func checkSettled() throws(Violation) {
        for phone in world.household.phones {
            guard phone.isPaired(in: world.store.disk.phones), let id = phone.id, let memory = phone.app.phone?.memory,
                memory.roles != nil
            else {
                throw world.broken(
                    .everythingSettles,
                    "\(phone.name) is not paired: \(world.household.words(of: phone, world.store.disk.phones))")
            }
            let settled = SettledPhone(
                phone: phone, id: id, memory: memory, store: world.store, clock: world.clock, here: world.standpoint)
            try settled.checkLog()
            if let core = world.running, core.panel.link == .up {
                try settled.checkState(core.panel, of: world.ownersFile.configuration.panel.partitions)
            }
            try settled.checkSubscription(
                world.hosts.index(.webPush).flatMap { world.hosts[$0].peer as? WebPushSimulator })
            try settled.checkCommands(toldUnstored: world.phoneChecks.toldUnstored)
            // FCM's server may have lied; what the service itself says of an Android phone may come before somebody
            // drops it.
            try settled.checkArrived(
                isServiceTrue: world.hosts.index(.fcm) == nil,
                isAllCarried: phone.kind == .ios || world.household.isByTopics
                    || !world.household.attacker.hasDroppedDown)
        }
    }
}
