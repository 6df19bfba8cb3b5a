import AlarmModel
import ApplianceCore
import PanelLink
import Simulators

/// Something that happens to the world from outside, drawn from the seed before the run begins.
enum WorldFault: Codable, Equatable, Sendable {
    case house(PanelSimulator.Stimulus)
    /// The network between box and module carries nothing for so long; TCP delivers late what it held.
    case networkCut(Duration)
    /// The disk refuses for so long.
    case diskFails(StoreFailure.Kind, Duration)
    /// The next transaction takes so long.
    case diskStalls(Duration)
    /// The wall clock jumps.
    case clockJumps(Duration)
    case clockSynchronised(Bool)
    /// The process dies after the next step's k-th effect.
    case crash(effect: Int)
    /// The same, and the machine with it.
    case powerCut(effect: Int)
    /// The box has no power for so long.
    case boxOff(Duration)
    case reload
    /// Somebody types a command at the box.
    case command(PanelCommand)
    /// Command with a code of a user, which a script keeps as it is.
    case commandWithCode(PanelCommand, String)
    /// Keys at a keypad, which a script keeps as they are.
    case keys(partition: Int, String)
    case maintenance(Bool)
    case terminate
    /// The owner changes the configuration and has it read.
    case edit(OwnerEdit)
    /// Nothing can be read from the disk for so long.
    case readsFail(Duration)
    /// The store takes all but one row of those that come next.
    case rowIsRefused
    /// The timers of the panel link fire no more: it stands still until the daemon is started anew.
    case panelLinkStandsStill
    /// All faults end; from here on liveness counts.
    case calm

    /// Draws the faults of one run, ascending by time.
    static func draw(
        for span: Duration, from chance: inout Jitter, zones: Int, partitions: Int
    ) -> [(BootTime, WorldFault)] {
        var faults: [(BootTime, WorldFault)] = []
        var at = BootTime.zero + .seconds(20)
        let end = BootTime.zero + span
        while at < end {
            faults.append((at, one(from: &chance, zones: zones, partitions: partitions)))
            at = at + chance.duration(in: .milliseconds(200)..<(chance.next() % 4 == 0 ? .seconds(240) : .seconds(30)))
        }
        faults.append((end, .calm))
        return faults
    }

    /// What somebody says who answers for the time servers, in seconds: 15 years, 2 hours and 23 hours ahead, 3 years
    /// behind.
    private static let forged = [473_364_000, 7200, 82_800, -94_672_800]

    private static func one(from chance: inout Jitter, zones: Int, partitions: Int) -> WorldFault {
        func number(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) + 1 }
        func span(_ low: Int, _ high: Int) -> Duration { chance.duration(in: .seconds(low)..<(.seconds(high))) }
        switch chance.next() % 100 {
        case 0..<22: return .house(.open(zone: number(zones)))
        case 22..<42: return .house(.close(zone: number(zones)))
        case 42..<46: return .house(.trip(zone: number(zones), span: span(1, 10)))
        case 46..<50:
            let intents = PanelSimulator.ArmIntent.allCases
            return .house(.arm(partition: number(partitions), intents[number(intents.count) - 1], user: 40))
        case 50..<56: return .house(.disarm(partition: number(partitions), user: 40))
        case 56..<59:
            let troubles: [Trouble] = [.ac, .battery, .bell, .failureToCommunicate, .tamper, .fireTrouble]
            return .house(.trouble(troubles[number(troubles.count) - 1], chance.next() % 2 == 0))
        case 59: return .house(.zoneTamper(zone: number(zones), chance.next() % 2 == 0))
        case 60: return .house(.duress(partition: number(partitions)))
        case 61: return .house(.chime(partition: number(partitions), chance.next() % 2 == 0))
        case 62: return .house(.key(.panic))
        case 63..<66: return .house(.fault(moduleFault(from: &chance)))
        case 66: return .house(.rebootModule(down: nil))
        case 67: return .house(.powerCycle(down: nil))
        case 68: return .house(.dropClient(reset: chance.next() % 2 == 0))
        case 69..<71: return .house(.fault(.none))
        case 71..<75: return .networkCut(span(1, 90))
        case 75: return .diskFails([.full, .inputOutput, .readOnly][number(3) - 1], span(1, 60))
        case 76..<78: return .diskStalls(span(1, 20))
        case 78:
            let isForged = chance.next() % 2 == 0
            return .clockJumps(.seconds(isForged ? forged[number(forged.count) - 1] : number(20_000) - 10_001))
        case 79: return .clockSynchronised(chance.next() % 3 != 0)
        case 80..<83: return .crash(effect: number(6) - 1)
        case 83..<86: return .powerCut(effect: number(6) - 1)
        case 86: return .reload
        case 87: return .maintenance(chance.next() % 2 == 0)
        case 88: return .terminate
        default: return .command(command(from: &chance, zones: zones, partitions: partitions))
        }
    }

    private static func moduleFault(from chance: inout Jitter) -> PanelFault {
        let few = Int(chance.next() % 5) + 1
        switch chance.next() % 13 {
        case 0: return .fragment(.anywhere)
        case 1: return .fragment(.bytes)
        case 2: return .coalesce(true)
        case 3: return .badChecksum(few)
        case 4: return .garbage(few)
        case 5: return .silent(.on)
        case 6: return .staleSession(.seconds(60))
        case 7: return .noAck(1)
        case 8: return .wrongAck(1)
        case 9: return .eventBeforeAck(few)
        case 10: return .busy(PanelFaults.Busy(code: 10, times: few))
        case 11: return .slowAck(.milliseconds(1500))
        default: return .lowercase(true)
        }
    }

    private static func command(from chance: inout Jitter, zones: Int, partitions: Int) -> PanelCommand {
        let partition = Int(chance.next() % UInt64(partitions)) + 1
        let zone = Int(chance.next() % UInt64(zones)) + 1
        switch chance.next() % 9 {
        case 0: return .arm(partition: partition, mode: .away, force: false)
        case 1: return .arm(partition: partition, mode: .stay, force: chance.next() % 2 == 0)
        case 2...4: return .disarm(partition: partition)
        case 5: return .bypass(zone: zone, bypassed: chance.next() % 2 == 0)
        case 6: return .chime(partition: partition, on: chance.next() % 2 == 0)
        case 7: return .refresh
        default: return .output(partition: partition, output: 2)
        }
    }
}
