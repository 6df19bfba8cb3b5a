import AlarmModel
import ApplianceCore
import SoftwareUpdate
import Testing

@Suite("A new version proves itself, or is left")
struct TrialBootTests {
    private static let record = SoftwareRecord(version: "1.0.0", hadSession: true)

    /// On the machine, running slot B.
    private func started(
        isTrial: Bool = true, record: SoftwareRecord? = record, logsIn: Bool = true, listens: Bool = true,
        _ change: (inout Start) -> Void = { _ in }
    ) -> Bench {
        var state = SlotState.initial
        state.activate(.b)
        if !isTrial { state.markGood(.b) }
        var bench = Bench()
        bench.listens = listens
        bench.start {
            $0.slots = SlotReport(running: .b, state: state, versions: [.a: "1.0.0", .b: "1.1.0"])
            $0.release = "1.1.0"
            $0.mayReboot = true
            $0.watchdog = .seconds(30)
            if let record { $0.snapshot = Snapshot(software: record) }
            change(&$0)
        }
        if logsIn { bench.logIn() }
        return bench
    }

    private func healthy(_ bench: Bench) -> Int { bench.history.count { $0 == .healthy } }
    private func reboots(_ bench: Bench) -> Int { bench.history.count { $0 == .reboot } }

    @Test("a version that reaches the panel is good after five minutes, once, and says so")
    func aVersionThatReachesThePanelIsGoodAfterFiveMinutes() {
        var bench = started()
        bench.advance(.seconds(290))
        #expect(healthy(bench) == 0)
        bench.advance(.seconds(15))
        #expect(healthy(bench) == 1)
        bench.advance(.hours(2))
        #expect(healthy(bench) == 1)
        #expect(reboots(bench) == 0)
        #expect(
            bench.events(.update).map(\.message) == [
                "The software was updated from 1.0.0 to 1.1.0.", "Version 1.1.0 has proved itself and stays.",
            ])
        #expect(bench.snapshot?.software == SoftwareRecord(version: "1.1.0", hadSession: true))
    }

    @Test("a new version that never reaches the panel, as the one before did, is left after twenty minutes")
    func aNewVersionThatNeverReachesThePanel() {
        var bench = started(logsIn: false, listens: false)
        bench.advance(.minutes(19))
        #expect(reboots(bench) == 0)
        bench.advance(.minutes(2))
        #expect(reboots(bench) == 1)
        #expect(healthy(bench) == 0)
        #expect(bench.events(.update).last?.type == .fault)
        #expect(bench.events(.update).last?.message.contains("neither the panel nor a phone") ?? false)
        bench.advance(.hours(2))
        #expect(reboots(bench) == 1)
    }

    @Test("where nothing was ever reached, storage and program alone decide")
    func whereNothingWasEverReached() {
        var bench = started(
            record: SoftwareRecord(version: "1.0.0", hadSession: false), logsIn: false, listens: false)
        bench.advance(.minutes(6))
        #expect(healthy(bench) == 1)
        #expect(reboots(bench) == 0)
    }

    @Test("a session that comes late is soon enough")
    func aSessionThatComesLateIsSoonEnough() {
        var bench = started(logsIn: false, listens: false)
        bench.advance(.minutes(10))
        #expect(healthy(bench) == 0)
        bench.listens = true
        for _ in 0..<120 where bench.connection == nil { bench.advance(.seconds(1)) }
        bench.logIn()
        bench.settle()
        #expect(healthy(bench) == 1)
    }

    @Test("storage that fails is not good, and the time begins anew when it works again")
    func storageThatFailsIsNotGood() {
        var bench = started()
        bench.advance(.minutes(4))
        bench.disk = .fails(Bench.broken)
        bench.panel("609003")
        bench.advance(.minutes(3))
        #expect(healthy(bench) == 0)
        bench.disk = .answers
        bench.advance(.minutes(4))
        #expect(healthy(bench) == 0)
        bench.advance(.minutes(3))
        #expect(healthy(bench) == 1)
    }

    @Test("storage that fails for ever is left, but not while there is an alarm")
    func storageThatFailsForEverIsLeft() {
        var bench = started()
        bench.disk = .fails(Bench.broken)
        bench.advance(.minutes(18))
        bench.panel("6541")
        bench.advance(.minutes(10))
        #expect(reboots(bench) == 0)
        bench.panel("6551")
        bench.advance(.minutes(4))
        #expect(reboots(bench) == 0)
        bench.advance(.minutes(3))
        #expect(reboots(bench) == 1)
    }

    @Test("a version that is good already needs no panel and is never left")
    func aVersionThatIsGoodAlreadyNeedsNoPanelAndIsNeverLeft() {
        var bench = started(
            isTrial: false, record: SoftwareRecord(version: "1.1.0", hadSession: true), logsIn: false, listens: false)
        bench.advance(.minutes(6))
        #expect(healthy(bench) == 1)
        #expect(bench.events(.update).isEmpty)
        var broken = started(isTrial: false)
        broken.disk = .fails(Bench.broken)
        broken.panel("609003")
        broken.advance(.hours(3))
        #expect(healthy(broken) == 0)
        #expect(reboots(broken) == 0)
    }

    @Test("that the version before came back is told")
    func thatTheVersionBeforeCameBackIsTold() {
        var state = SlotState.initial
        state.activate(.b)
        state.setTries(.b, 0)
        for record in [nil, SoftwareRecord(version: "1.1.0", hadSession: true)] {
            var bench = started(record: record) {
                $0.slots = SlotReport(running: .a, state: state, versions: [.a: "1.0.0", .b: "1.1.0"])
                $0.release = "1.0.0"
            }
            bench.advance(.minutes(6))
            #expect(bench.events(.update).map(\.type) == [.fault])
            #expect(bench.events(.update).first?.message.hasPrefix("Version 1.1.0 did not prove itself") ?? false)
            #expect(healthy(bench) == 1)
        }
    }

    @Test("a stand-in for the good version is told as such, once, is no trial, and so is the good one's return")
    func aStandInForTheGoodVersionIsToldAsSuch() throws {
        var state = SlotState.initial
        state.activate(.b)
        state.markGood(.b)
        state.setTries(.b, 0)
        func run(_ running: BootSlot, _ record: SoftwareRecord?) -> Bench {
            var bench = started(record: record, logsIn: false, listens: false) {
                $0.slots = SlotReport(running: running, state: state, versions: [.a: "1.0.0", .b: "1.1.0"])
                $0.release = running == .a ? "1.0.0" : "1.1.0"
            }
            bench.advance(.minutes(30))
            return bench
        }
        let first = run(.a, SoftwareRecord(version: "1.1.0", hadSession: true))
        #expect(first.events(.update).map(\.type) == [.fault])
        let words = first.events(.update).first?.message ?? ""
        #expect(words.hasPrefix("Version 1.1.0 was started 9 times") && words.contains("1.0.0, runs for now"))
        #expect(healthy(first) == 1 && reboots(first) == 0)
        // The daemon starts again, and the good one has its starts back.
        state.restoreGood()
        let record = try #require(first.snapshot?.software)
        #expect(record.standsInFor == "1.1.0")
        let second = run(.a, record)
        #expect(second.events(.update).isEmpty && reboots(second) == 0)
        let back = run(.b, try #require(second.snapshot?.software))
        #expect(back.events(.update).map(\.message) == ["Version 1.1.0 runs again."])
        #expect(back.snapshot?.software?.standsInFor == nil)
    }

    @Test("on a machine without slots nothing of this happens")
    func onAMachineWithoutSlotsNothingOfThisHappens() {
        var bench = Bench.up()
        bench.advance(.hours(1))
        #expect(healthy(bench) == 0)
        #expect(bench.events(.update).isEmpty)
        #expect(bench.snapshot?.software == nil)
    }

    @Test("an update is asked for where there are slots, stored first, and refused elsewhere")
    func anUpdateIsAskedForWhereThereAreSlots() {
        let request = ControlRequest.update(bundle: "/run/x.bundle", isOlderConfirmed: true)
        var bench = Bench()
        bench.start { $0.mayUpdate = true }
        bench.logIn()
        bench.ask(request)
        bench.settle()
        #expect(bench.history.contains(.update(bundle: "/run/x.bundle", isOlderConfirmed: true)))
        #expect(bench.events(.update).count == 1)
        var other = Bench.up()
        other.ask(request)
        #expect(!other.history.contains { if case .update = $0 { true } else { false } })
        guard case .error(let why)? = other.answers().last else {
            Issue.record("no refusal")
            return
        }
        #expect(why.contains("no slots"))
    }

    @Test("a console asks for an update only when it is unlocked")
    func aConsoleAsksForAnUpdateOnlyWhenItIsUnlocked() {
        var bench = Bench.withConsole()
        bench.ask(.update(bundle: "/run/x.bundle", isOlderConfirmed: false))
        bench.settle()
        #expect(!bench.history.contains { if case .update = $0 { true } else { false } })
        #expect(bench.answers().last == .error("the console is locked: give its PIN first"))
    }
}
