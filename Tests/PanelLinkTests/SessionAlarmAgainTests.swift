import AlarmModel
import PanelLink
import Testing

/// An alarm before the link was lost, and one in the report behind it: the same, or another that nobody has been told?
@Suite struct SessionAlarmAgainTests {
    /// In alarm, then for at least so long without a session, then with a report that shows an alarm.
    private func inAlarmAgain(after outage: Duration) -> Script {
        var script = Script()
        script.comeUp("65210")
        script.feed("6541")
        script.closed()
        let end = script.now.boot + outage
        script.awaitAttempt()
        while script.now.boot < end {
            script.connectFailed(.timedOut)
            script.awaitAttempt()
        }
        script.logIn()
        script.forget()
        script.resynchronise(["6541"])
        return script
    }

    private func whileAway(_ script: inout Script) -> [Event] {
        script.takeEvents().filter { $0.flags.contains(.whileAway) }
    }

    @Test("an alarm after an outage in which the house can have been armed anew is told, an alarm that goes on is not")
    func anAlarmAfterAnOutageInWhichTheHouseCanHaveBeenArmedAnew() {
        var long = inAlarmAgain(after: .minutes(5))
        let anew = whileAway(&long)
        #expect(anew.map(\.raw) == ["6541"])
        #expect(anew.map(\.type) == [.alarm])
        var short = inAlarmAgain(after: .zero)
        let same = whileAway(&short)
        #expect(same.isEmpty)
    }

    @Test("a link that comes and goes during an alarm does not tell it at each login")
    func aLinkThatComesAndGoesDuringAnAlarmDoesNotTellItAtEachLogin() {
        var script = inAlarmAgain(after: .zero)
        for _ in 0..<17 {
            script.advance(.seconds(15))
            script.closed()
            script.awaitAttempt()
            script.logIn()
            script.resynchronise(["6541"])
        }
        let told = whileAway(&script)
        #expect(told.isEmpty)
        #expect(script.now.boot - Script.start.boot > .minutes(5))
    }

    @Test("sessions that end before their report do not make an outage shorter")
    func sessionsThatEndBeforeTheirReportDoNotMakeAnOutageShorter() {
        var script = inAlarmAgain(after: .zero)
        // For a minute the module is tried every five seconds.
        for _ in 0..<25 {
            script.closed()
            script.awaitAttempt()
            script.logIn()
        }
        #expect(script.now.boot - Script.start.boot > .minutes(5))
        script.forget()
        script.resynchronise(["6541"])
        let told = whileAway(&script)
        #expect(told.map(\.raw) == ["6541"])
    }

    @Test("after a restart nobody knows how long nobody looked: an alarm is told")
    func afterARestartNobodyKnowsHowLongNobodyLooked() {
        var known = PanelState()
        known.withPartition(1) { $0.status = .known(.alarm(.away)) }
        var script = Script(known: known)
        script.start()
        script.logIn()
        script.resynchronise(["6541"])
        let told = whileAway(&script)
        #expect(told.map(\.raw) == ["6541"])
    }
}
