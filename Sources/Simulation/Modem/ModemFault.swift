import AlarmModel

/// What happens to the modem, its network and the console's lock, drawn from the seed before the run begins. Faults end
/// by time; a modem that hangs stays so until it is reset.
enum ModemFault: Codable, Equatable, Sendable {
    case losesNetwork(Duration)
    case dropsData
    case refusesData(Duration)
    case hangs
    case unplugged(Duration)
    case serviceDies(Duration)
    case takesNoTexts(Duration)
    /// Nothing reaches the internet, and then there is an alarm.
    case alarmWithoutData(Duration, after: Duration)
    /// Somebody tries PINs at the serial console.
    case intruder(tries: Int)
    /// Lost where the modem has no network.
    case textComes(IncomingText)

    static func draw(for span: Duration, seed: UInt64) -> [(BootTime, ModemFault)] {
        var chance = Jitter(seed: seed ^ 0x6D_6F_64_65_6D)
        var faults: [(BootTime, ModemFault)] = []
        let end = BootTime.zero + span
        var at = BootTime.zero + .seconds(60)
        while at < end {
            faults.append((at, one(from: &chance)))
            at = at + chance.duration(in: .seconds(20)..<(.seconds(240)))
        }
        // What it is all for.
        at = BootTime.zero + chance.duration(in: .minutes(3)..<(.minutes(6)))
        while at < end {
            let span = chance.duration(in: .seconds(150)..<(.seconds(420)))
            faults.append((at, .alarmWithoutData(span, after: chance.duration(in: .seconds(1)..<(.seconds(40))))))
            at = at + chance.duration(in: .minutes(8)..<(.minutes(13)))
        }
        at = BootTime.zero + .minutes(2)
        while at < end {
            faults.append((at, .textComes(.draw(from: &chance))))
            at = at + chance.duration(in: .seconds(10)..<(.seconds(150)))
        }
        // In calm nothing but the box cures it.
        faults.append((end - chance.duration(in: .seconds(5)..<(.seconds(60))), .hangs))
        return faults.filter { $0.0 < end }.map { time, fault in (time, fault.atMost(end - time)) }
    }

    private static func one(from chance: inout Jitter) -> ModemFault {
        let isLong = chance.next() % 4 == 0
        let span = chance.duration(in: isLong ? .seconds(60)..<(.seconds(500)) : .seconds(2)..<(.seconds(60)))
        switch chance.next() % 16 {
        case 0...2: return .losesNetwork(span)
        case 3, 4: return .dropsData
        case 5, 6: return .refusesData(span)
        case 7: return .hangs
        case 8, 9: return .unplugged(span)
        case 10: return .serviceDies(span)
        case 11...13: return .takesNoTexts(span)
        default: return .intruder(tries: Int(chance.next() % 9) + 1)
        }
    }

    func atMost(_ limit: Duration) -> ModemFault {
        switch self {
        case .losesNetwork(let span): .losesNetwork(min(span, limit))
        case .refusesData(let span): .refusesData(min(span, limit))
        case .unplugged(let span): .unplugged(min(span, limit))
        case .serviceDies(let span): .serviceDies(min(span, limit))
        case .takesNoTexts(let span): .takesNoTexts(min(span, limit))
        case .alarmWithoutData(let span, let after): .alarmWithoutData(min(span, limit), after: after)
        case .dropsData, .hangs, .intruder, .textComes: self
        }
    }
}
