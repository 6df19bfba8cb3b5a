import AlarmModel
import PanelLink
import Testing

@Suite struct SessionPollTests {
    @Test("a half-open connection is noticed exactly 30 s after the last answer: polls at 20 s and 25 s")
    func aHalfOpenConnectionIsNoticedExactly30SAfterTheLastAnswer() {
        var script = Script()
        script.start()
        script.logIn()
        script.advance(.milliseconds(30))
        script.feed("500001", "6501", "609003")
        script.advance(.milliseconds(30))
        script.feed("500000")
        script.forget()
        script.advance(.milliseconds(19_999))
        #expect(script.takeSent().isEmpty)
        script.advance(.milliseconds(1))
        #expect(script.takeSent() == ["000"])
        script.advance(.milliseconds(4_999))
        #expect(script.takeSent().isEmpty)
        script.advance(.milliseconds(1))
        #expect(script.takeSent() == ["000"])
        script.advance(.milliseconds(4_999))
        #expect(script.takeCloses() == 0)
        #expect(script.session.state.link == .up)
        script.advance(.milliseconds(1))
        #expect(script.takeCloses() == 1)
        #expect(script.takeEvents().map(\.code) == ["PANEL_OFFLINE"])
        #expect(script.session.state.link == .down)
        #expect(script.session.state.zone(3)?.open == .stale(true))
        #expect(script.session.state.partition(1)?.status == .stale(.ready))
        #expect(script.session.counters.missedAnswers == 2)
        #expect(script.session.report(at: script.now).problem?.contains("stopped answering") == true)
    }

    @Test("an answer to the second poll keeps the session")
    func anAnswerToTheSecondPollKeepsTheSession() {
        var script = Script()
        script.comeUp("6501")
        script.advance(.seconds(26))
        #expect(script.takeSent() == ["000", "000"])
        script.feed("500000")
        script.advance(.seconds(10))
        #expect(script.takeCloses() == 0)
        #expect(script.session.state.link == .up)
    }

    @Test("events alone are no answer: the poll is not left out")
    func eventsAloneAreNoAnswer() {
        var script = Script()
        script.comeUp("6501")
        for _ in 0..<4 {
            script.advance(.seconds(5))
            script.feed("609003", "610003")
        }
        script.advance(.milliseconds(400))
        #expect(script.takeSent().contains("000"))
    }

    @Test("an acknowledged command takes the place of a poll for one interval, but never for five minutes")
    func anAcknowledgedCommandTakesThePlaceOfAPollForOneInterval() {
        var script = Script()
        script.comeUp("6501")
        var polls = 0
        for id in 0..<40 {
            script.advance(.seconds(10))
            script.submit(.panic(.fire), id: UInt64(id))
            script.advance(.milliseconds(400))
            for line in script.takeSent() {
                if line == "000" {
                    polls += 1
                    script.feed("500000")
                } else {
                    script.feed("500060", "621", "622")
                }
            }
            script.advance(.milliseconds(100))
            for line in script.takeSent() where line == "0601" { script.feed("500060", "621") }
        }
        #expect(polls == 1)
    }

    @Test("a command without an answer makes a poll; without an answer to that the link is given up")
    func aCommandWithoutAnAnswerMakesAPoll() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.output(partition: 1, output: 1))
        script.advance(.milliseconds(100))
        #expect(script.takeSent() == ["02011"])
        script.advance(.milliseconds(4_900))
        #expect(script.takeSent() == ["000"])
        #expect(script.takeOutcomes() == [.notConfirmed])
        script.advance(.seconds(5))
        #expect(script.takeCloses() == 1)
    }

    @Test("an answer to another command is counted and does not end the wait")
    func anAnswerToAnotherCommandIsCountedAndDoesNotEndTheWait() {
        var script = Script()
        script.comeUp("6501")
        script.advance(.seconds(20))
        script.feed("500071")
        #expect(script.session.counters.unexpectedAck == 1)
        script.advance(.seconds(10))
        #expect(script.takeCloses() == 1)
    }

    @Test("on a lost link what was sent is not confirmed, what was not sent waits until its deadline")
    func onALostLinkWhatWasSentIsNotConfirmed() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.panic(.police), id: 1)
        script.advance(.milliseconds(50))
        script.submit(.timers, id: 2, within: .seconds(20))
        script.closed()
        #expect(script.takeOutcomes() == [.notConfirmed])
        script.advance(.seconds(19))
        #expect(script.takeOutcomes().isEmpty)
        script.advance(.seconds(2))
        #expect(script.takeOutcomes() == [.expired])
    }

    @Test("an order given while the link is down is carried out after the login")
    func anOrderGivenWhileTheLinkIsDownIsCarriedOutAfterTheLogin() {
        var script = Script()
        script.comeUp("6501")
        script.closed()
        script.submit(.disarm(partition: 1), within: .seconds(60))
        script.advance(.seconds(2))
        script.logIn()
        script.forget()
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["04011234"])
    }

    @Test("a restored session says so, and its loss is told once")
    func aRestoredSessionSaysSo() {
        var script = Script()
        script.comeUp("6501")
        script.closed()
        #expect(script.takeEvents().map(\.code) == ["PANEL_OFFLINE"])
        script.advance(.seconds(2))
        script.connectFailed(.timedOut)
        script.advance(.seconds(3))
        script.logIn()
        script.resynchronise(["6501"])
        let events = script.takeEvents().filter { $0.code.hasPrefix("PANEL") }
        #expect(events.map(\.code) == ["PANEL_ONLINE"])
        #expect(events.first?.type == .recovery)
    }

    @Test("stopping closes, refuses what waits and says nothing of a loss")
    func stoppingClosesRefusesWhatWaitsAndSaysNothingOfALoss() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.panic(.fire), id: 1)
        script.advance(.milliseconds(40))
        script.submit(.timers, id: 2)
        script.stop()
        #expect(script.takeCloses() == 1)
        #expect(script.takeOutcomes() == [.notConfirmed, .refused(.stopping)])
        #expect(script.takeEvents().isEmpty)
        #expect(script.session.nextDeadline == nil)
        script.submit(.timers, id: 3)
        #expect(script.takeOutcomes() == [.refused(.stopping)])
    }
}
