import AlarmModel
import PhoneLink

/// What of a house decides which faults are drawn.
struct FaultHouse: Sendable {
    var seed: UInt64
    /// So many.
    var phones: Int
    var kinds: [ChannelKind]
    var apps: [Contact.Kind]
    /// Somebody has one-time codes.
    var hasCodes: Bool
}

extension Agenda {
    /// All that a seed draws before the run begins.
    mutating func drawFaults(
        for span: Duration, in house: FaultHouse, _ chances: Chances, _ uplinks: inout SimulatedUplinks?
    ) {
        for (time, fault) in WorldFault.draw(
            for: span, from: &chances.world, zones: World.zones, partitions: World.partitions)
        {
            add(.fault(fault), at: time)
        }
        for (time, fault) in PhoneFault.draw(for: span, from: &chances.phones, phones: house.phones)
        where uplinks == nil || !fault.isOfService {
            add(.phoneFault(fault), at: time)
        }
        for (time, fault) in ChannelFault.draw(
            for: span, from: &chances.channels, kinds: house.kinds, apps: house.apps)
        {
            add(.channelFault(fault), at: time)
        }
        for (time, fault) in uplinks?.drawFaults(for: span) ?? [] { add(.linkFault(fault), at: time) }
        if uplinks?.modem != nil {
            for (time, fault) in ModemFault.draw(for: span, seed: house.seed) { add(.modemFault(fault), at: time) }
        }
        if !house.apps.isEmpty {
            for (time, happening) in Silences.draw(for: span, seed: house.seed) { add(happening, at: time) }
        }
        if house.hasCodes {
            for (time, use) in CodeUse.draw(for: span, seed: house.seed) { add(.codeUse(use), at: time) }
        }
        if let time = DaemonRun.drawStandstill(for: span, seed: house.seed) {
            add(.fault(.panelLinkStandsStill), at: time)
        }
        for (time, edit) in OwnerEdit.draw(for: span, seed: house.seed, channels: house.kinds) {
            add(.fault(.edit(edit)), at: time)
        }
        for (time, fault) in BadRows.draw(for: span, seed: house.seed) { add(.fault(fault), at: time) }
    }
}
