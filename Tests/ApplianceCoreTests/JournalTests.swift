import AlarmModel
import PanelLink
import Testing

@testable import ApplianceCore

@Suite struct JournalTests {
    @Test("batches are ordered in the order of their numbers, each once")
    func batchesAreOrderedInTheOrderOfTheirNumbers() {
        var bench = Bench.up()
        bench.forget()
        for _ in 0..<20 { bench.panel("609003", "610003") }
        #expect(bench.orders == Array(bench.orders[0]..<bench.orders[0] + 20))
    }

    @Test("after a failure the trial is the oldest batch, and nothing overtakes it")
    func afterAFailureTheTrialIsTheOldestBatch() {
        var bench = Bench.up()
        bench.disk = .fails(Bench.broken)
        bench.forget()
        bench.panel("609003")
        let first = bench.orders[0]
        bench.panel("610003")
        bench.panel("609003")
        #expect(bench.orders == [first])
        bench.disk = .answers
        bench.advance(.seconds(1))
        #expect(bench.orders == [first] + Array(first..<first + 5))
        #expect(bench.codes.suffix(5) == ["609", "STORE_FAILED", "610", "609", "STORE_OK"])
    }

    @Test("a failing disk is tried after 1, 2, 4 … 30 s with one batch each, then everything follows")
    func aFailingDiskIsTriedAfter1() {
        var bench = Bench.up()
        bench.disk = .fails(Bench.broken)
        bench.forget()
        bench.panel("609003")
        let first = bench.orders[0]
        for delay in [1, 2, 4, 8, 16, 30, 30] {
            let count = bench.orders.count
            bench.advance(.seconds(delay) - .nanoseconds(1))
            #expect(bench.orders.count == count)
            bench.advance(.nanoseconds(1))
            #expect(bench.orders.count == count + 1)
        }
        #expect(Set(bench.orders) == [first])
        #expect(bench.logs.map(\.message).last == "storage failed")
        #expect(bench.events(.storeFailed).isEmpty)
        bench.disk = .answers
        bench.advance(.seconds(30))
        #expect(bench.codes.suffix(3) == ["609", "STORE_FAILED", "STORE_OK"])
        #expect(bench.logs.map(\.message).last?.hasPrefix("storage works again") == true)
        #expect(bench.core.journal.queue.waiting.isEmpty)
        bench.disk = .fails(Bench.broken)
        bench.panel("610003")
        let count = bench.orders.count
        bench.advance(.seconds(1))
        #expect(bench.orders.count == count + 1)
    }

    @Test("one refused row among several is found alone, logged, and told once; the others are stored in order")
    func oneRefusedRowAmongSeveralIsFoundAlone() {
        var bench = Bench.up()
        bench.disk = .silent
        bench.panel("609003")
        bench.panel("6011003")
        bench.panel("610003")
        bench.disk = .rejects("601")
        bench.forget()
        bench.feed(.timer(.retention))
        #expect(bench.codes.suffix(3) == ["609", "610", "EVENTS_DROPPED"])
        #expect(bench.logs.filter { $0.message == "an event could not be stored" }.count == 1)
        #expect(bench.core.journal.queue.waiting.isEmpty)
        #expect(bench.events(.storeFailed).isEmpty)
    }

    @Test("with a refused event nothing else of its step is lost: the command is in the ledger, and is carried out")
    func withARefusedEventNothingElseOfItsStepIsLost() {
        var bench = Bench.up()
        bench.disk = .rejects("COMMAND")
        bench.forget()
        bench.ask(.command(.arm(partition: 1, mode: .stay, force: false), code: nil), as: 70)
        bench.advance(.seconds(1))
        #expect(bench.codes.last == "EVENTS_DROPPED" && !bench.codes.contains("COMMAND"))
        #expect(bench.ledger.map(\.outcome) == [nil])
        #expect(bench.sent.contains { $0.hasPrefix("031") })
        #expect(bench.core.journal.queue.waiting.isEmpty)
    }

    @Test("the number of a new log outlives a refused event of its step; refused again, the batch is out of the queue")
    func theNumberOfANewLogOutlivesARefusedEventOfItsStep() {
        var queue = JournalQueue()
        let now = Bench.up().now
        queue.append(at: now) { batch in
            batch.events = [OutboxBench.event(.alarm)]
            batch.newLog = 7
        }
        let failure = StoreFailure(.rejected, "a row")
        for verdict in ["events", "all"] {
            let ordered = queue.due(at: now)
            #expect(ordered.map(\.newLog) == [7])
            switch queue.commitFailed(from: BatchID(1), upTo: BatchID(1), failure, at: now) {
            case .eventsSetAside(let batch): #expect(verdict == "events" && batch.events.count == 1)
            case .setAside(let batch): #expect(verdict == "all" && batch.events.isEmpty)
            case .retryLater: Issue.record("a batch that is refused alone is not tried as it was")
            }
        }
        #expect(queue.waiting.isEmpty)
    }

    /// The disk drops what waits behind a failure (`commitFailed`). Stored behind the outcome of its command, what was
    /// only accepted would take that outcome back.
    @Test("what is left of a refused batch is ordered anew before all that was ordered behind it", arguments: [1, 3])
    func whatIsLeftOfARefusedBatchIsOrderedAnewBeforeAllBehindIt(last: UInt64) {
        var queue = JournalQueue()
        let now = Bench.up().now
        let row = LedgerRow(command: CommandID(1), summary: "arm", origin: "local", time: now.wall, outcome: nil)
        for outcome in [nil, Outcome.done, nil] {
            queue.append(at: now) { batch in
                batch.events = [OutboxBench.event(.info)]
                batch.ledger = [row]
                batch.ledger[0].outcome = outcome
            }
        }
        #expect(queue.due(at: now).map(\.id.number) == [1, 2, 3])
        let failure = StoreFailure(.rejected, "a row")
        _ = queue.commitFailed(from: BatchID(1), upTo: BatchID(last), failure, at: now)
        if last > 1 {
            #expect(queue.due(at: now).map(\.id.number) == [1], "one by one, to find the row")
            _ = queue.commitFailed(from: BatchID(1), upTo: BatchID(1), failure, at: now)
            #expect(queue.due(at: now).map(\.id.number) == [1])
            _ = queue.committed(upTo: BatchID(1), at: now)
            #expect(queue.due(at: now).map(\.id.number) == [2, 3])
        } else {
            let again = queue.due(at: now)
            #expect(again.map(\.id.number) == [1, 2, 3])
            #expect(again.map(\.events.count) == [0, 1, 1])
        }
    }

    @Test("a flood of events does not outrun the retention: a step for each 2500, beside the one an hour")
    func aFloodOfEventsDoesNotOutrunTheRetention() {
        var bench = Bench.up()
        let before = bench.batches.compactMap(\.retention).count
        let first = bench.stored.count
        for _ in 0..<6000 {
            bench.panel("609003", "610003")
            bench.advance(.milliseconds(20))
        }
        let steps = bench.batches.compactMap(\.retention)
        #expect(bench.stored.count - first >= 10_000)
        #expect(steps.count - before == (bench.stored.count - first) / 2500)
        #expect(steps.allSatisfy { $0.limit == 5000 })
    }

    @Test("a retention step tells the time, where it is trusted: by it the store knows which messages have expired")
    func aRetentionStepTellsTheTime() {
        var bench = Bench.up()
        bench.feed(.timer(.retention))
        #expect(bench.batches.compactMap(\.retention).last?.now == bench.now.wall)
        bench.now.isWallTrusted = false
        bench.feed(.timer(.retention))
        let steps = bench.batches.compactMap(\.retention)
        #expect(steps.count == 2 && steps.last?.now == nil)
    }

    @Test("a refused row as the trial of a failing disk does not end the trials")
    func aRefusedRowAsTheTrialOfAFailingDiskDoesNotEndTheTrials() {
        var bench = Bench.up()
        bench.disk = .fails(Bench.broken)
        bench.panel("6011003")
        bench.panel("609003")
        bench.disk = .rejects("601")
        bench.advance(.seconds(1))
        #expect(bench.core.journal.queue.waiting.isEmpty)
        #expect(bench.codes.contains("609"))
        #expect(bench.codes.last == "STORE_OK")
    }

    @Test("a refused row after a stall does not hold up the rest")
    func aRefusedRowAfterAStallDoesNotHoldUpTheRest() {
        var bench = Bench.up()
        bench.disk = .silent
        bench.panel("6011003")
        bench.panel("609003")
        bench.advance(.seconds(3))
        bench.disk = .rejects("601")
        bench.answerDisk()
        bench.panel("610003")
        #expect(bench.core.journal.queue.waiting.isEmpty)
        #expect(bench.codes.contains("609"))
        #expect(bench.codes.count { $0 == "STORE_OK" } == 1)
    }

    @Test("a silent disk is noticed exactly 2 s after the order, and forgiven when it answers")
    func aSilentDiskIsNoticedExactly2SAfterTheOrder() throws {
        var bench = Bench.up()
        bench.disk = .silent
        bench.panel("609003")
        bench.advance(.seconds(2) - .nanoseconds(1))
        #expect(try bench.status()?.store.problem == nil)
        bench.advance(.nanoseconds(1))
        #expect(try bench.status()?.store.problem != nil)
        bench.panel("610003")
        bench.advance(.seconds(60))
        #expect(bench.ordered.count == 1)
        bench.disk = .answers
        bench.answerDisk()
        bench.advance(.zero)
        bench.feed(.timer(.journal))
        #expect(bench.codes.suffix(4) == ["609", "STORE_FAILED", "610", "STORE_OK"])
    }

    @Test("a long queue is no stall while the disk answers within 2 s")
    func aLongQueueIsNoStallWhileTheDiskAnswersWithin2S() throws {
        var bench = Bench.up()
        bench.disk = .silent
        for _ in 0..<5 { bench.panel("609003", "610003") }
        for _ in 0..<5 {
            bench.advance(.milliseconds(1_500))
            let batch = bench.ordered.removeFirst()
            bench.feed(.committed(upTo: batch.id, last: bench.lastSequence))
        }
        #expect(try bench.status()?.store.problem == nil)
        #expect(bench.core.journal.queue.waiting.isEmpty)
    }

    @Test("memory holds 10 000 events while the store fails: info goes first, alarms stay, the loss is told")
    func memoryHolds10000EventsWhileTheStoreFails() throws {
        var bench = Bench.up()
        bench.disk = .fails(Bench.broken)
        for _ in 0..<50 { bench.panel("6011003") }
        let line = Frame.bytes(code: "609", data: "003") + Frame.bytes(code: "610", data: "003")
        let many = Array(repeating: line, count: 100).flatMap { $0 }
        let connection = try #require(bench.connection)
        for _ in 0..<60 { bench.feed(.received(connection, many)) }
        let store = try #require(try bench.status()?.store)
        #expect(store.waitingEvents == 10_000)
        #expect(store.droppedEvents > 1_900)
        #expect(bench.core.journal.queue.waiting.count { $0.batch.snapshot != nil } <= 2)
        bench.disk = .answers
        bench.advance(.seconds(30))
        #expect(bench.stored.filter { $0.event.code == "601" }.count == 50)
        #expect(
            bench.events(.eventsDropped).map(\.message) == [
                "\(store.droppedEvents) events were lost, the least important first, because the store failed and memory was full."
            ])
        #expect(bench.core.journal.queue.waiting.isEmpty)
    }

    @Test("of the states that wait while the store fails only the newest is kept, and it is stored in the end")
    func ofTheStatesThatWaitWhileTheStoreFailsOnlyTheNewestIsKept() {
        var bench = Bench.up()
        bench.disk = .fails(Bench.broken)
        for _ in 0..<100 {
            bench.panel("609003")
            bench.panel("610003")
        }
        bench.panel("609003")
        #expect(bench.core.journal.queue.waiting.count == 202)
        #expect(bench.core.journal.queue.waiting.count { $0.batch.snapshot != nil } <= 2)
        bench.disk = .answers
        bench.advance(.seconds(30))
        #expect(bench.snapshot?.panel.zone(3) == bench.core.panel.zone(3))
    }

    @Test("the latency shown is that of the newest 1024 batches")
    func theLatencyShownIsThatOfTheNewest1024Batches() throws {
        var bench = Bench.up()
        bench.disk = .silent
        bench.panel("609003")
        bench.advance(.milliseconds(40))
        bench.disk = .answers
        bench.panel("610003")
        #expect(try bench.status()?.store.latency?.max == .milliseconds(40))
        for _ in 0..<600 {
            bench.panel("609003")
            bench.panel("610003")
        }
        let latency = try #require(try bench.status()?.store.latency)
        #expect(latency.count == 1024)
        #expect(latency.max == .zero)
    }

    @Test("the panel waits at 64 batches and goes on at 16")
    func thePanelWaitsAt64BatchesAndGoesOnAt16() throws {
        var bench = Bench.up()
        bench.disk = .silent
        bench.forget()
        for index in 0..<64 {
            #expect(bench.pausings.isEmpty)
            bench.panel(index % 2 == 0 ? "609003" : "610003")
        }
        let connection = try #require(bench.connection)
        #expect(bench.pausings == [.pause(connection)])
        let first = bench.ordered[0].id.number
        bench.feed(.committed(upTo: BatchID(first + 46), last: .zero))
        #expect(bench.pausings == [.pause(connection)])
        bench.feed(.committed(upTo: BatchID(first + 47), last: .zero))
        #expect(bench.pausings == [.pause(connection), .resume(connection)])
    }

    @Test("the services wait at 32 batches, long before the panel does, and go on at 16 or when the store fails")
    func theServicesWaitAt32BatchesLongBeforeThePanelDoes() throws {
        for fails in [false, true] {
            var (bench, _) = try Bench.paired()
            let panel = try #require(bench.connection)
            bench.disk = .silent
            bench.forget()
            for index in 0..<32 {
                #expect(bench.pausings.isEmpty)
                bench.panel(index % 2 == 0 ? "609003" : "610003")
            }
            guard case .pause(let service)? = bench.pausings.first else {
                Issue.record("\(bench.pausings)")
                return
            }
            #expect(bench.pausings == [.pause(service)])
            #expect(service != panel)
            if fails {
                bench.advance(.seconds(2))
            } else {
                let first = bench.ordered[0].id.number
                bench.feed(.committed(upTo: BatchID(first + 14), last: .zero))
                #expect(bench.pausings == [.pause(service)])
                bench.feed(.committed(upTo: BatchID(first + 15), last: .zero))
            }
            #expect(bench.pausings == [.pause(service), .resume(service)])
        }
    }

    @Test("the panel waits at 512 events, however few batches they are, and goes on at 128")
    func thePanelWaitsAt512Events() throws {
        var bench = Bench.up()
        bench.disk = .silent
        bench.forget()
        let connection = try #require(bench.connection)
        let lines = Frame.bytes(code: "609", data: "003") + Frame.bytes(code: "610", data: "003")
        for _ in 0..<4 { bench.feed(.received(connection, (0..<64).flatMap { _ in lines })) }
        #expect(bench.pausings == [.pause(connection)])
        let last = try #require(bench.ordered.last).id
        bench.feed(.committed(upTo: last, last: .zero))
        #expect(bench.pausings == [.pause(connection), .resume(connection)])
    }

    @Test("a store that fails does not hold the panel up")
    func aStoreThatFailsDoesNotHoldThePanelUp() throws {
        var bench = Bench.up()
        bench.disk = .silent
        bench.forget()
        for index in 0..<100 { bench.panel(index % 2 == 0 ? "609003" : "610003") }
        let connection = try #require(bench.connection)
        #expect(bench.pausings == [.pause(connection)])
        bench.advance(.seconds(2))
        #expect(bench.pausings == [.pause(connection), .resume(connection)])
        for index in 0..<100 { bench.panel(index % 2 == 0 ? "609003" : "610003") }
        #expect(bench.pausings.count == 2)
    }
}
