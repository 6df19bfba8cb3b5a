import AlarmModel
import Companion
import PhoneProtocol
import Testing

@Suite("The log after a bad way")
struct LogRebuildTests {
    /// Messages under way, both directions.
    struct Channel {
        struct Parcel {
            var due: Int64
            var isUp: Bool
            var bytes: [UInt8]
        }
        var generator: Jitter
        var parcels: [Parcel] = []
        var loss = 0

        mutating func post(_ bytes: [UInt8], up isUp: Bool, at uptime: Int64) {
            let copies = Int.random(in: 0..<100, using: &generator) < 20 ? 2 : 1
            for _ in 0..<copies where Int.random(in: 0..<100, using: &generator) >= loss {
                let delay = Int64.random(in: 10...3000, using: &generator)
                parcels.append(Parcel(due: uptime + delay, isUp: isUp, bytes: bytes))
            }
        }
    }

    /// Lets everything happen until `end`.
    static func run(_ house: inout PairedHouse, _ channel: inout Channel, until end: Int64) {
        while true {
            for envelope in house.sent() { channel.post(envelope, up: true, at: house.time.uptime) }
            let parcel = channel.parcels.indices.min { channel.parcels[$0].due < channel.parcels[$1].due }
            let due = parcel.map { channel.parcels[$0].due } ?? .max
            let deadline = house.phone.nextDeadline ?? .max
            let next = max(min(due, deadline), house.time.uptime)
            guard next <= end else { break }
            let seconds = next / 1000 - house.time.uptime / 1000
            house.time.uptime = next
            house.time.wall += seconds
            house.box.up += seconds
            house.box.now += seconds
            guard due <= deadline, let parcel else {
                house.phone.timerFired(at: house.time, into: &house.actions)
                continue
            }
            let arrived = channel.parcels.remove(at: parcel)
            guard arrived.isUp else {
                house.phoneHears(arrived.bytes)
                continue
            }
            for answer in house.box.heard(arrived.bytes) { channel.post(answer, up: false, at: next) }
        }
        house.time.uptime = max(house.time.uptime, end)
    }

    static func life(seed: UInt64) throws {
        var house = try PairedHouse(seed: seed)
        var channel = Channel(generator: Jitter(seed: seed &* 977), loss: Int(seed % 60))
        var dice = Jitter(seed: seed &* 31 &+ 5)
        var formerRows: [UInt32: [String]] = [:]
        for number in 0..<Int.random(in: 1...60, using: &dice) {
            let row = house.row(number, state: "a=a;r=0;al=1;t=0;z=\(number);x=")
            switch Int.random(in: 0..<40, using: &dice) {
            case 0:
                formerRows[house.box.log] = house.box.journal.map(\.raw)
                house.box.renewLog()
            case 1...4:
                var marked = row
                marked.mark = "b7-\(number)"
                channel.post(house.box.sendUnstored(marked), up: false, at: house.time.uptime)
            case 5: house.phone.becameReachable(at: house.time, into: &house.actions)
            case 6: house.box.oldestKept = max(house.box.oldestKept, house.box.newest - 30)
            case 7: channel.post(house.box.heartbeat(), up: false, at: house.time.uptime)
            default:
                for late in house.box.unstored { channel.post(house.box.store(late), up: false, at: house.time.uptime) }
                house.box.unstored = []
                channel.post(house.box.store(row), up: false, at: house.time.uptime)
            }
            run(&house, &channel, until: house.time.uptime + Int64.random(in: 0...4000, using: &dice))
        }
        for late in house.box.unstored { _ = house.box.store(late) }
        channel.loss = 0
        house.phone.becameReachable(at: house.time, into: &house.actions)
        run(&house, &channel, until: house.time.uptime + 900_000)
        let log = house.phone.memory.log
        #expect(log.log == house.box.log, "seed \(seed)")
        #expect(log.missing.isEmpty, "seed \(seed)")
        let first = house.box.oldestKept
        let held = log.events.filter { ($0.position?.seq ?? 0) >= first }.map(\.raw)
        let kept = house.box.journal.dropFirst(Int(first) - 1).map(\.raw)
        #expect(held == Array(kept), "seed \(seed)")
        // What stays without a number is only what the box has no row of any more.
        let marks = house.box.journal.dropFirst(Int(first) - 1).compactMap(\.mark)
        let isMerged = log.unnumbered.allSatisfy { row in !marks.contains { $0 == row.event.mark } }
        #expect(isMerged, "seed \(seed)")
        let numbers = log.events.compactMap(\.position?.seq)
        #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
        for former in log.archive {
            let rows = formerRows[former.log] ?? []
            for event in former.events {
                guard let seq = event.position?.seq, rows.indices.contains(Int(seq) - 1) else {
                    Issue.record("seed \(seed): a row that never was")
                    continue
                }
                #expect(rows[Int(seq) - 1] == event.raw, "seed \(seed)")
            }
        }
        #expect(house.phone.memory.view.position == LogPosition(log: house.box.log, seq: house.box.newest))
        #expect(house.phone.memory.view.state == HouseState(house.box.state), "seed \(seed)")
        #expect(!house.phone.memory.view.isTwoBoxes, "seed \(seed)")
        // Once all is there, nothing is asked any more.
        #expect(house.phone.nextDeadline == nil, "seed \(seed)")
    }

    @Test("it equals the journal after random loss, duplication, reordering and new journals", arguments: 0..<10)
    func itEqualsTheJournalAfterRandomLoss(hundred: UInt64) throws {
        for seed in (hundred * 100)..<(hundred * 100 + 100) { try Self.life(seed: seed) }
    }

    @Test("a new phone pages through the whole journal, newest first, twenty rows at a time")
    func aNewPhonePagesThroughTheWholeJournal() throws {
        var house = try PairedHouse()
        for number in 0..<75 { _ = house.box.store(house.row(number)) }
        house.box.oldestKept = 11
        house.phone.becameReachable(at: house.time, into: &house.actions)
        var channel = Channel(generator: Jitter(seed: 3))
        Self.run(&house, &channel, until: house.time.uptime + 120_000)
        #expect(house.phone.memory.log.events.compactMap(\.position?.seq) == Array(11...75))
        #expect(house.phone.memory.log.missing.isEmpty)
    }

    @Test("a box that answers nothing is asked less and less")
    func aBoxThatAnswersNothingIsAskedLessAndLess() throws {
        var house = try PairedHouse()
        house.phoneHears(house.box.store(house.row(1)))
        _ = house.box.store(house.row(2))
        house.phoneHears(house.box.store(house.row(3)))
        var asked = 0
        let end = house.time.uptime + 3_600_000
        while let deadline = house.phone.nextDeadline, deadline < end {
            house.time.uptime = max(deadline, house.time.uptime)
            house.phone.timerFired(at: house.time, into: &house.actions)
            asked += house.sent().count
        }
        #expect((10...40).contains(asked))
    }

    @Test("rows that the box throws away while they are asked for are given up")
    func rowsThatTheBoxThrowsAwayWhileTheyAreAskedForAreGivenUp() throws {
        var house = try PairedHouse()
        for number in 0..<400 { _ = house.box.store(house.row(number)) }
        house.box.tellsOldestInBatches = false
        house.phone.becameReachable(at: house.time, into: &house.actions)
        var channel = Channel(generator: Jitter(seed: 3))
        Self.run(&house, &channel, until: house.time.uptime + 25_000)
        let before = house.phone.memory.log.missingCount
        #expect((1...399).contains(before))
        house.box.oldestKept = 380
        Self.run(&house, &channel, until: house.time.uptime + 300_000)
        #expect(house.phone.memory.log.missing.isEmpty)
        #expect(house.phone.nextDeadline == nil)
    }

    @Test("an alarm gets its receipt each time it comes, a repeat on request gets none")
    func anAlarmGetsItsReceiptEachTimeItComes() throws {
        var house = try PairedHouse()
        house.welcome()
        let alarm = house.box.store(house.row(1))
        house.phoneHears(alarm)
        house.phoneHears(alarm)
        house.phoneHears(house.box.sendUnstored(house.row(2, mark: "b7-1")))
        house.talk()
        #expect(house.box.receipts == ["log=00000010;seq=1", "log=00000010;seq=1", "u=b7-1"])
        #expect(house.phone.memory.log.events.count == 1)
    }

    @Test("a notice that only looks like no alarm gets its receipt by its mark")
    func aNoticeThatOnlyLooksLikeNoAlarmGetsItsReceiptByItsMark() throws {
        var house = try PairedHouse()
        house.welcome()
        let content = JSON.object([
            "code": "750", "raw": "75010033", "type": "disarmed", "message": "disarmed",
            "timestamp": .string("\(house.box.now)"), "v": "2", "log": .string(house.box.logText), "part": "1",
            "u": "b7-2",
        ])
        let envelope = house.box.seal(.event, content)
        house.phoneHears(envelope)
        house.phoneHears(envelope)
        house.talk()
        #expect(house.box.receipts == ["u=b7-2", "u=b7-2"])
    }

    @Test("in a flood of alarms one ping confirms what is here, long before the box would repeat them")
    func inAFloodOfAlarmsOnePingConfirmsWhatIsHere() throws {
        var house = try PairedHouse()
        house.welcome()
        for number in 0..<400 {
            house.phoneHears(house.box.store(house.row(number)))
            if number % 20 == 19 {
                house.talk()
                house.pass(seconds: 1)
            }
        }
        house.talk()
        for _ in 0..<10 {
            house.pass(seconds: 1)
            house.talk()
        }
        #expect(house.box.confirmedUpTo == 400)
        #expect(house.box.receipts.count < 10)
        #expect(house.phone.nextDeadline == nil)
    }

    @Test("a few alarms are confirmed at once, the next ones together, and a lost ping is made up for")
    func aFewAlarmsAreConfirmedAtOnce() throws {
        var house = try PairedHouse()
        house.welcome()
        for number in 0..<3 {
            house.phoneHears(house.box.store(house.row(number)))
            house.talk()
        }
        #expect(house.box.receipts == (1...3).map { "log=00000010;seq=\($0)" })
        #expect(house.box.confirmedUpTo == 0)
        house.phoneHears(house.box.store(house.row(3)))
        // This ping is lost.
        #expect(house.sent().count == 1)
        for _ in 0..<15 {
            house.pass(seconds: 1)
            house.talk()
        }
        #expect(house.box.confirmedUpTo == 4 || house.box.receipts.last == "log=00000010;seq=4")
        #expect(house.phone.nextDeadline == nil)
    }

    @Test("what lies behind a gap is confirmed by itself: a ping would promise too much")
    func whatLiesBehindAGapIsConfirmedByItself() throws {
        var house = try PairedHouse()
        house.welcome()
        house.phoneHears(house.box.store(house.row(0)))
        house.talk()
        _ = house.box.store(house.row(1))
        house.phoneHears(house.box.store(house.row(2)))
        let requests = house.sent().compactMap { house.box.opened($0) }
        #expect(requests.map(\.arguments.description) == ["log=00000010;seq=3"])
        #expect(requests.map(\.verb) == ["got"])
    }

    @Test("no more than 25 requests leave in a minute")
    func noMoreThan25RequestsLeaveInAMinute() throws {
        var house = try PairedHouse()
        house.welcome()
        house.pass(seconds: 60)
        for number in 0..<100 {
            house.phoneHears(house.box.sendUnstored(house.row(number, mark: "b7-\(number + 1)")))
        }
        #expect(house.sent().count == 25)
        house.pass(seconds: 59)
        #expect(house.sent().isEmpty)
        house.pass(seconds: 1)
        #expect(house.sent().count == 25)
    }
}
