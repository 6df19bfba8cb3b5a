import AlarmModel
import PanelLink
import Testing

@Suite struct SessionDisarmTests {
    private func sent(_ command: PanelCommand = .disarm(partition: 1), code: String? = nil) -> Script {
        var script = Script()
        script.comeUp("65210")
        script.submit(command, code: code)
        return script
    }

    @Test("the code goes out as it is, without padding")
    func theCodeGoesOutAsItIs() {
        var script = sent()
        #expect(script.takeSent() == ["04011234"])
        var six = sent(code: "123456")
        #expect(six.takeSent() == ["0401123456"])
    }

    @Test("it is done when the panel shows it disarmed", arguments: ["6551", "6501", "6511", "6531"])
    func itIsDoneWhenThePanelShowsItDisarmed(_ line: String) {
        var script = sent()
        script.feed("500040", line)
        #expect(script.takeOutcomes() == [.done])
    }

    @Test("already disarmed is done")
    func alreadyDisarmedIsDone() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.disarm(partition: 1))
        script.advance(.milliseconds(50))
        script.feed("502023")
        #expect(script.takeOutcomes() == [.done])
    }

    @Test("'not armed' of a partition that is armed by what the panel said last is asked again, then it has failed")
    func notArmedOfAnArmedPartition() {
        var script = sent()
        for _ in 0..<9 {
            #expect(script.takeOutcomes().isEmpty)
            script.feed("502023")
            script.advance(.milliseconds(1050))
        }
        #expect(script.takeOutcomes() == [.failed(.panelRefused(error: 23))])
    }

    @Test("another partition's lines confirm nothing")
    func anotherPartitionsLinesConfirmNothing() {
        var script = sent()
        script.feed("500040", "6552", "6502")
        #expect(script.takeOutcomes().isEmpty)
    }

    @Test("not confirmed within exactly 5 s: told, and the link is rebuilt within 2 s")
    func notConfirmedWithinExactly5S() {
        var script = sent()
        script.feed("500040")
        script.forget()
        script.advance(.milliseconds(4_999))
        #expect(script.takeOutcomes().isEmpty)
        script.advance(.milliseconds(1))
        #expect(script.takeOutcomes() == [.notConfirmed])
        #expect(script.takeCloses() == 1)
        #expect(script.takeEvents().map(\.code) == ["PANEL_OFFLINE"])
        script.advance(.seconds(2))
        #expect(script.takeConnects() == 1)
    }

    @Test("not even acknowledged: the same")
    func notEvenAcknowledged() {
        var script = sent()
        script.advance(.seconds(5))
        #expect(script.takeOutcomes() == [.notConfirmed])
        #expect(script.takeCloses() == 1)
    }

    @Test("a wrong code, and a lock-out after which no code is sent for five minutes")
    func aWrongCodeAndALockOutAfterWhichNoCodeIsSentForFiveMinutes() {
        var script = sent()
        script.feed("500040", "6701")
        #expect(script.takeOutcomes() == [.failed(.wrongCode)])
        script.submit(.disarm(partition: 1), id: 2)
        script.advance(.milliseconds(30))
        script.feed("502016")
        #expect(script.takeOutcomes() == [.failed(.lockedOut)])
        script.submit(.disarm(partition: 1), id: 3)
        #expect(script.takeOutcomes() == [.refused(.lockedOut)])
        for _ in 0..<15 {
            script.advance(.seconds(20))
            script.feed("500000")
        }
        script.forget()
        script.submit(.disarm(partition: 1), id: 4)
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["04011234"])
    }

    @Test("codes that cannot be codes are refused and never shown", arguments: ["123", "1234567", "12a4", ""])
    func codesThatCannotBeCodesAreRefusedAndNeverShown(_ code: String) {
        var script = Script()
        script.comeUp("65210")
        script.submit(.disarm(partition: 1), code: code)
        guard case .refused(.badRequest(let text)) = script.takeOutcomes().first else {
            Issue.record("not refused")
            return
        }
        #expect(code.isEmpty || !text.contains(code))
        #expect(script.takeSent().isEmpty)
    }

    @Test("without any code it is refused")
    func withoutAnyCodeItIsRefused() {
        var settings = Script.settings()
        settings.masterCode = nil
        var script = Script(settings)
        script.comeUp("65210")
        script.submit(.disarm(partition: 1))
        #expect(script.takeOutcomes() == [.refused(.noCode)])
    }

    @Test("silence is the same command, and refused when there is nothing to silence")
    func silenceIsTheSameCommand() {
        var script = Script()
        script.comeUp("65210")
        script.submit(.silence(partition: 1), id: 1)
        guard case .refused(.badRequest(let text)) = script.takeOutcomes().first else {
            Issue.record("not refused")
            return
        }
        #expect(text.contains("nothing to silence"))
        script.feed("6541")
        script.submit(.silence(partition: 1), id: 2)
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["04011234"])
        script.feed("500040", "6531")
        #expect(script.takeOutcomes() == [.done])
    }

    @Test("disarm and panic go before everything that waits, and the arm that was ordered before does not follow")
    func disarmAndPanicGoBeforeEverythingThatWaits() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.timers, id: 1)
        script.submit(.arm(partition: 1, mode: .away, force: false), id: 2)
        script.submit(.disarm(partition: 1), id: 3)
        script.submit(.panic(.police), id: 4)
        // The first went out at once; the others queue behind its answer.
        var order: [String] = []
        for _ in 0..<6 {
            script.advance(.milliseconds(40))
            for line in script.takeSent() {
                order.append(line)
                script.feed("500" + line.prefix(3))
            }
        }
        #expect(order == ["008", "04011234", "0603"])
        #expect(script.history.contains(.outcome(CommandID(2), .refused(.conditionChanged))))
    }

    @Test("a disarm does not wait for the status report")
    func aDisarmDoesNotWaitForTheStatusReport() {
        var script = Script()
        script.start()
        script.logIn()
        script.forget()
        script.submit(.arm(partition: 1, mode: .away, force: true), id: 1)
        script.submit(.disarm(partition: 1), id: 2)
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["04011234"])
        script.feed("500040", "6551")
        #expect(script.takeOutcomes() == [.refused(.conditionChanged), .done])
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["001"])
    }

    @Test("the line that confirms it is news with its command, also while the status report runs")
    func theLineThatConfirmsItIsNewsWithItsCommand() {
        var known = PanelState()
        known.withPartition(1) { $0.status = .known(.armed(.away)) }
        var script = Script(known: known)
        script.start()
        script.logIn()
        script.forget()
        script.submit(.disarm(partition: 1), id: 1)
        script.advance(.milliseconds(30))
        script.feed("500040")
        script.advance(.milliseconds(30))
        let sent = script.takeSent()
        #expect(sent == ["04011234", "001"])
        script.feed("6551", "500001", "610001", "6551", "6501")
        let events = script.takeEvents()
        #expect(events.map(\.raw) == ["6551", "6501"])
        #expect(events.map(\.command) == [CommandID(1), nil])
        #expect(events.allSatisfy { $0.flags.isEmpty })
        let outcomes = script.takeOutcomes()
        #expect(outcomes == [.done])
    }

    @Test("silencing waits for the status report, because it needs to know of the alarm")
    func silencingWaitsForTheStatusReport() {
        var script = Script()
        script.start()
        script.logIn()
        script.forget()
        script.submit(.silence(partition: 1), id: 1)
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["001"])
        script.feed("500001", "6541")
        script.advance(.milliseconds(30))
        script.feed("500000")
        script.forget()
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["04011234"])
    }

    @Test("a flood of lines holds a disarm back for 300 ms at most")
    func aFloodOfLinesHoldsADisarmBackFor300MsAtMost() {
        var script = Script()
        script.comeUp("65210")
        script.feed("609003")
        script.submit(.disarm(partition: 1))
        var waited = 0
        while script.takeSent().isEmpty, waited < 2000 {
            script.advance(.milliseconds(10))
            script.feed(waited % 20 == 0 ? "610003" : "609003")
            waited += 10
        }
        #expect(waited <= 300)
    }
}
