import AlarmModel

/// What happens to the links, drawn from the seed before the run begins. A fault ends by time.
enum LinkFault: Codable, Equatable, Sendable {
    /// The cable is pulled; with the new address when it comes back, if any.
    case cut(Int, Duration, renumbers: Bool, keepsAddress: Bool)
    case blackHole(Int, Duration)
    /// Probes are answered and connections are secured, and nothing that is sent afterwards arrives.
    case swallow(Int, Duration)
    case namesDie(Int, Duration)
    case renumber(Int)
    /// The interface is gone.
    case vanish(Int, Duration)
    case allDown(Duration, isBlackHole: Bool)
    /// A probe target answers nobody.
    case targetDies(Int, Duration)

    static func draw(for span: Duration, from chance: inout Jitter, links: Int) -> [(BootTime, LinkFault)] {
        var faults: [(BootTime, LinkFault)] = []
        let end = BootTime.zero + span
        // Absent, or dead, at the start.
        if chance.next() % 3 == 0 {
            faults.append((.zero, .vanish(0, chance.duration(in: .seconds(5)..<(.seconds(200))))))
        }
        if chance.next() % 3 == 0 {
            faults.append((.zero, .blackHole(0, chance.duration(in: .seconds(5)..<(.seconds(200))))))
        }
        if chance.next() % 2 == 0 {
            faults.append((.zero + .seconds(40), .targetDies(0, chance.duration(in: .minutes(5)..<(.minutes(20))))))
        }
        var at = BootTime.zero + .seconds(30)
        while at < end {
            for (wait, fault) in one(from: &chance, links: links) { faults.append((at + wait, fault)) }
            at = at + chance.duration(in: .seconds(1)..<(chance.next() % 2 == 0 ? .seconds(300) : .seconds(60)))
        }
        return faults.filter { $0.0 < end }.map { time, fault in (time, fault.atMost(end - time)) }
    }

    private static func one(from chance: inout Jitter, links: Int) -> [(Duration, LinkFault)] {
        let link = chance.next() % 3 == 0 ? Int(chance.next() % UInt64(links)) : 0
        let isLong = chance.next() % 3 == 0
        let span = chance.duration(in: isLong ? .seconds(60)..<(.seconds(600)) : .seconds(1)..<(.seconds(60)))
        let coin = chance.next() % 2 == 0
        switch chance.next() % 15 {
        case 0...2: return [(.zero, .cut(link, span, renumbers: coin, keepsAddress: chance.next() % 2 == 0))]
        case 3...5: return [(.zero, .blackHole(link, span))]
        case 6: return [(.zero, .namesDie(link, span))]
        case 7: return [(.zero, .renumber(link))]
        case 8: return [(.zero, .vanish(link, span))]
        case 9: return [(.zero, .allDown(span, isBlackHole: coin))]
        case 10: return [(.zero, .targetDies(coin ? 0 : 1, span))]
        case 11...13: return [(.zero, .swallow(link, span))]
        default:
            // A contact that is loose.
            return (0..<5).map {
                (.seconds($0 * 8), .cut(link, .seconds(3), renumbers: false, keepsAddress: coin))
            }
        }
    }

    /// None outlasts the faults.
    func atMost(_ limit: Duration) -> LinkFault {
        switch self {
        case .cut(let link, let span, let renumbers, let keeps):
            .cut(link, min(span, limit), renumbers: renumbers, keepsAddress: keeps)
        case .blackHole(let link, let span): .blackHole(link, min(span, limit))
        case .swallow(let link, let span): .swallow(link, min(span, limit))
        case .namesDie(let link, let span): .namesDie(link, min(span, limit))
        case .renumber: self
        case .vanish(let link, let span): .vanish(link, min(span, limit))
        case .allDown(let span, let isBlackHole): .allDown(min(span, limit), isBlackHole: isBlackHole)
        case .targetDies(let target, let span): .targetDies(target, min(span, limit))
        }
    }
}

extension PhoneFault {
    /// It concerns the push service or the way there, which would hide what links do.
    var isOfService: Bool {
        switch self {
        case .push, .outage: true
        case .off, .on, .background, .restart, .command, .word, .newToken, .revoke, .test, .house, .attack, .calm: false
        }
    }
}
