import AlarmModel
import ApplianceCore
import PanelLink
import Testing

@Suite struct LifeTests {
    @Test("READY is told at the start, without waiting for the panel or the disk")
    func readyIsToldAtTheStart() {
        var bench = Bench()
        bench.listens = false
        bench.disk = .silent
        bench.start()
        #expect(bench.notes.first == .ready)
    }

    @Test("the first start ever makes no noise: one line for the start, one for the panel")
    func theFirstStartEverMakesNoNoise() {
        let bench = Bench.up()
        // 615 is the dump of zone timers that the module pushes by itself.
        #expect(bench.codes.filter { $0 != "615" } == ["START", "PANEL_ONLINE"])
    }

    @Test("a module that is slow to accept is no event; one that is not reached for 60 s is")
    func aModuleThatIsSlowToAcceptIsNoEvent() {
        var bench = Bench()
        bench.listens = false
        bench.start()
        bench.advance(.milliseconds(59_999))
        #expect(bench.codes == ["START"])
        bench.advance(.milliseconds(1))
        #expect(bench.codes == ["START", "PANEL_OFFLINE"])
    }

    @Test("what the start found becomes events")
    func whatTheStartFoundBecomesEvents() {
        var bench = Bench()
        bench.start {
            $0.findings = [
                .storeDamaged(keptAs: "journal.damaged-1", why: "bad page"), .safeMode(crashes: 3, setAside: 2),
                .searchUnfinished, .crashed, .snapshotUnreadable(why: "cut off"), .restoredFromBackup, .checkUnfinished,
                .storeUnavailable(why: "no directory"),
            ]
        }
        #expect(
            bench.codes == [
                "START", "STORE_DAMAGED", "SAFE_MODE", "SAFE_MODE", "START", "STORE_DAMAGED", "STORE_RESTORED", "START",
                "STORE_FAILED",
            ])
        #expect(bench.stored[1].event.message.contains("journal.damaged-1"))
        #expect(bench.stored[2].event.message.contains("3 crashes"))
    }

    @Test("phones that a backup brought back are named in one notice, which says what to do at the box; once")
    func phonesThatABackupBroughtBackAreNamed() throws {
        let (former, _) = try Bench.paired()
        let bench = former.restarted {
            $0.phoneBook = $0.phoneBook?.restored(over: nil)
            $0.findings = [.restoredFromBackup]
        }
        let told = bench.events(.phones).filter { $0.type == .fault }
        #expect(told.count == 1)
        let words = "A backup has brought these phones back: Anna (Pixel). They hear of alarms, and may not act before "
        #expect(told.first?.message.hasPrefix(words) ?? false, "\(told)")
        #expect(told.first?.message.contains("At key F of the box's console") ?? false)
        let next = bench.restarted()
        #expect(next.events(.phones).filter { $0.type == .fault } == told)
    }

    @Test("what is found after the start had waited for it becomes an event as well")
    func whatIsFoundAfterTheStartHadWaitedForItBecomesAnEventAsWell() {
        var bench = Bench.up()
        bench.forget()
        bench.feed(.found(.storeDamaged(keptAs: "journal.damaged-1", why: "bad page")))
        #expect(bench.stored.last?.event.code == "STORE_DAMAGED")
        #expect(bench.stored.last?.event.type == .fault)
    }

    @Test("told to stop: the panel session is closed, STOP is stored, then the run ends with 0")
    func toldToStopThePanelSessionIsClosedSTOPIsStoredThenTheRun() throws {
        var bench = Bench.up()
        let connection = try #require(bench.connection)
        bench.disk = .silent
        bench.forget()
        bench.feed(.signal(.terminate))
        #expect(bench.notes.first == .stopping)
        #expect(bench.history.contains(.close(connection)))
        #expect(!bench.isFinished)
        bench.disk = .answers
        bench.ask(.status)
        #expect(bench.codes.last == "STOP")
        #expect(bench.isFinished)
        bench.feed(.signal(.terminate))
        #expect(bench.history.filter { $0 == .finish(status: 0) }.count == 1)
    }

    @Test("a disk that does not answer holds the end up for exactly 3 s", arguments: [true, false])
    func aDiskThatDoesNotAnswerHoldsTheEndUpForExactly3S(_ fails: Bool) {
        var bench = Bench.up()
        bench.disk = fails ? .fails(Bench.broken) : .silent
        bench.feed(.signal(.terminate))
        bench.advance(.seconds(3) - .nanoseconds(1))
        #expect(!bench.isFinished)
        bench.advance(.nanoseconds(1))
        #expect(bench.isFinished)
    }

    @Test("a command under way when the stop comes ends with an outcome that is stored and told")
    func aCommandUnderWayWhenTheStopComesEndsWithAnOutcome() {
        var bench = Bench.up()
        bench.disk = .silent
        bench.ask(.command(.disarm(partition: 1), code: nil))
        bench.feed(.signal(.terminate))
        bench.disk = .answers
        bench.ask(.status, as: 2)
        #expect(bench.outcomes() == [.outcome(.refused(.stopping), stored: true)])
        #expect(bench.ledger.map(\.outcome) == [nil, .refused(.stopping)])
        #expect(bench.isFinished)
        #expect(bench.history.last == .finish(status: 0) || bench.history.contains(.finish(status: 0)))
    }

    @Test("a command asked for while stopping is refused")
    func aCommandAskedForWhileStoppingIsRefused() {
        var bench = Bench.up()
        bench.disk = .silent
        bench.feed(.signal(.terminate))
        bench.forget()
        bench.ask(.command(.disarm(partition: 1), code: nil))
        bench.disk = .answers
        bench.ask(.status, as: 2)
        #expect(bench.outcomes() == [.outcome(.refused(.stopping), stored: true)])
        #expect(bench.sent.isEmpty)
        #expect(bench.isFinished)
    }

    @Test("told to stop before the journal is open: the run ends at once")
    func toldToStopBeforeTheJournalIsOpen() {
        var bench = Bench()
        bench.feed(.signal(.terminate))
        #expect(bench.history == [.finish(status: 0)])
    }

    @Test("a configuration read before the journal is open is taken when it is")
    func aConfigurationReadBeforeTheJournalIsOpenIsTakenWhenItIs() throws {
        var new = Bench.configuration()
        new.siteName = "Barn"
        var bench = Bench()
        bench.feed(.reload(.configuration(new)))
        #expect(bench.history.isEmpty)
        bench.start()
        #expect(try bench.status()?.siteName == "Barn")
        #expect(bench.codes == ["START", "CONFIG"])
    }

    @Test("a changed configuration is an event that names what changed and no secret")
    func aChangedConfigurationIsAnEventThatNamesWhatChanged() throws {
        var bench = Bench.up()
        var new = Bench.configuration()
        new.siteName = "Barn"
        new.panel.masterCode = Secret("4711")
        bench.forget()
        bench.feed(.reload(.configuration(new)))
        let message = try #require(bench.events(.configurationChanged).first).message
        #expect(message == "Configuration changed: site.name: Mill → Barn; panel.code_master changed.")
        #expect(bench.notes == [.reloading, .ready])
        #expect(bench.connection != nil)
        #expect(try bench.places(of: "4711") { _ in true }.isEmpty)
        bench.panel("65210")
        bench.ask(.command(.disarm(partition: 1), code: nil))
        bench.settle()
        #expect(bench.sent == ["04014711"])
    }

    @Test("a configuration with errors changes nothing; of thousands of errors twenty are logged and the rest counted")
    func aConfigurationWithErrorsChangesNothing() throws {
        var bench = Bench.up()
        let before = bench.core.panel
        bench.forget()
        bench.feed(.reload(.refused((1...3000).map { "house.yaml:\($0): wrong" })))
        #expect(bench.logs.count == 21)
        #expect(bench.logs.last?.message == "and 2980 more; 'howalarming check' shows all of them")
        #expect(bench.events(.configurationChanged).count == 1)
        #expect(bench.core.panel == before)
        #expect(bench.connection != nil)
        bench.forget()
        bench.feed(.reload(.refused(["one"])))
        #expect(bench.logs.count == 1)
    }

    @Test("a module at another address is tried at once, whatever the session was doing")
    func aModuleAtAnotherAddressIsTriedAtOnce() throws {
        var new = Bench.configuration()
        new.panelHost = "192.0.2.99"
        var up = Bench.up()
        var waiting = Bench()
        waiting.listens = false
        waiting.start()
        waiting.advance(.seconds(5))
        waiting.listens = true
        var greeted = Bench()
        greeted.start()
        greeted.panel("5053")
        for bench in [up, waiting, greeted] {
            var bench = bench
            let old = bench.connection
            bench.forget()
            bench.feed(.reload(.configuration(new)))
            #expect(old.map { bench.history.contains(.close($0)) } ?? true)
            bench.logIn()
            #expect(try bench.status()?.panelPhase == .up)
            #expect(try bench.status()?.panelHost == "192.0.2.99:4025")
        }
        up.feed(.reload(.configuration(new)))
        #expect(up.codes.suffix(2) == ["CONFIG", "PANEL_OFFLINE"])
    }

    @Test("a name that is being dialed is given up when the module moves")
    func aNameThatIsBeingDialedIsGivenUpWhenTheModuleMoves() {
        var old = Bench.configuration()
        old.panelHost = "module.example"
        var bench = Bench(old)
        bench.start(old)
        bench.feed(.reload(.configuration(Bench.configuration())))
        bench.logIn()
        #expect(bench.codes.last == "PANEL_ONLINE")
        bench.feed(.resolved(ResolveID(1), .addresses([])))
        #expect(bench.connection != nil)
    }

    @Test("maintenance marks what lies between its two changes, and outlives a restart")
    func maintenanceMarksWhatLiesBetweenItsTwoChanges() throws {
        var bench = Bench.up()
        bench.ask(.maintenance(on: true))
        bench.panel("609003")
        #expect(bench.answers() == [.maintenance(true)])
        #expect(bench.snapshot?.isMaintenance == true)
        var next = Bench()
        let snapshot = bench.snapshot
        next.start { $0.snapshot = snapshot }
        next.ask(.maintenance(on: nil))
        #expect(next.answers() == [.maintenance(true)])
        #expect(next.stored[0].event.flags.contains(.maintenance))
        bench.ask(.maintenance(on: false))
        bench.panel("610003")
        let marked = bench.stored.map(\.event).filter { $0.flags.contains(.maintenance) }.map(\.code)
        #expect(marked == ["609"])
        #expect(bench.events(.maintenance).count == 2)
        bench.ask(.maintenance(on: false))
        #expect(bench.events(.maintenance).count == 2)
    }

    @Test("maintenance is told only when it is stored")
    func maintenanceIsToldOnlyWhenItIsStored() {
        var bench = Bench.up()
        bench.disk = .silent
        bench.ask(.maintenance(on: true))
        #expect(bench.answers().isEmpty)
        bench.disk = .answers
        bench.panel("609003")
        #expect(bench.answers() == [.maintenance(true)])
    }

    @Test("a disk that is silent for five minutes costs one restart, and none where it was done already")
    func aDiskThatIsSilentForFiveMinutesCostsOneRestart() {
        for allowed in [true, false] {
            var bench = Bench()
            bench.start { $0.mayRestart = allowed }
            bench.logIn()
            bench.advance(.seconds(60))
            bench.disk = .silent
            bench.panel("609003")
            bench.advance(.seconds(299))
            #expect(!bench.history.contains(.finish(status: 75)))
            bench.advance(.seconds(2))
            #expect(bench.history.contains(.finish(status: 75)) == allowed)
        }
    }

    @Test("a disk that fails first and falls silent then costs its one restart, too")
    func aDiskThatFailsFirstAndFallsSilentThenCostsItsOneRestart() {
        var bench = Bench()
        bench.start { $0.mayRestart = true }
        bench.logIn()
        bench.advance(.seconds(60))
        bench.disk = .fails(Bench.broken)
        bench.panel("609003")
        bench.disk = .silent
        bench.advance(.seconds(2))
        #expect(bench.events(.storeFailed).isEmpty)
        bench.advance(.seconds(290))
        #expect(!bench.history.contains(.finish(status: 75)))
        bench.advance(.seconds(15))
        #expect(bench.history.contains(.finish(status: 75)))
    }

    @Test("no restart for the disk's sake during an alarm, nor within five minutes of one")
    func noRestartForTheDisksSakeDuringAnAlarm() {
        var bench = Bench()
        bench.start { $0.mayRestart = true }
        bench.logIn()
        bench.panel("65210", "6541")
        bench.disk = .silent
        bench.panel("609003")
        bench.advance(.minutes(8))
        #expect(!bench.history.contains(.finish(status: 75)))
        bench.panel("6551", "6501")
        bench.advance(.seconds(290))
        #expect(!bench.history.contains(.finish(status: 75)))
        bench.advance(.seconds(20))
        #expect(bench.history.contains(.finish(status: 75)))
    }
}

@Suite("A restart of the machine")
struct RebootTests {
    @Test("it is asked for once that is written down, and the client is told")
    func itIsAskedForOnceThatIsWrittenDown() {
        var bench = Bench()
        bench.start { $0.mayReboot = true }
        bench.logIn()
        bench.disk = .silent
        bench.ask(.reboot)
        #expect(!bench.history.contains(.reboot))
        bench.disk = .answers
        bench.panel("609003")
        #expect(bench.history.count { $0 == .reboot } == 1)
        #expect(bench.answers() == [.changed("the machine restarts now")])
        #expect(bench.events(.reboot).count == 1)
    }

    @Test("where nobody would restart the machine it is refused")
    func whereNobodyWouldRestartTheMachineItIsRefused() {
        var bench = Bench.up()
        bench.ask(.reboot)
        guard case .error? = bench.answers().first else {
            Issue.record("not refused")
            return
        }
        #expect(!bench.history.contains(.reboot))
    }
}
