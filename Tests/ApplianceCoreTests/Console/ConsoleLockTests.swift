import AlarmModel
import ApplianceCore
import Testing

@Suite("console lock") struct ConsoleLockTests {
    private static let wrong = Secret("000000")

    @Test("the first PIN is set from the console, opens it, and is told to phones")
    func theFirstPINIsSetFromTheConsole() {
        var bench = Bench.up()
        #expect(bench.console(.begin)?.isPINSet == false)
        #expect(bench.unlock() == .noPIN)
        let report = bench.console(.setPIN(old: nil, new: Bench.pin))
        #expect(report?.answer == .pinSet)
        #expect(report?.isPINSet == true)
        #expect(report?.isUnlocked == true)
        #expect(bench.snapshot?.console?.pin == Bench.kept(Bench.pin))
        #expect(bench.events(.consolePIN).map(\.message) == ["The PIN of the serial console was set."])
    }

    @Test("a PIN is six to sixteen digits", arguments: ["12345", "12345a", "12345678901234567", "१२३४५६"])
    func aPINIsSixToSixteenDigits(text: String) {
        var bench = Bench.up()
        bench.ask(.console(.setPIN(old: nil, new: Secret(text))))
        guard case .error(let why)? = bench.answers().last else {
            Issue.record("it is refused")
            return
        }
        #expect(why.contains("6 to 16 digits") && !why.contains(text))
        #expect(bench.snapshot?.console == nil)
    }

    @Test("a PIN that is set is changed with the old one only")
    func aPINThatIsSetIsChangedWithTheOldOneOnly() {
        var bench = Bench.withConsole()
        #expect(bench.console(.setPIN(old: nil, new: Bench.otherPIN))?.answer == .oldPINNeeded)
        #expect(bench.console(.setPIN(old: Self.wrong, new: Bench.otherPIN))?.answer == .wrongPIN)
        #expect(bench.snapshot?.console?.pin == Bench.kept(Bench.pin))
        #expect(bench.console(.setPIN(old: Bench.pin, new: Bench.otherPIN))?.answer == .pinSet)
        #expect(bench.unlock(Bench.pin) == .wrongPIN)
        #expect(bench.unlock(Bench.otherPIN) == .unlocked)
        #expect(bench.events(.consolePIN).map(\.message).last == "The PIN of the serial console was changed.")
    }

    @Test("five wrong tries cost a wait of 1, then 5, 15 and 60 minutes; a right one ends that")
    func fiveWrongTriesCostAWaitOf1() {
        var bench = Bench.withConsole()
        for left in [4, 3, 2, 1] {
            let report = bench.console(.unlock(pin: Self.wrong))
            #expect(report?.answer == .wrongPIN)
            #expect(report?.triesLeft == left)
            #expect(report?.wait == nil)
        }
        for minutes in [1, 5, 15, 60, 60] {
            #expect(bench.console(.unlock(pin: Self.wrong))?.wait == .minutes(minutes))
            bench.advance(.minutes(minutes) - .seconds(1))
            // Not even the right one is looked at.
            #expect(bench.unlock() == .mustWait)
            bench.advance(.seconds(1))
        }
        #expect(bench.unlock() == .unlocked)
        #expect(bench.snapshot?.console == ConsoleRecord(pin: Bench.kept(Bench.pin)))
        #expect(bench.console(.unlock(pin: Self.wrong))?.triesLeft == 4)
        let locked = bench.events(.consoleLocked)
        #expect(locked.count == 5)
        #expect(locked.allSatisfy { $0.type == .fault })
        #expect(locked[0].message == "5 wrong PINs in a row at the serial console: it takes none for 1 minute.")
    }

    @Test("a try is stored before it is checked, and nothing is answered before")
    func aTryIsStoredBeforeItIsChecked() {
        var bench = Bench.withConsole()
        bench.disk = .silent
        bench.ask(.console(.unlock(pin: Bench.pin)))
        #expect(bench.answers().isEmpty)
        #expect(!bench.history.contains { if case .derive = $0 { true } else { false } })
        #expect(bench.ordered.last?.snapshot?.console?.wrongTries == 1)
        bench.disk = .answers
        bench.panel("609003")
        #expect(bench.console(.state)?.isUnlocked == true)
        #expect(bench.snapshot?.console?.wrongTries == 0)
    }

    @Test("after a power cut the wait begins again, and the tries go on where they were")
    func afterAPowerCutTheWaitBeginsAgain() {
        var bench = Bench.withConsole(wrongTries: 6)
        #expect(bench.console(.state)?.wait.map { $0 > .minutes(4) } == true)
        #expect(bench.unlock() == .mustWait)
        bench.advance(.minutes(5))
        #expect(bench.console(.unlock(pin: Self.wrong))?.wait == .minutes(15))
    }

    @Test("a damaged count neither traps nor opens")
    func aDamagedCountNeitherTrapsNorOpens() {
        for count in [Int.max, Int.min, -1] {
            var bench = Bench.withConsole(wrongTries: count, untold: count)
            bench.advance(.minutes(61))
            #expect(bench.unlock(Self.wrong) == .wrongPIN)
        }
    }

    @Test("a burst of wrong tries is told once, a minute after its last, or with the right one")
    func aBurstOfWrongTriesIsToldOnce() {
        var bench = Bench.withConsole()
        _ = bench.unlock(Self.wrong)
        bench.advance(.seconds(30))
        _ = bench.unlock(Self.wrong)
        bench.advance(.seconds(59))
        #expect(bench.events(.consoleDenied).isEmpty)
        bench.advance(.seconds(1))
        #expect(
            bench.events(.consoleDenied).map(\.message) == [
                "2 wrong PINs were typed at the serial console. The right one was not."
            ])
        _ = bench.unlock(Self.wrong)
        #expect(bench.unlock() == .unlocked)
        bench.advance(.minutes(5))
        #expect(
            bench.events(.consoleDenied).map(\.message).dropFirst() == [
                "A wrong PIN was typed at the serial console. Then the right one was."
            ])
        #expect(bench.events(.consoleDenied).allSatisfy { $0.type == .fault })
    }

    @Test("a burst that a power cut ended is told at the next start")
    func aBurstThatAPowerCutEndedIsToldAtTheNextStart() {
        var bench = Bench()
        bench.start {
            $0.snapshot = Snapshot(
                console: ConsoleRecord(pin: Bench.kept(Bench.pin), wrongTries: 3, untoldTries: 3))
        }
        bench.advance(.seconds(1))
        #expect(bench.events(.consoleDenied).count == 1)
    }

    @Test("one try is checked at a time, whoever asks")
    func oneTryIsCheckedAtATime() {
        var bench = Bench.withConsole()
        bench.checksPINs = false
        bench.ask(.console(.unlock(pin: Bench.pin)))
        bench.ask(.console(.unlock(pin: Bench.pin)), as: 2)
        #expect(bench.answers(2) == [.error("another PIN is being checked; try again")])
        bench.feed(.derived(DeriveID(99), .matches(true)))
        #expect(bench.answers().isEmpty)
        bench.feed(.derived(DeriveID(1), .matches(true)))
        #expect(bench.console(.state)?.isUnlocked == true)
        #expect(bench.console(.state, as: 2)?.isUnlocked == false)
    }

    @Test("a check that fails is no try")
    func aCheckThatFailsIsNoTry() {
        var bench = Bench.withConsole()
        bench.checksPINs = false
        bench.ask(.console(.unlock(pin: Bench.pin)))
        bench.feed(.derived(DeriveID(1), .failed("no memory")))
        #expect(bench.answers() == [.error("the PIN cannot be checked: no memory")])
        #expect(bench.console(.state)?.triesLeft == 5)
    }

    @Test("a client that leaves while its PIN is checked leaves nothing behind")
    func aClientThatLeavesWhileItsPINIsCheckedLeavesNothingBehind() {
        var bench = Bench.withConsole()
        bench.checksPINs = false
        bench.ask(.console(.unlock(pin: Bench.pin)))
        bench.leave()
        bench.feed(.derived(DeriveID(1), .matches(true)))
        bench.checksPINs = true
        #expect(bench.unlock(as: 2) == .unlocked)
    }

    @Test("the file on the card resets the PIN and is told to everybody; one that cannot be removed resets nothing")
    func theFileOnTheCardResetsThePINAndIsToldToEverybody() {
        func started(_ finding: StartFinding) -> Bench {
            var bench = Bench()
            bench.start {
                $0.snapshot = Snapshot(console: ConsoleRecord(pin: Bench.kept(Bench.pin), wrongTries: 9))
                $0.findings = [finding]
            }
            return bench
        }
        var bench = started(.consolePINReset)
        #expect(bench.snapshot?.console == ConsoleRecord())
        #expect(bench.events(.consolePIN).map(\.type) == [.fault])
        #expect(bench.console(.setPIN(old: nil, new: Bench.otherPIN))?.answer == .pinSet)
        bench = started(.consolePINNotReset(why: "read-only"))
        #expect(bench.snapshot?.console?.pin == Bench.kept(Bench.pin))
        #expect(bench.events(.consolePIN)[0].message.contains("was not reset"))
    }

    @Test("without a snapshot the lock holds; without a store no PIN is set")
    func withoutASnapshotTheLockHolds() {
        var bench = Bench()
        bench.start { $0.console = ConsoleRecord(pin: Bench.kept(Bench.pin)) }
        #expect(bench.unlock() == .unlocked)
        bench = Bench()
        bench.start { $0.isStoreOpen = false }
        #expect(bench.console(.setPIN(old: nil, new: Bench.pin))?.answer == .unknownPIN)
        #expect(bench.snapshot?.console == nil)
    }

    @Test("while the store fails the console is still opened and locked, and no PIN is changed")
    func whileTheStoreFailsTheConsoleIsStillOpenedAndLocked() {
        var bench = Bench.withConsole()
        bench.disk = .fails(Bench.broken)
        bench.panel("609003")
        #expect(bench.unlock() == .unlocked)
        bench.ask(.console(.setPIN(old: Bench.pin, new: Bench.otherPIN)))
        #expect(bench.answers().last == .error("storage failed; the PIN was not changed"))
        for _ in 0..<5 { _ = bench.unlock(Self.wrong, as: 2) }
        #expect(bench.unlock(as: 2) == .mustWait)
    }
}
