import AlarmModel
import ApplianceCore
import PanelLink
import Testing

@Suite struct CommandTests {
    private static let disarm = ControlRequest.command(.disarm(partition: 1), code: nil)

    private func armed() -> Bench {
        var bench = Bench.up()
        bench.panel("65210")
        bench.forget()
        return bench
    }

    @Test("the panel gets no byte before the accepted row is stored")
    func thePanelGetsNoByteBeforeTheAcceptedRowIsStored() {
        var bench = armed()
        bench.disk = .silent
        bench.ask(Self.disarm)
        #expect(bench.sent.isEmpty)
        #expect(bench.ordered.count == 1)
        #expect(bench.ordered[0].ledger.map(\.outcome) == [nil])
        #expect(bench.ordered[0].ledger.map(\.summary) == ["disarm partition 1"])
        bench.disk = .answers
        bench.panel("609003")
        bench.settle()
        #expect(bench.sent == ["0401" + Bench.master])
    }

    @Test("the outcome is told only after its batch is stored")
    func theOutcomeIsToldOnlyAfterItsBatchIsStored() {
        var bench = armed()
        bench.ask(Self.disarm)
        bench.settle()
        bench.disk = .silent
        bench.panel("6551")
        #expect(bench.outcomes().isEmpty)
        #expect(bench.ordered.contains { $0.ledger.contains { $0.outcome == .done } })
        bench.disk = .answers
        bench.panel("609003")
        #expect(bench.outcomes() == [.outcome(.done, stored: true)])
        #expect(bench.ledger.map(\.outcome) == [nil, .done])
        #expect(
            bench.events(.command).map(\.message).suffix(2) == [
                "disarm partition 1: asked for at the box", "disarm partition 1: done",
            ])
    }

    @Test("while the store fails the command goes out and its outcome is told at once, marked as not stored")
    func whileTheStoreFailsTheCommandGoesOutAndItsOutcomeIsTold() {
        var bench = armed()
        bench.disk = .fails(Bench.broken)
        bench.panel("609003")
        bench.forget()
        bench.ask(Self.disarm)
        bench.settle()
        #expect(bench.sent == ["0401" + Bench.master])
        bench.panel("6551")
        #expect(bench.outcomes() == [.outcome(.done, stored: false)])
        bench.disk = .answers
        bench.advance(.seconds(30))
        #expect(bench.ledger.map(\.outcome) == [nil, .done])
    }

    @Test("a disk that stalls under a command does not hold it for ever")
    func aDiskThatStallsUnderACommandDoesNotHoldItForEver() {
        var bench = armed()
        bench.disk = .silent
        bench.ask(Self.disarm)
        bench.advance(.seconds(2))
        bench.settle()
        #expect(bench.sent == ["0401" + Bench.master])
    }

    @Test("a client that leaves costs the record nothing")
    func aClientThatLeavesCostsTheRecordNothing() {
        var bench = armed()
        bench.ask(Self.disarm)
        bench.leave()
        bench.settle()
        bench.panel("6551")
        #expect(bench.ledger.map(\.outcome) == [nil, .done])
        #expect(bench.replies.isEmpty)
    }

    @Test("a second request on a busy client is turned down and the first goes on")
    func aSecondRequestOnABusyClientIsTurnedDownAndTheFirstGoesOn() {
        var bench = armed()
        bench.ask(Self.disarm)
        bench.ask(.status)
        bench.settle()
        #expect(bench.answers() == [.error("one request at a time: wait for the answer or open another connection")])
        bench.panel("6551")
        #expect(bench.outcomes() == [.outcome(.done, stored: true)])
    }

    @Test("commands of the last run without an end become events: not confirmed")
    func commandsOfTheLastRunWithoutAnEndBecomeEvents() {
        var bench = Bench()
        bench.start {
            $0.unfinished = [
                LedgerRow(
                    command: CommandID(41), summary: "disarm partition 1", origin: "local",
                    time: Bench.start.wall, outcome: nil)
            ]
        }
        #expect(bench.ledger.map(\.outcome) == [.notConfirmed])
        #expect(bench.ledger.map(\.command) == [CommandID(41)])
        #expect(bench.events(.command).map(\.command) == [CommandID(41)])
        #expect(bench.events(.command)[0].message.contains("not confirmed"))
    }

    @Test("command numbers go on above all that were given, whatever is left of the last run")
    func commandNumbersGoOnAboveAllThatWereGiven() {
        func first(_ change: (inout Start) -> Void) -> UInt64? {
            var bench = Bench()
            bench.start { change(&$0) }
            bench.forget()
            bench.ledger = []
            bench.ask(Self.disarm)
            return bench.ledger.first?.command.number
        }
        let row = LedgerRow(command: CommandID(41), summary: "", origin: "local", time: Bench.start.wall, outcome: nil)
        #expect(first { _ in } == 1)
        #expect(first { $0.snapshot = Snapshot(nextCommand: CommandID(9)) } == 9)
        #expect(first { $0.unfinished = [row] } == 42)
        #expect(first { $0.lastCommand = CommandID(99) } == 100)
        #expect(
            first {
                $0.snapshot = Snapshot(nextCommand: CommandID(9)); $0.lastCommand = CommandID(3)
            } == 9)
        let ceiling: UInt64 = 1 << 62
        #expect(first { $0.snapshot = Snapshot(nextCommand: CommandID(.max)) } == ceiling)
        #expect(first { $0.lastCommand = CommandID(.max) } == ceiling + 1)
    }

    @Test("what is asked before the journal is open is turned down, and nothing is lost by it")
    func whatIsAskedBeforeTheJournalIsOpenIsTurnedDown() {
        var bench = Bench()
        bench.ask(Self.disarm)
        guard case .error(let why)? = bench.answers().first else {
            Issue.record("an early request is answered")
            return
        }
        #expect(why.contains("try again"))
        bench.start()
        bench.logIn()
        bench.panel("65210")
        bench.ask(Self.disarm)
        bench.settle()
        bench.panel("6551")
        #expect(bench.outcomes() == [.outcome(.done, stored: true)])
    }

    @Test("a client that asks on and reads nothing is sent away, and the others are served")
    func aClientThatAsksOnAndReadsNothingIsSentAway() {
        var bench = Bench.up()
        bench.lazyClients = [Bench.client(1)]
        for _ in 0..<600 { bench.ask(.status) }
        #expect(bench.answers().count == 512)
        #expect(bench.history.contains(.close(Bench.client(1))))
        bench.ask(.status, as: 2)
        #expect(bench.answers(2).count == 1)
        for _ in 0..<600 { bench.feed(.badRequest(Bench.client(1), ControlRequestError("no"))) }
        #expect(bench.answers().count == 512)
    }
}
