import AlarmModel
import PanelLink
import Testing

@Suite struct SessionOrderTests {
    private static let none = "616" + String(repeating: "0", count: 16)
    private static let zone3 = "6160400000000000000"

    /// Submits, and answers each line that goes out with 500 and what `answer` says.
    private func play(
        _ command: PanelCommand, report: [String] = ["6501"], before: [String] = [], for span: Duration = .seconds(12),
        answer: (String, Int) -> [String]
    ) -> (sent: [String], outcomes: [Outcome], script: Script) {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(report)
        for line in before { script.feed(line) }
        script.forget()
        script.submit(command)
        var sent: [String] = []
        for _ in 0..<(span.milliseconds / 10) {
            script.advance(.milliseconds(10))
            for line in script.takeSent() where line != "000" {
                sent.append(line)
                for reply in answer(line, sent.count) { script.feed(reply) }
            }
        }
        return (sent, script.takeOutcomes(), script)
    }

    @Test("bypass lists first, toggles once, and believes the panel's list")
    func bypassListsFirst() {
        let result = play(.bypass(zone: 3, bypassed: true)) { line, _ in
            ["500071", line == "0711*1#" ? Self.none : Self.zone3]
        }
        #expect(result.sent == ["0711*1#", "0711*103#"])
        #expect(result.outcomes == [.done])
        #expect(result.script.session.state.zone(3)?.bypassed == .known(true))
    }

    @Test("a zone that is as wanted is not toggled")
    func aZoneThatIsAsWantedIsNotToggled() {
        let known = play(.bypass(zone: 3, bypassed: true), before: [Self.zone3]) { _, _ in [] }
        #expect(known.sent.isEmpty && known.outcomes == [.done])
        let listed = play(.bypass(zone: 3, bypassed: false)) { _, _ in ["500071", Self.none] }
        #expect(listed.sent == ["0711*1#"] && listed.outcomes == [.done])
    }

    @Test("a toggle that did nothing is tried once more, then it failed")
    func aToggleThatDidNothingIsTriedOnceMore() {
        let second = play(.bypass(zone: 3, bypassed: true), before: [Self.none]) { _, count in
            ["500071", count == 1 ? Self.none : Self.zone3]
        }
        #expect(second.sent == ["0711*103#", "0711*103#"] && second.outcomes == [.done])
        let never = play(.bypass(zone: 3, bypassed: true), before: [Self.none]) { _, _ in ["500071", Self.none] }
        #expect(never.sent == ["0711*103#", "0711*103#"])
        guard case .failed(.badRequest) = never.outcomes.first else {
            Issue.record("\(never.outcomes)")
            return
        }
    }

    @Test("a toggle without its list is looked up before anything is toggled again")
    func aToggleWithoutItsListIsLookedUpBeforeAnythingIsToggled() {
        let result = play(.bypass(zone: 3, bypassed: true), before: [Self.none]) { line, _ in
            line == "0711*1#" ? ["500071", Self.zone3] : ["500071"]
        }
        #expect(result.sent == ["0711*103#", "0711*1#"] && result.outcomes == [.done])
    }

    @Test("a list that never comes changes nothing and says so")
    func aListThatNeverComesChangesNothingAndSaysSo() {
        let result = play(.bypass(zone: 3, bypassed: true)) { _, _ in ["500071"] }
        #expect(result.sent == ["0711*1#"])
        guard case .failed(.badRequest(let text)) = result.outcomes.first else {
            Issue.record("\(result.outcomes)")
            return
        }
        #expect(text.contains("nothing was changed"))
    }

    @Test("a panel that wants a code for *1 is left by #, and not asked again")
    func aPanelThatWantsACodeFor1IsLeftBy() {
        let result = play(.bypass(zone: 3, bypassed: true)) { line, _ in
            line == "0711*1#" ? ["500071", "900"] : ["500071"]
        }
        #expect(result.sent == ["0711*1#", "0711#"])
        #expect(result.outcomes == [.failed(.bypassNeedsCode)])
        var script = result.script
        script.submit(.bypass(zone: 3, bypassed: true), id: 2)
        #expect(script.takeOutcomes() == [.refused(.bypassNeedsCode)])
    }

    @Test("bypass is refused while armed, and for zones that no panel has")
    func bypassIsRefusedWhileArmed() {
        #expect(
            play(.bypass(zone: 3, bypassed: true), report: ["65210"]) { _, _ in [] }.outcomes == [
                .refused(.bypassWhileArmed)
            ])
        #expect(play(.bypass(zone: 65, bypassed: true)) { _, _ in [] }.outcomes == [.refused(.unknownZone(65))])
        #expect(play(.bypass(zone: 0, bypassed: true)) { _, _ in [] }.outcomes == [.refused(.unknownZone(0))])
    }

    @Test("bypass types into the zone's partition")
    func bypassTypesIntoTheZonesPartition() {
        let result = play(.bypass(zone: 12, bypassed: true), before: ["6022012"]) { _, _ in ["500071", Self.none] }
        #expect(result.sent.first == "0712*1#")
    }

    @Test(
        "panic is done when its key or an alarm is reported",
        arguments: [
            (PanelCommand.Panic.fire, "0601", "621"), (.ambulance, "0602", "623"), (.police, "0603", "625"),
            (.police, "0603", "6541"),
        ])
    func panicIsDoneWhenItsKeyOrAnAlarmIsReported(_ kind: PanelCommand.Panic, _ sent: String, _ line: String) {
        let result = play(.panic(kind)) { _, _ in ["500060", line] }
        #expect(result.sent == [sent] && result.outcomes == [.done])
        #expect(play(.panic(kind)) { _, _ in ["500060", "622"] }.outcomes == [.notConfirmed])
    }

    @Test("an output is done at 912 or 660 for it, and given its code when asked")
    func anOutputIsDoneAt912Or660ForIt() {
        let pressed = play(.output(partition: 1, output: 2)) { _, _ in ["500020", "91212"] }
        #expect(pressed.sent == ["02012"] && pressed.outcomes == [.done])
        #expect(play(.output(partition: 1, output: 2)) { _, _ in ["500020", "6601"] }.outcomes == [.done])
        #expect(play(.output(partition: 1, output: 2)) { _, _ in ["500020", "91213"] }.outcomes == [.notConfirmed])
        let asked = play(.output(partition: 1, output: 2)) { line, _ in
            line == "02012" ? ["500020", "900"] : ["500200", "91212"]
        }
        #expect(asked.sent == ["02012", "2001234"] && asked.outcomes == [.done])
        guard case .refused(.badRequest) = play(.output(partition: 1, output: 5), answer: { _, _ in [] }).outcomes.first
        else {
            Issue.record("output 5 was not refused")
            return
        }
    }

    @Test("chime is switched only if it is not known to be as wanted, and back if it was the wrong way")
    func chimeIsSwitchedOnlyIfItIsNotKnownToBeAsWanted() {
        let known = play(.chime(partition: 1, on: true), before: ["6631"]) { _, _ in [] }
        #expect(known.sent.isEmpty && known.outcomes == [.done])
        let unknown = play(.chime(partition: 1, on: true)) { _, count in
            ["500071", count == 1 ? "6641" : "6631"]
        }
        #expect(unknown.sent == ["0711*4#", "0711*4#"] && unknown.outcomes == [.done])
    }

    @Test("smoke reset is done when the panel shows something of it, not confirmed otherwise")
    func smokeResetIsDoneWhenThePanelShowsSomethingOfIt() {
        let shown = play(.smokeReset(partition: 1)) { _, _ in ["500071", "91212"] }
        #expect(shown.sent == ["0711*72#"] && shown.outcomes == [.done])
        #expect(play(.smokeReset(partition: 1)) { _, _ in ["500071"] }.outcomes == [.notConfirmed])
    }

    @Test("the clock is set to the site's local time, and only if ours is trusted")
    func theClockIsSetToTheSitesLocalTime() {
        var settings = Script.settings()
        settings.timeZone = TimeZoneRules(name: "X", firstOffset: 3600, transitions: [], footer: "X-1")
        var script = Script(settings)
        script.comeUp("6501")
        script.now.wall = WallTime(milliseconds: 1_798_761_600_000)  // 2027-01-01 00:00 UTC
        script.submit(.setClock)
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["0100100010127"])
        script.feed("500010")
        #expect(script.takeOutcomes() == [.done])
        script.now.isWallTrusted = false
        script.submit(.setClock, id: 2)
        guard case .refused(.badRequest) = script.takeOutcomes().first else {
            Issue.record("not refused")
            return
        }
    }

    @Test("with setsClock the clock is set after each login and once a day")
    func withSetsClockTheClockIsSetAfterEachLoginAndOnceADay() {
        var settings = Script.settings()
        settings.setsClock = true
        var script = Script(settings)
        script.start()
        script.logIn()
        script.forget()
        script.advance(.milliseconds(30))
        #expect(script.takeSent().map { $0.prefix(3) } == ["010"])
        script.feed("500010")
        script.resynchronise(["6501"])
        script.forget()
        script.answered = ["000", "010"]
        script.advance(.hours(25))
        let clocks = script.takeSent().count { $0.hasPrefix("010") }
        #expect(clocks == 1)
    }

    @Test("the clock is set again in the second after summer time has begun, not a day later")
    func theClockIsSetAgainWhenSummerTimeHasBegun() {
        var settings = Script.settings()
        settings.setsClock = true
        let start = Script(settings).now.wall
        let change = TimeZoneRules.Transition(at: start.seconds + 5 * 3600, offset: 3600)
        settings.timeZone = TimeZoneRules(name: "Summer", firstOffset: 0, transitions: [change], footer: "SUM-1")
        var script = Script(settings)
        script.start()
        script.logIn()
        script.advance(.milliseconds(30))
        script.feed("500010")
        script.resynchronise(["6501"])
        script.forget()
        script.answered = ["000", "010"]
        let left = WallTime(milliseconds: change.at * 1000) - script.now.wall
        script.advance(left)
        let before = script.takeSent().count { $0.hasPrefix("010") }
        #expect(before == 0)
        script.advance(.seconds(2))
        let after = script.takeSent().count { $0.hasPrefix("010") }
        #expect(after == 1)
    }

    @Test("keys go out six at a time, 1.5 s apart, with nothing but polls between")
    func keysGoOutSixAtATime() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.keys(partition: 1, keys: Secret("1234567890*#12"), allowInstaller: false), id: 1)
        #expect(script.takeSent() == ["0711123456"])
        script.submit(.timers, id: 2)
        script.feed("500071")
        script.advance(.milliseconds(1_499))
        #expect(script.takeSent().isEmpty)
        script.advance(.milliseconds(1))
        #expect(script.takeSent() == ["07117890*#"])
        script.feed("500071")
        script.advance(.milliseconds(1_500))
        #expect(script.takeSent() == ["071112"])
        script.feed("500071")
        #expect(script.takeOutcomes() == [.done])
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["008"])
    }

    @Test("keys stop at the first error and are never repeated on their own")
    func keysStopAtTheFirstErrorAndAreNeverRepeatedOnTheirOwn() {
        let result = play(.keys(partition: 1, keys: Secret("12345678"), allowInstaller: false)) { _, _ in ["502013"] }
        #expect(result.sent == ["0711123456"])
        #expect(result.outcomes == [.failed(.panelRefused(error: 13))])
        #expect(
            play(.keys(partition: 1, keys: Secret("1234"), allowInstaller: false)) { _, _ in ["500071", "900"] }.sent
                .count == 1)
    }

    @Test("keys that no keypad has, and *8, are refused", arguments: ["", "12a", "*8", "1*82", "１"])
    func keysThatNoKeypadHas(_ keys: String) {
        let result = play(.keys(partition: 1, keys: Secret(keys), allowInstaller: false)) { _, _ in [] }
        guard case .refused(.badRequest) = result.outcomes.first else {
            Issue.record("\(keys): \(result.outcomes)")
            return
        }
        #expect(result.sent.isEmpty)
    }

    @Test("*8 goes out when it is allowed by name")
    func with8GoesOutWhenItIsAllowedByName() {
        #expect(
            play(.keys(partition: 1, keys: Secret("*8"), allowInstaller: true)) { _, _ in ["500071"] }.outcomes == [
                .done
            ])
    }

    @Test("a status report and the timers are done when they came")
    func aStatusReportAndTheTimersAreDoneWhenTheyCame() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.refresh, id: 1)
        script.advance(.milliseconds(30))
        script.feed("500001", "6511")
        script.advance(.milliseconds(30))
        #expect(script.takeOutcomes().isEmpty)
        script.feed("500000")
        #expect(script.takeOutcomes() == [.done])
        #expect(script.takeEvents().map(\.message) == ["Partition 1 Ground floor not ready"])
        let timers = play(.timers) { _, _ in ["500008", "615" + String(repeating: "0", count: 256)] }
        #expect(timers.sent == ["008"] && timers.outcomes == [.done])
    }

    @Test("overruns are retried after 0.2 s, doubling")
    func overrunsAreRetriedAfter0() {
        var times: [Int] = []
        var script = Script()
        script.comeUp("6501")
        script.submit(.panic(.fire))
        for tick in 0..<200 {
            script.advance(.milliseconds(10))
            if !script.takeSent().isEmpty {
                times.append(tick)
                script.feed(times.count < 4 ? "502010" : "500060")
            }
        }
        #expect(zip(times, times.dropFirst()).map { $1 - $0 } == [20, 40, 80])
        #expect(script.session.counters.retries == 3)
    }

    @Test("024 is a matter of arming: another order just failed")
    func with024IsAMatterOfArming() {
        let result = play(.output(partition: 1, output: 1)) { _, _ in ["502024"] }
        #expect(result.sent == ["02011"] && result.outcomes == [.failed(.panelRefused(error: 24))])
    }

    @Test("busy is retried twice after a second, reads once, 501 once")
    func busyIsRetriedTwiceAfterASecond() {
        let busy = play(.arm(partition: 1, mode: .away, force: false)) { _, _ in ["502018"] }
        #expect(busy.sent.count == 3 && busy.outcomes == [.failed(.partitionBusy)])
        let read = play(.timers) { _, _ in ["502011"] }
        #expect(read.sent.count == 2 && read.outcomes == [.failed(.panelRefused(error: 11))])
        let rejected = play(.panic(.fire)) { _, _ in ["501"] }
        #expect(rejected.sent.count == 2 && rejected.outcomes == [.failed(.panelRefused(error: 501))])
    }

    @Test("502 after the acknowledgement belongs to the command that still waits")
    func with502AfterTheAcknowledgementBelongsToTheCommandThatStill() {
        let result = play(.arm(partition: 1, mode: .away, force: false)) { _, _ in ["500030", "502017"] }
        #expect(result.outcomes == [.failed(.installerMode)])
    }

    @Test("only 32 orders wait, and one that waited too long has expired")
    func only32OrdersWait() {
        var script = Script()
        script.start()
        for id in 0..<40 { script.submit(.timers, id: UInt64(id), within: .seconds(10)) }
        #expect(script.takeOutcomes() == Array(repeating: .refused(.queueFull), count: 8))
        script.advance(.seconds(10))
        #expect(script.takeOutcomes() == Array(repeating: .expired, count: 32))
        script.submit(.timers, id: 99, within: .zero)
        #expect(script.takeOutcomes() == [.expired])
    }
}
