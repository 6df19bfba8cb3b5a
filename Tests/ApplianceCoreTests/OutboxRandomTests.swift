import AlarmModel
import ApplianceCore
import Testing

/// Loss, retries, draining, held devices, store failures and restarts, by seed.
@Suite("Outbox: a thousand bad days") struct OutboxRandomTests {
    private struct Day {
        var bench: OutboxBench
        var random: Jitter
        var runs = 1
        /// Who got which event: message → event text.
        var got: Set<MessageID> = []
        /// What the service had and lost on the way.
        var taken: Set<MessageID> = []
        var texts: [MessageID: String] = [:]
        var expected: [MessageID] = []
        var underWay: [OutboxEntry] = []
        var events = 0
        var isStoreBad = false
        let isScarce: Bool

        init(seed: UInt64) {
            var policy = OutboxPolicy()
            // On odd days memory is scarce, on even days many alarms may wait for their receipts.
            isScarce = seed % 2 == 1
            policy.memoryLimit = isScarce ? 12 : 60
            policy.readAhead = 8
            policy.awaitedLimit = isScarce ? 6 : 1000
            bench = OutboxBench(seed: seed, policy: policy)
            random = Jitter(seed: seed)
            bench.open(OutboxBench.house(phones: 2, legacy: 1))
        }

        mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

        mutating func post() {
            let types: [EventType] = [.alarm, .fault, .armed, .info, .alarm]
            var event = OutboxBench.event(types[Int(random.next() % 5)])
            events += 1
            event.message = "event \(events)"
            for row in bench.post([event]) {
                #expect(texts[row.message] == nil, "an id was used twice")
                texts[row.message] = event.message
                if event.priority == .alarm { expected.append(row.message) }
            }
        }

        /// What leaves together leaves by class, then number, repeats of alarms behind fresh ones.
        mutating func send() {
            var last: (Int, Int, Int64)?
            while let entry = bench.next() {
                #expect(texts[entry.message] == entry.event.message, "an id names two events")
                let key = (entry.priority.rawValue, entry.isRepeat ? 1 : 0, entry.seq?.number ?? .max)
                if let last { #expect(last <= key, "out of order") }
                last = key
                if chance(5) {
                    bench.outbox.notSent(entry.message)
                    break
                }
                bench.outbox.sent(entry.message)
                underWay.append(entry)
            }
        }

        mutating func answer() {
            var rest: [OutboxEntry] = []
            for entry in underWay {
                let id = entry.message
                switch random.next() % 12 {
                case 0: bench.outbox.retry(id, why: "SERVICE_UNAVAILABLE", at: bench.now)
                case 1: bench.outbox.unknownRefusal(id, why: "WHAT", attempts: 5, at: bench.now)
                case 2: bench.outbox.again(id)
                case 3: bench.outbox.tooFast(id, why: "MUCH", for: .seconds(60), at: bench.now)
                case 4, 5: rest.append(entry)
                case 6:
                    // Taken and lost on the way, unless it is an app that confirms nothing.
                    if entry.wantsReceipt { taken.insert(id) } else { got.insert(id) }
                    bench.outbox.accepted(id, at: bench.now)
                default:
                    got.insert(id)
                    bench.outbox.accepted(id, at: bench.now)
                    if entry.wantsReceipt, chance(80) { bench.outbox.received(id, at: bench.now) }
                }
            }
            underWay = rest
        }

        mutating func trouble() {
            if chance(5) {
                bench.outbox.returned(underWay.map(\.message))
                underWay = []
            }
            if chance(3), !isStoreBad {
                runs += 1
                // Only what was durable is known afterwards.
                let lost = bench.pending.flatMap(\.outbox).map(\.message)
                expected.removeAll { lost.contains($0) }
                underWay = []
                bench.restart(boot: "0000000\(runs % 10)\(runs / 10)")
            }
            if chance(5) { isStoreBad.toggle() }
            if isStoreBad { bench.outbox.storeFailed() } else { bench.outbox.storeRecovered() }
        }

        mutating func step() {
            if chance(40) { post() }
            if !isStoreBad, chance(70) { bench.commit() }
            send()
            answer()
            trouble()
            bench.now = Moment(
                boot: bench.now.boot + .milliseconds(700), wall: bench.now.wall + .milliseconds(700),
                isWallTrusted: true)
            bench.outbox.timerFired(at: bench.now)
            if !isStoreBad { bench.flush() }
            bench.ask()
            if chance(60) { bench.answer() }
        }

        /// Everything works again: within an hour nothing may be left.
        mutating func recover() {
            isStoreBad = false
            bench.outbox.storeRecovered()
            bench.outbox.returned(underWay.map(\.message))
            underWay = []
            bench.commit()
            for _ in 0..<400 {
                bench.answer()
                bench.pass(9)
                for entry in bench.sendAll() {
                    got.insert(entry.message)
                    bench.outbox.accepted(entry.message, at: bench.now)
                    bench.outbox.received(entry.message, at: bench.now)
                }
            }
        }
    }

    @Test("every alarm reaches every address at least once, no id names two events, the order is kept")
    func everyAlarmReachesEveryAddressAtLeastOnce() {
        for seed in 1...1000 {
            var day = Day(seed: UInt64(seed))
            for _ in 0..<60 { day.step() }
            day.recover()
            let missing = day.expected.filter { !day.got.contains($0) }
            // Some are left at "accepted" because too many alarms waited for a receipt: the service had them.
            let givenUp = missing.filter {
                !day.isScarce || !day.taken.contains($0) || day.bench.state($0) != .accepted
            }
            #expect(givenUp.isEmpty, "seed \(seed)")
            let open = day.bench.rows.filter { !$0.message.state.isFinal }
            #expect(open.isEmpty, "seed \(seed): \(open.map(\.message.message))")
            if !givenUp.isEmpty || !open.isEmpty { return }
        }
    }

    @Test("the same inputs give the same outbox")
    func theSameInputsGiveTheSameOutbox() throws {
        var first = Day(seed: 7)
        var second = Day(seed: 7)
        for _ in 0..<60 {
            first.step()
            second.step()
        }
        #expect(first.bench.outbox == second.bench.outbox)
    }
}
