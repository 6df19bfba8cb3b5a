import AlarmModel
import PhoneLink
import Simulators

/// What happens to the other channels and what people do there, drawn from the seed before the run begins.
enum ChannelFault: Codable, Equatable, Sendable {
    /// The way from the box to the service carries nothing.
    case outage(ChannelKind, Duration)
    case fault(ChannelKind, PeerFault)
    /// Somebody presses one of the newest buttons of a store app, so many times.
    case press(app: Int, back: Int, copies: Int)
    /// Whoever runs the server posts what was posted before, and what never was a button.
    case replay(app: Int)
    /// Somebody writes to the box.
    case say(app: Int, String, copies: Int)
    case order(ChannelKind, HouseOrderKind)
    case revoke(app: Int)
    case calm

    static func draw(
        for span: Duration, from chance: inout Jitter, kinds: [ChannelKind], apps: [Contact.Kind]
    ) -> [(BootTime, ChannelFault)] {
        var faults: [(BootTime, ChannelFault)] = []
        var at = BootTime.zero + .seconds(45)
        let end = BootTime.zero + span
        while !kinds.isEmpty, at < end {
            let kind = kinds[Int(chance.next() % UInt64(kinds.count))]
            faults += one(from: &chance, kind, apps: apps).map { (at + $0, $1) }
            at = at + chance.duration(in: .milliseconds(500)..<(chance.next() % 4 == 0 ? .seconds(150) : .seconds(40)))
        }
        faults = faults.filter { $0.0 < end }.map { time, fault in
            guard case .outage(let kind, let span) = fault else { return (time, fault) }
            return (time, .outage(kind, min(span, end - time)))
        }
        faults.append((end, .calm))
        return faults
    }

    /// - Parameter apps: what each is
    private static func one(
        from chance: inout Jitter, _ kind: ChannelKind, apps: [Contact.Kind]
    ) -> [(Duration, ChannelFault)] {
        func span(_ low: Int, _ high: Int) -> Duration { chance.duration(in: .seconds(low)..<(.seconds(high))) }
        switch chance.next() % 100 {
        case 0..<8:
            let isLong = chance.next() % 6 == 0
            return [(.zero, .outage(kind, isLong ? span(300, 2400) : span(1, 60)))]
        case 8..<38:
            let fault = PeerFault.draw(from: &chance)
            guard !fault.isMoment else { return [(.zero, .fault(kind, fault))] }
            return [(.zero, .fault(kind, fault)), (span(5, 150), .fault(kind, .off))]
        case 38..<84 where kind == .mqtt || kind == .beanstalk:
            let orders = HouseOrderKind.allCases
            return [(.zero, .order(kind, orders[Int(chance.next() % UInt64(orders.count))]))]
        default: break
        }
        guard kind == .ntfy || kind == .xmpp else { return [] }
        let theirs = apps.indices.filter { (apps[$0] == .topic) == (kind == .ntfy) }
        guard !theirs.isEmpty else { return [] }
        let app = theirs[Int(chance.next() % UInt64(theirs.count))]
        let copies = chance.next() % 3 == 0 ? 3 : 1
        switch (chance.next() % 100, kind) {
        case (0..<3, _): return [(.zero, .revoke(app: app))]
        case (3..<80, .ntfy): return [(.zero, .press(app: app, back: Int(chance.next() % 4), copies: copies))]
        case (80..., .ntfy): return [(.zero, .replay(app: app))]
        case (3..<60, _): return [(.zero, .say(app: app, "arm", copies: copies))]
        default:
            let words = ["status", "log 3", "disarm 1234", "help", "seen", "open sesame"]
            return [(.zero, .say(app: app, words[Int(chance.next() % 6)], copies: copies))]
        }
    }
}
