import AlarmModel
import ApplianceCore
import Glibc
import PanelLink
import PhoneProtocol
import Platform
import Testing

@testable import Daemon
@testable import Reports
@testable import Subcommands

@Suite struct CommandsTextTests {
    private static let time = WallTime(milliseconds: 1_795_240_801_250)

    private func event(_ type: EventType, _ message: String) -> Event {
        Event(type: type, code: "601", raw: "6011003", message: message, time: Self.time, isTimeTrusted: true, zone: 3)
    }

    @Test("events stand in columns; remarks follow; the clock's doubt is a question mark")
    func eventsStandInColumns() {
        let text = EventText(rules: .utc)
        var odd = event(.fault, "Zone 3 (Kitchen) open")
        odd.isTimeTrusted = false
        odd.flags = [.whileAway, .maintenance]
        odd.flapCount = 12
        #expect(
            [
                text.line(StoredEvent(seq: SequenceNumber(7), event: event(.alarm, "Alarm: Kitchen"))),
                text.line(StoredEvent(seq: SequenceNumber(1_234_567), event: odd)),
                text.line(unstored: event(.disarmed, "Disarmed by Anna")),
            ] == [
                "2026-11-21 06:00:01        7  alarm     Alarm: Kitchen",
                "2026-11-21 06:00:01? 1234567  fault     Zone 3 (Kitchen) open "
                    + "[while away, maintenance, 12 times in a minute]",
                "2026-11-21 06:00:01        -  disarmed  Disarmed by Anna",
            ])
    }

    @Test("on a terminal an alarm is red, a fault yellow, arming green and the rest, disarming too, plain")
    func onATerminalAnAlarmIsRed() {
        let text = EventText(rules: .utc, colours: true)
        func line(_ type: EventType) -> String {
            text.line(StoredEvent(seq: SequenceNumber(7), event: event(type, "x")))
        }
        #expect(line(.alarm) == "2026-11-21 06:00:01        7  \u{1B}[31malarm     x\u{1B}[0m")
        #expect(line(.fault).contains("\u{1B}[33m"))
        #expect(line(.armed).contains("\u{1B}[32m"))
        #expect(!line(.info).contains("\u{1B}") && !line(.disarmed).contains("\u{1B}"))
    }

    @Test("nothing in a name or a message steers the terminal")
    func nothingInANameOrAMessageSteersTheTerminal() {
        let text = EventText(rules: .utc)
        let line = text.line(StoredEvent(seq: SequenceNumber(7), event: event(.info, "a\u{1B}[2Jb\u{9B}c\u{202E}d\ne")))
        #expect(line.hasSuffix("a?[2Jb?c?d?e"))
    }

    @Test("an alarm that is not stored yet is the same object without a number")
    func anAlarmThatIsNotStoredYetIsTheSameObjectWithoutANumber() throws {
        var alarm = event(.alarm, "Alarm")
        alarm.unstored = UnstoredMark(boot: "0a0b0c0d", counter: 4)
        let json = try JSON(parsing: EventText.json(unstored: alarm))
        #expect(json["seq"] == .null)
        #expect(json["u"] == .string("0a0b0c0d-4"))
        #expect(json["zone"] == .integer(3))
    }

    @Test("each outcome has its words and its exit status")
    func eachOutcomeHasItsWordsAndItsExitStatus() {
        let arm = PanelCommand.arm(partition: 1, mode: .away, force: false)
        let zones = [ZoneState(number: 3, name: "Kitchen window"), ZoneState(number: 5)]
        #expect(OutcomeText.line(.done, of: arm) == "done: arm away partition 1")
        #expect(
            OutcomeText.line(.refused(.notReady(openZones: [3, 5, 9])), of: arm, zones: zones)
                == "refused: not ready: open zones 3 (Kitchen window), 5, 9; close or bypass them, or use --force")
        #expect(
            OutcomeText.line(.refused(.notReady(openZones: [])), of: arm)
                == "refused: not ready: the panel does not say which zone is open; look at the keypad")
        #expect(
            OutcomeText.line(.failed(.wrongCode), of: arm)
                == "failed: the panel does not know this code; type it once more, or correct code_master in the configuration if none was typed"
        )
        #expect(OutcomeText.line(.notConfirmed, of: arm).hasPrefix("not confirmed: "))
        #expect(OutcomeText.line(.expired, of: arm).hasPrefix("expired: "))
        let outcomes: [Outcome] = [.done, .refused(.alreadyArmed), .failed(.wrongCode), .expired, .notConfirmed]
        #expect(outcomes.map(OutcomeText.status) == [0, 1, 1, 1, 2])
    }

    @Test("whoever has armed reads how the partition is then, and that it is time to leave")
    func whoeverHasArmedReadsHowThePartitionIsThen() {
        let arm = PanelCommand.arm(partition: 2, mode: .away, force: false)
        var panel = PanelState(link: .up)
        panel.withPartition(2) {
            $0.name = "Ground floor"
            $0.status = .known(.exitDelay(.away))
        }
        #expect(
            OutcomeText.afterwards(.done, of: arm, panel)
                == "Ground floor is now: exit delay away. Leave the house before it ends.")
        // People who arm like this stay in the house.
        panel.withPartition(2) { $0.status = .known(.exitDelay(.stay)) }
        let stay = PanelCommand.arm(partition: 2, mode: .stay, force: false)
        #expect(OutcomeText.afterwards(.done, of: stay, panel)?.contains("Leave the house") == false)
        panel.withPartition(2) { $0.status = .known(.armed(.away)) }
        #expect(OutcomeText.afterwards(.done, of: arm, panel) == "Ground floor is now: armed away")
        #expect(OutcomeText.afterwards(.refused(.alreadyArmed), of: arm, panel) == nil)
        #expect(OutcomeText.afterwards(.done, of: .disarm(partition: 2), panel) == nil)
        #expect(OutcomeText.afterwards(.done, of: .timers, nil)?.contains("'howalarming zones'") == true)
    }

    @Test("who has armed by force already is not told to use force")
    func whoHasArmedByForceAlreadyIsNotToldToUseForce() {
        let text = OutcomeText.line(
            .failed(.notReady(openZones: [3])), of: .arm(partition: 1, mode: .away, force: true))
        #expect(text.contains("'howalarming bypass ZONE'") && !text.contains("--force"))
    }

    @Test("whoever starts the daemon in a terminal reads what to type in another one")
    func whoeverStartsTheDaemonInATerminalReadsWhatToType() {
        func greeting(_ state: String) -> String {
            RunCommand(configurationFile: "c", stateDirectory: state).greeting("Hut")
        }
        #expect(
            greeting("st")
                == "Watching Hut. In another terminal: 'howalarming status --state st'. Ctrl-C ends it.")
        #expect(greeting("/var/lib/howalarming").contains("'howalarming status'."))
    }

    @Test("whoever waits for a panel that is away reads that, and why")
    func whoeverWaitsForAPanelThatIsAwayReadsThat() {
        #expect(OrderCommand.waiting(.up, problem: nil).hasPrefix("waiting for the panel (Ctrl-C"))
        #expect(
            OrderCommand.waiting(.down, problem: "no answer").hasPrefix(
                "the panel is not connected: no answer. The order waits a little for it (Ctrl-C"))
    }

    @Test("somebody who may not ask the daemon is told who may")
    func somebodyWhoMayNotAskTheDaemonIsToldWhoMay() {
        func text(_ number: Int32) -> String {
            let error = SystemError(call: "connect", number: number, subject: "state/control")
            return DaemonLinkError.socket(.failed(error)).description
        }
        #expect(text(EACCES).hasSuffix("may ask the daemon; put sudo before the command"))
        #expect(!text(EIO).contains("sudo"))
    }

    @Test("keys hold only what a keypad has")
    func keysHoldOnlyWhatAKeypadHas() {
        #expect(KeysCommand.areKeys(Secret("*1#0123456789")))
        for text in ["", "12 34", "12\n", "*A", String(repeating: "1", count: 65), "１"] {
            #expect(!KeysCommand.areKeys(Secret(text)))
        }
    }

    @Test("the trace shows time, direction and text, and how many lines were left out")
    func theTraceShowsTime() throws {
        let text = TraceText(rules: .utc)
        #expect(
            text.lines(TraceLine(.fromPanel, "6543"), dropped: 0, at: Self.time) == ["06:00:01.250 < 6543  in alarm"])
        #expect(
            text.lines(TraceLine(.toPanel, "005****"), dropped: 3, at: WallTime(milliseconds: 1_795_240_801_007))
                == ["… 3 lines not shown", "06:00:01.007 > 005****  login"])
        // What is no line of the panel has no name.
        #expect(text.lines(TraceLine(.remark, "500 lines"), dropped: 0, at: Self.time) == ["06:00:01.250 # 500 lines"])
        #expect(text.lines(TraceLine(.fromPanel, "9991"), dropped: 0, at: Self.time) == ["06:00:01.250 < 9991"])
        #expect(
            TraceText.json(TraceLine(.remark, "x"), dropped: 1, at: Self.time)
                == ##"{"time_ms":1795240801250,"direction":"#","text":"x","dropped":1}"##)
    }

    @Test("the panel's session in words: only counters that counted, the problem wrapped below itself")
    func thePanelsSessionInWords() throws {
        var counters = PanelCounters()
        counters.linesReceived = 1234
        counters.badChecksum = 1
        var report = SessionReport(phase: .waiting, counters: counters, waitingOrders: 1)
        let now = BootTime(nanoseconds: 1_000_000_000_000)
        report.since = now - .seconds(90)
        report.nextAttempt = now + .seconds(12)
        report.lastLineAt = now - .seconds(95)
        report.problem = "the module refused the password: check 'password' in the configuration, then start again"
        report.answerLast = .microseconds(12_300)
        report.answerMean = .milliseconds(20)
        report.answerMax = .milliseconds(1500)
        #expect(
            PanelText.lines(report, now: now) == [
                "Session     down, waiting for the next attempt for 1 min",
                "Problem     the module refused the password: check 'password' in the",
                "            configuration, then start again",
                "Next try    in 12 s",
                "Last line   1 min ago",
                "Answers     last 12.3 ms, mean 20.0 ms, longest 1500 ms",
                "Waiting     1 command",
                "",
                "Counted since the daemon started:",
                "  lines received                                  1234",
                "  lines with a wrong checksum                        1",
            ])
        let json = PanelText.json(report, now: now)
        #expect(json["counters"]?["bad_checksum"] == .integer(1))
        #expect(json["counters"]?["overlong"] == .integer(0))
        #expect(json["counters"]?.objectValue?.count == Mirror(reflecting: counters).children.count)
        #expect(json["answer_ms"]?["last"] == .number(12.3))
    }
}
