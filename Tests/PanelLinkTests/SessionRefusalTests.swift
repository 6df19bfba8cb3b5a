import AlarmModel
import PanelLink
import Testing

@Suite struct SessionRefusalTests {
    private func greeted(_ settings: PanelSettings = Script.settings()) -> Script {
        var script = Script(settings)
        script.start()
        script.connected()
        script.feed("5053")
        script.advance(.milliseconds(30))
        return script
    }

    private func wait(_ script: Script) -> Duration? {
        script.session.report(at: script.now).nextAttempt.map { $0 - script.now.boot }
    }

    private func problem(_ script: Script) -> String { script.session.report(at: script.now).problem ?? "" }

    @Test("a wrong password is reported once, closed, and waited for, longer each time up to an hour")
    func aWrongPasswordIsReportedOnce() {
        var script = greeted()
        script.feed("500005", "5050")
        #expect(script.takeCloses() == 1)
        #expect(script.takeEvents().map(\.code) == ["PANEL_REFUSED"])
        #expect(problem(script).contains("password"))
        #expect(wait(script) == .minutes(5))
        var waits: [Duration] = []
        for _ in 0..<5 {
            script.advance(wait(script) ?? .zero)
            script.connected()
            script.feed("5053")
            script.advance(.milliseconds(30))
            script.feed("5050")
            waits.append(wait(script) ?? .zero)
        }
        #expect(waits == [.minutes(10), .minutes(20), .minutes(40), .minutes(60), .minutes(60)])
        #expect(script.takeEvents().isEmpty)
    }

    @Test("a long wrong password gets the advice to make it shorter")
    func aLongWrongPasswordGetsTheAdviceToMakeItShorter() {
        var settings = Script.settings()
        settings.password = Secret("abcdefghijkl")
        var script = greeted(settings)
        script.feed("5050")
        #expect(problem(script).contains("shorter"))
        #expect(!problem(script).contains("abcdefghijkl"))
    }

    @Test("a new password is tried at once")
    func aNewPasswordIsTriedAtOnce() {
        var script = greeted()
        script.feed("5050")
        _ = script.takeConnects()
        var settings = Script.settings()
        settings.password = Secret("other")
        script.perform { $0.reconfigure(settings, at: $1, into: &$2) }
        #expect(script.takeConnects() == 1)
        script.connected()
        script.feed("5053")
        script.forget()
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["005other"])
    }

    @Test("silence after a long password, or 5052, is explained as possibly too long")
    func silenceAfterALongPassword() {
        var settings = Script.settings()
        settings.password = Secret("abcdefghij")
        var script = greeted(settings)
        script.advance(.milliseconds(11_999))
        #expect(script.takeCloses() == 0)
        script.advance(.milliseconds(1))
        #expect(script.takeCloses() == 1)
        #expect(problem(script).contains("too long"))
        var other = greeted(settings)
        other.feed("5052")
        #expect(problem(other).contains("too long"))
    }

    @Test("reset, refusal or end right at connect means a taken slot: 2, 4 and 8 s, then 30 s or more")
    func resetRefusalOrEndRightAtConnectMeansATakenSlot() {
        for (end, isAccepted) in [
            (ConnectionEnd.refused, false), (.reset, false), (.finished, true), (.reset, true),
        ] {
            var script = Script()
            script.start()
            for seconds in [2, 4, 8, 30, 30] {
                if isAccepted {
                    script.connected()
                    script.closed(end)
                } else {
                    script.connectFailed(end)
                }
                #expect(problem(script).contains("another client") && problem(script).contains("port"))
                let delay = wait(script) ?? .zero
                let expected = Duration.seconds(seconds)
                #expect(delay >= (seconds == 30 ? expected : expected * 4 / 5))
                #expect(seconds == 30 || delay < expected * 6 / 5)
                script.awaitAttempt()
            }
        }
    }

    @Test("a time-out hints at the firewall and the default user's password")
    func aTimeOutHintsAtTheFirewallAndTheDefaultUsersPassword() {
        var script = Script()
        script.start()
        script.connectFailed(.timedOut)
        #expect(problem(script).contains("firewall") && problem(script).contains("default"))
        #expect((wait(script) ?? .minutes(1)) < .seconds(2))
    }

    @Test(
        "a Honeywell or Uno greeting is not supported, whether its line ends or not",
        arguments: ["Login:", "Login:\r\n"])
    func aHoneywellOrUnoGreetingIsNotSupported(_ greeting: String) {
        var script = Script()
        script.start()
        script.connected()
        script.receive(Array(greeting.utf8))
        #expect(script.takeCloses() == 1)
        #expect(problem(script).contains("not supported yet"))
        #expect(script.takeEvents().map(\.code) == ["PANEL_REFUSED"])
        #expect((wait(script) ?? .zero) >= .minutes(5))
    }

    @Test("attempts go on for ever: within 2 s, doubling to 60 s, with a fifth of jitter")
    func attemptsGoOnForEver() {
        var script = Script()
        script.start()
        var expected = Duration.seconds(1)
        for _ in 0..<1000 {
            script.connectFailed(.timedOut)
            let delay = wait(script) ?? .zero
            #expect(delay >= expected * 4 / 5 && delay <= expected * 6 / 5)
            script.forget()
            script.advance(delay - .nanoseconds(1))
            #expect(script.takeConnects() == 0)
            script.advance(.nanoseconds(1))
            #expect(script.takeConnects() == 1)
            expected = min(expected * 2, .seconds(60))
        }
        #expect(script.session.counters.connectFailures == 1000)
    }

    @Test("a module that is not reached for 60 s after the start is told, once, with what to look at")
    func aModuleThatIsNotReachedFor60SAfterTheStartIsTold() {
        var script = Script()
        script.start()
        script.connectFailed(.timedOut)
        script.advance(.milliseconds(59_999))
        #expect(script.takeEvents().isEmpty)
        script.advance(.milliseconds(1))
        let events = script.takeEvents()
        #expect(events.map(\.code) == ["PANEL_OFFLINE"])
        #expect(events.first?.message.contains("power cycle") == true)
        for _ in 1...30 {
            script.connectFailed(.timedOut)
            script.awaitAttempt()
        }
        #expect(script.takeEvents().isEmpty)
    }

    @Test("a session that came up within the minute leaves nothing to tell")
    func aSessionThatCameUpWithinTheMinuteLeavesNothingToTell() {
        var script = Script()
        script.start()
        script.connectFailed(.timedOut)
        script.awaitAttempt()
        script.logIn()
        script.forget()
        script.advance(.seconds(90))
        #expect(!script.takeEvents().contains { $0.message.contains("since the start") })
    }

    @Test("a session that lasted a minute starts the delays anew, a short one does not")
    func aSessionThatLastedAMinuteStartsTheDelaysAnew() {
        var script = Script()
        script.start()
        for _ in 0..<8 {
            script.connectFailed(.timedOut)
            script.awaitAttempt()
        }
        script.logIn()
        script.resynchronise(["6501"])
        script.closed()
        #expect((wait(script) ?? .zero) > .seconds(40))
        script.awaitAttempt()
        script.logIn()
        script.resynchronise(["6501"])
        for _ in 0..<4 {
            script.advance(.seconds(20))
            script.feed("500000")
        }
        script.closed()
        #expect((wait(script) ?? .minutes(1)) < .seconds(2))
    }
}
