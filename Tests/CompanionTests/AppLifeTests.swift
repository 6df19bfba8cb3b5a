import AlarmModel
import Companion
import PhoneProtocol
import Testing

/// The lives of `LogRebuildTests`, lived by a page that stores row by row and is loaded anew at any time.
@Suite("The page's log after a bad way")
struct AppLifeTests {
    private static func run(_ house: inout AppHouse, _ channel: inout LogRebuildTests.Channel, until end: Int64) throws
    {
        while true {
            for envelope in house.page.sent() { channel.post(envelope, up: true, at: house.page.time.uptime) }
            let parcel = channel.parcels.indices.min { channel.parcels[$0].due < channel.parcels[$1].due }
            let due = parcel.map { channel.parcels[$0].due } ?? .max
            let deadline = house.page.next ?? .max
            let next = max(min(due, deadline), house.page.time.uptime)
            guard next <= end else { break }
            house.advance(to: next)
            guard due <= deadline, let parcel else {
                try house.page.call("timer")
                continue
            }
            let arrived = channel.parcels.remove(at: parcel)
            guard arrived.isUp else {
                try house.page.received(arrived.bytes)
                continue
            }
            for answer in house.box.heard(arrived.bytes) { channel.post(answer, up: false, at: next) }
        }
        house.advance(to: max(house.page.time.uptime, end))
    }

    private static func life(seed: UInt64) throws {
        var house = try AppHouse(seed: seed)
        try house.welcome()
        var channel = LogRebuildTests.Channel(generator: Jitter(seed: seed &* 977), loss: Int(seed % 60))
        var dice = Jitter(seed: seed &* 31 &+ 5)
        for number in 0..<Int.random(in: 1...60, using: &dice) {
            let row = house.row(number, state: "a=a;r=0;al=1;t=0;z=\(number);x=")
            switch Int.random(in: 0..<40, using: &dice) {
            case 0: house.box.renewLog()
            case 1...4:
                var marked = row
                marked.mark = "b7-\(number)"
                channel.post(house.box.sendUnstored(marked), up: false, at: house.page.time.uptime)
            case 5: try house.page.call("reachable")
            case 6: house.box.oldestKept = max(house.box.oldestKept, house.box.newest - 30)
            case 7: channel.post(house.box.heartbeat(), up: false, at: house.page.time.uptime)
            case 8, 9: try house.page.reload()
            case 10: try house.page.call("give", ["command": .object(["verb": "disarm", "partition": .integer(1)])])
            default:
                for late in house.box.unstored {
                    channel.post(house.box.store(late), up: false, at: house.page.time.uptime)
                }
                house.box.unstored = []
                channel.post(house.box.store(row), up: false, at: house.page.time.uptime)
            }
            try run(&house, &channel, until: house.page.time.uptime + Int64.random(in: 0...4000, using: &dice))
        }
        for late in house.box.unstored { _ = house.box.store(late) }
        channel.loss = 0
        try house.page.reload()
        try house.page.call("reachable")
        try run(&house, &channel, until: house.page.time.uptime + 900_000)

        let view = try house.page.view()
        #expect(view["gaps"] == .integer(0), "seed \(seed)")
        #expect(view["newest"] == .integer(house.box.newest), "seed \(seed)")
        #expect(house.page.next == nil, "seed \(seed)")
        #expect(house.box.commands.allSatisfy { $0.1.signature == .good }, "seed \(seed)")
        let counters = house.box.commands.map { $0.0.counter }
        #expect(Set(counters).count == Set(house.box.commands.map { "\($0.0)" }).count, "seed \(seed)")
        let first = house.box.oldestKept
        let held = house.page.rows.sorted { $0.key < $1.key }.map { $0.value }.filter { row in
            row["position"]?["log"] == .integer(Int64(house.box.log))
                && (row["position"]?["seq"]?.integerValue ?? 0) >= first
        }
        let kept = house.box.journal.dropFirst(Int(first) - 1).map { $0.raw }
        #expect(held.compactMap { $0["raw"]?.stringValue } == Array(kept), "seed \(seed)")
        try AppTrace.write(house.page.trace, "life-\(seed)")
    }

    @Test("it equals the journal after loss, reordering, new journals and reloads", arguments: 0..<10)
    func itEqualsTheJournal(part: UInt64) throws {
        let lives: UInt64 = AppTrace.isWanted ? 100 : 20
        for seed in (part * lives)..<(part * lives + lives) { try Self.life(seed: seed) }
    }
}
