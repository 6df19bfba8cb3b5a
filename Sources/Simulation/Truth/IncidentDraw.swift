import AlarmModel
import PanelLink
import Simulators

/// Draws what happens in a house of incidents: alarms as panels send them, with what people, orders, the network and the
/// box do meanwhile.
struct IncidentDraw {
    private var chance: Jitter
    private let house: HousePlan.Incidents
    private var at = BootTime.zero + .seconds(150)
    private var faults: [(BootTime, WorldFault)] = []

    static func faults(for span: Duration, seed: UInt64, _ house: HousePlan.Incidents) -> [(BootTime, WorldFault)] {
        var draw = IncidentDraw(chance: Jitter(seed: seed ^ 0x74_72_75_74_68), house: house)
        let end = BootTime.zero + span
        while draw.at < end {
            draw.episode()
            draw.at = draw.at + draw.span(draw.chance.next() % 3 == 0 ? 1...300 : 1...60)
        }
        return draw.faults.filter { $0.0 < end }.sorted { $0.0 < $1.0 } + [(end, .calm)]
    }

    private init(chance: Jitter, house: HousePlan.Incidents) {
        self.chance = chance
        self.house = house
    }

    // MARK: Chance

    private mutating func number(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    private mutating func one<Value>(of values: [Value]) -> Value { values[number(values.count)] }
    private mutating func span(_ seconds: ClosedRange<Int>) -> Duration {
        chance.duration(in: .seconds(seconds.lowerBound)..<(.seconds(seconds.upperBound)))
    }

    private mutating func add(_ fault: WorldFault, after span: Duration = .zero) { faults.append((at + span, fault)) }
    private mutating func add(_ stimulus: PanelSimulator.Stimulus, after span: Duration = .zero) {
        add(.house(stimulus), after: span)
    }

    /// A user number of the panel; nil: a key fob.
    private mutating func somebody() -> Int? { one(of: [40, 1, 2, nil]) }

    // MARK: Episodes

    private mutating func episode() {
        let partition = number(2) + 1
        switch number(34) {
        case 0..<3: add(.arm(partition: partition, one(of: PanelSimulator.ArmIntent.allCases), user: somebody()))
        case 3..<6: add(.disarm(partition: partition, user: somebody()))
        case 6..<10: breakIn(partition)
        case 10..<13: fire(partition)
        case 13: alarmOfZone(one(of: [7, 8, 9]))
        case 14: add(.key(one(of: [.fire, .auxiliary, .panic])))
        case 15:
            add(.smoke(true))
            add(.smoke(false), after: span(1...60))
        case 16..<18: passThrough(one(of: [1, 2, 3, 4, 5, 10, 11]))
        case 18..<20: outage()
        case 20..<24: order(partition)
        case 24: wrongCodes(partition)
        case 25:
            storm()
            at = at + .seconds(25)
            breakIn(partition)
        case 26..<28: refusals()
        case 28: moduleFault()
        case 29..<31: atPanel(partition)
        case 31: leaveDoorOpen(partition)
        case 32: swing(partition)
        default: add(one(of: [.crash(effect: number(6)), .powerCut(effect: number(6)), .reload]))
        }
    }

    /// An arming, a break-in, and after a while a disarming, a second arming, or neither.
    private mutating func breakIn(_ partition: Int) {
        add(.arm(partition: partition, .away, user: somebody()))
        at = at + .seconds(house.exitDelay) + span(2...40)
        if number(2) == 0 { outage() }
        at = at + span(1...20)
        alarmOfZone(partition == 1 ? one(of: [1, 4, 9]) : one(of: [5, 10]))
        endOfAlarm(partition)
    }

    private mutating func fire(_ partition: Int) {
        if number(4) == 0 { outage() }
        let zone = partition == 1 ? 6 : 12
        add(.open(zone: zone))
        add(.close(zone: zone), after: span(1...400))
        endOfAlarm(partition)
    }

    private mutating func alarmOfZone(_ zone: Int) {
        add(.trip(zone: zone, span: span(1...30)))
        if number(3) == 0 { add(.trip(zone: zone, span: span(1...10)), after: span(31...200)) }
    }

    private mutating func endOfAlarm(_ partition: Int) {
        let later = span(2...(number(2) == 0 ? 30 : 400))
        switch number(5) {
        case 0..<2: add(.disarm(partition: partition, user: somebody()), after: later)
        case 2: add(.command(.disarm(partition: partition)), after: later)
        case 3: add(.arm(partition: partition, .away, user: somebody()), after: later)
        default: break
        }
    }

    /// Exit fault: the door is open when the exit delay ends, so an entry delay begins at once.
    private mutating func leaveDoorOpen(_ partition: Int) {
        add(.arm(partition: partition, .away, user: somebody()))
        at = at + .seconds(house.exitDelay) - span(1...8)
        let door = partition == 1 ? 1 : 10
        add(.open(zone: door))
        add(.close(zone: door), after: span(9...120))
        if number(3) == 0 { outage() }
        endOfAlarm(partition)
    }

    /// A detector that alarms again and again.
    private mutating func swing(_ partition: Int) {
        add(.arm(partition: partition, .away, user: somebody()))
        at = at + .seconds(house.exitDelay) + span(2...10)
        let zone = partition == 1 ? one(of: [1, 4, 7, 9]) : one(of: [5, 10])
        for _ in 0...(2 + number(4)) {
            add(.trip(zone: zone, span: span(1...20)))
            at = at + span(21...120)
        }
        endOfAlarm(partition)
    }

    private mutating func passThrough(_ zone: Int) {
        add(.open(zone: zone))
        add(.close(zone: zone), after: span(1...120))
    }

    private mutating func outage() {
        let length = span(number(2) == 0 ? 5...60 : 60...600)
        switch number(8) {
        case 0..<3: add(.networkCut(length))
        case 3: add(.boxOff(length))
        case 4: add(.rebootModule(down: length))
        case 5: add(.powerCycle(down: length))
        case 6: add(one(of: [.clientVanished, .dropClient(reset: true), .dropClient(reset: false)]))
        default:
            add(.keybus(alive: false))
            add(.keybus(alive: true), after: min(length, .minutes(4)))
        }
    }

    /// One order, or two for one partition within three seconds.
    private mutating func order(_ partition: Int) {
        func command(_ draw: Int) -> PanelCommand {
            switch draw {
            case 0: .arm(partition: partition, mode: .away, force: false)
            case 1: .arm(partition: partition, mode: .stay, force: true)
            default: .disarm(partition: partition)
            }
        }
        add(.command(command(number(4))))
        guard number(2) == 0 else { return }
        let isAtOnce = number(2) == 0
        add(
            .command(command(number(4))),
            after: chance.duration(in: .zero..<(isAtOnce ? .milliseconds(400) : .seconds(3))))
    }

    private mutating func wrongCodes(_ partition: Int) {
        if number(2) == 0 { return add(.commandWithCode(.disarm(partition: partition), "9999")) }
        for count in 0...number(6) { add(WorldFault.keys(partition: partition, "9990"), after: .seconds(3 * count)) }
    }

    /// Fifty detectors are lost and back within half a minute, as in a jammed house. The panel has no such zones and raises
    /// no alarm for them.
    private mutating func storm() {
        for count in 0..<50 {
            add(.zoneFault(zone: 13 + count, true), after: .milliseconds(200 * count))
            add(.zoneFault(zone: 13 + count, false), after: .milliseconds(200 * count + 15_000))
        }
    }

    private mutating func refusals() {
        let code = one(of: [10, 14, 16, 17, 18, 23, 24])
        add(.fault(.busy(PanelFaults.Busy(code: code, times: 1 + number(3)))))
        if number(2) == 0 { add(.command(.disarm(partition: 1 + number(2))), after: .milliseconds(500)) }
        add(.fault(.none), after: span(2...40))
    }

    private mutating func moduleFault() {
        let few = 1 + number(4)
        let faults: [PanelFault] = [
            .fragment(.bytes), .fragment(.crlf), .coalesce(true), .badChecksum(few), .garbage(few), .lowercase(true),
            .silent(.on), .silent(.deaf), .secondClient(.finish), .staleSession(.seconds(30)),
            .slowAck(.milliseconds(1500)), .noAck(1), .wrongAck(1), .lateAck(.seconds(2)), .eventBeforeAck(few),
            .quirk501(true), .reboot(.seconds(20)), .flood(.leds), .loginTimeout(true), .wrongPassword(true),
            .mutePassword(true), .firewall(true), .code900(true), .blanking(true), .tcpStall(true),
            .clockSkew(.seconds(90)), .proxy(true),
        ]
        add(.fault(one(of: faults)))
        add(.fault(.none), after: span(2...60))
    }

    /// Other acts of people, zones and troubles at the panel.
    private mutating func atPanel(_ partition: Int) {
        let later = span(2...60)
        let zone = 1 + number(12)
        switch number(14) {
        case 0: add(.zoneTamper(zone: zone, true)); add(.zoneTamper(zone: zone, false), after: later)
        case 1: add(.zoneBattery(zone: zone, low: true)); add(.zoneBattery(zone: zone, low: false), after: later)
        case 2: add(.busy(partition: partition, true)); add(.busy(partition: partition, false), after: later)
        case 3: add(.installer(true)); add(.installer(false), after: later)
        case 4: add(.chime(partition: partition, number(2) == 0))
        case 5: add(.output(partition: partition, output: 2))
        case 6: add(.autoArming(partition: partition))
        case 7: add(.eventBufferNearlyFull)
        case 8: add(.phoneRing)
        case 9: add(.clockBroadcast)
        case 10: add(.temperature(Temperature(thermostat: 1, place: .indoor, degrees: 20)))
        case 11: add(.duress(partition: partition))
        case 12: add(.trouble(one(of: [.ac, .battery, .bell, .tamper]), number(2) == 0))
        default: add(WorldFault.keys(partition: partition, one(of: ["1111", "2222", "1234"])))
        }
    }
}
