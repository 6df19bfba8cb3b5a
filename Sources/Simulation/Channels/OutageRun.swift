import AlarmModel
import Companion
import PanelLink
package import PhoneLink
import Simulators

/// A house where nothing happens but this: one channel fails for a while, and ten alarms are raised meanwhile.
package struct OutageRun: Sendable {
    package enum Fault: String, Sendable, CaseIterable {
        /// Nobody listens any more, and what stood is reset; 20 s.
        case down
        /// Nothing is carried there and back; 20 s.
        case unreachable
        /// What stands is dead without an end, and so is what comes new; 80 s.
        case halfOpen

        package var span: Duration {
            switch self {
            case .down, .unreachable: .seconds(20)
            case .halfOpen: .seconds(80)
            }
        }
    }

    /// Alarms in the journal since the fault began.
    package private(set) var alarms = 0
    /// Paired phones in the house.
    package let phones: Int
    /// Addresses of the channel for which there are messages about them.
    package private(set) var receivers = 0
    /// Messages about these alarms for addresses of the channel.
    package private(set) var messages = 0
    /// Of these, how many were there when it was given up.
    package private(set) var arrived = 0
    /// From the end of the fault until all were there; nil: they never were.
    package private(set) var slowest: Duration?
    /// How long a dead connection was kept.
    package private(set) var longestDead = Duration.zero
    package private(set) var violation: Violation?

    package init(_ kind: ChannelKind, _ fault: Fault, seed: UInt64) {
        let world = World(seed: seed, span: .zero, channels: kind == .ccs ? [] : [kind])
        phones = world.household.phones.count
        do {
            for index in world.household.indices { world.phoneTurn(index) { $0.connected(into: &$2) } }
            var time = BootTime.zero + .seconds(60)
            try world.live(until: time)
            while !Self.isFurnished(world), time < .zero + .minutes(20) {
                time = time + .seconds(10)
                try world.live(until: time)
            }
            let first = world.store.disk.last
            let begin = time + .seconds(10)
            let end = begin + fault.span
            // Else the phones hear by their topics, and nothing has to come as a push.
            if kind == .webPush {
                for phone in world.household.indices { world.agenda.add(.phoneFault(.background(phone)), at: time) }
            }
            for (time, happening) in Self.plan(fault, of: kind, at: begin) { world.agenda.add(happening, at: time) }
            // On another channel's second than the fault, as in life.
            for number in 0..<10 {
                world.agenda.add(
                    .fault(.house(.key(.panic))), at: begin + .milliseconds(137) + .milliseconds(1990) * number)
            }
            while time < end + .minutes(5) {
                time = time + .milliseconds(100)
                try world.live(until: time)
                if time < end {
                    longestDead = max(longestDead, Self.longestDead(in: world, of: kind, since: begin, at: time))
                }
                guard time >= end else { continue }
                let tally = Self.alarms(in: world, after: first, by: kind)
                (alarms, receivers) = (tally.alarms, tally.receivers.count)
                (messages, arrived) = (tally.messages, tally.arrived)
                if messages > 0, messages == arrived {
                    slowest = time - end
                    return
                }
            }
        } catch {
            violation = error
        }
    }
}

/// What became of the alarms so far.
private struct AlarmTally {
    var alarms = 0
    var receivers: Set<AddressID> = []
    var messages = 0
    var arrived = 0
}

/// What the run looks at in its world.
extension OutageRun {
    /// Everybody is paired.
    private static func isFurnished(_ world: World) -> Bool {
        let shelf = world.store.disk.phones
        return world.household.phones.allSatisfy { $0.isPaired(in: shelf) } && world.household.affair == nil
            && world.contacts.unpaired(in: shelf.book).isEmpty && world.contacts.affair == nil
            && world.household.phones.allSatisfy { $0.takesPushes(in: shelf) ?? true }
    }

    private static func plan(_ fault: Fault, of kind: ChannelKind, at begin: BootTime) -> [(BootTime, Happening)] {
        let end = begin + fault.span
        func push(_ time: BootTime, _ stimuli: PushSimulator.Stimulus...) -> [(BootTime, Happening)] {
            stimuli.map { (time, .phoneFault(.push($0))) }
        }
        func channel(_ time: BootTime, _ what: PeerFault) -> (BootTime, Happening) {
            (time, .channelFault(.fault(kind, what)))
        }
        return switch (fault, kind) {
        case (.down, .ccs):
            push(begin, .refuseConnect(true), .closeAbrupt) + push(end, .refuseConnect(false))
        case (.unreachable, .ccs): [(begin, .phoneFault(.outage(fault.span)))]
        case (.halfOpen, .ccs):
            push(begin, .halfOpen, .halfOpenNewcomers(true)) + push(end, .halfOpenNewcomers(false))
        case (.down, _): [channel(begin, .refuse), channel(end, .off)]
        case (.unreachable, _): [(begin, .channelFault(.outage(kind, fault.span)))]
        case (.halfOpen, _): [channel(begin, .blackHole), channel(end, .off)]
        }
    }

    /// Rows about alarms since then for addresses of the channel, and how many of them are there.
    private static func alarms(in world: World, after first: SequenceNumber, by kind: ChannelKind) -> AlarmTally {
        let (disk, checks) = (world.store.disk, world.channelChecks)
        // Phones that take pushes have a topic as well.
        let addresses = kind == .webPush ? disk.phones.book?.phones.flatMap(\.addresses) ?? [] : []
        let pushed = addresses.filter { $0.kind == .webPush }.map(\.id)
        var tally = AlarmTally()
        tally.alarms = disk.rows.count { $0.seq > first && $0.event.priority == .alarm }
        for message in disk.phones.messages
        where message.row.priority == .alarm && !message.isDuress && message.number > first.number {
            if let owner = checks.owners[message.row.address] {
                guard owner.channel == kind else { continue }
                tally.receivers.insert(message.row.address)
                tally.messages += 1
                if checks.isThere(message, owner, world.store) { tally.arrived += 1 }
            } else if kind == .fcm || kind == .ccs || pushed.contains(message.row.address) {
                tally.receivers.insert(message.row.address)
                tally.messages += 1
                let phone = world.household.phones.first { $0.id == disk.phones.owners[message.row.address] }
                let events = phone?.app.phone?.memory.log.events ?? []
                if events.contains(where: { $0.position?.seq == message.number }) { tally.arrived += 1 }
            }
        }
        return tally
    }

    /// The oldest connection to the service that has been dead since it stood, or since the fault began.
    private static func longestDead(
        in world: World, of kind: ChannelKind, since begin: BootTime, at time: BootTime
    ) -> Duration {
        let wires = world.hosts.index(kind).map { world.hosts[$0].wires } ?? world.pushHost.wires
        let ages = wires.filter(\.isOpen).map { time - max($0.since, begin) }
        // Mail keeps one that may greet late beside the one that it uses.
        return (kind == .mail ? ages.min() : ages.max()) ?? .zero
    }
}
