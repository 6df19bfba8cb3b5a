import AlarmModel
import PanelLink
import Testing

@Suite struct SessionReportTests {
    private static func timers(_ entries: [Int: String]) -> String {
        "615" + (1...64).map { entries[$0] ?? "0000" }.joined()
    }

    private func codes(_ events: [Event]) -> [String] { events.map(\.raw) }

    /// Up with a report, lost, logged in again; the second report is up to the test.
    private func reconnected(_ report: String..., timers: String? = nil) -> Script {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(report)
        script.closed()
        script.advance(.seconds(2))
        script.logIn(timers: timers == nil)
        if let timers { script.feed(timers) }
        script.forget()
        return script
    }

    @Test("temperatures are asked for after the login where that is wished, and known then", arguments: [true, false])
    func temperaturesAreAskedForWhereThatIsWished(isWished: Bool) {
        var settings = Script.settings()
        settings.asksTemperatures = isWished
        var script = Script(settings)
        script.start()
        script.logIn()
        script.resynchronise(["6501"])
        script.answered = ["000", "008", "010"]
        script.advance(.seconds(10))
        #expect(script.takeSent().contains("0571") == isWished)
        script.feed("500057", "5611021")
        #expect(
            script.session.state.system.temperatures == [Temperature(thermostat: 1, place: .indoor, degrees: 21)])
        // Taken: it is not asked for again.
        script.advance(.seconds(10))
        #expect(!script.takeSent().contains("0571"))
    }

    @Test("an identical state after a reconnect makes no event")
    func anIdenticalStateAfterAReconnectMakesNoEvent() {
        let report = ["610001", "609003", "65211", "6732", "8401", "8412", "510C2", "51100"]
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(report)
        #expect(script.takeEvents().map(\.code) == ["615", "PANEL_ONLINE"])
        script.closed()
        script.advance(.seconds(2))
        script.logIn()
        script.resynchronise(report)
        #expect(script.takeEvents().map(\.code) == ["PANEL_OFFLINE", "615", "PANEL_ONLINE"])
        #expect(script.session.state.partition(2)?.status == .known(.notEnabled))
        #expect(script.session.state.partition(1)?.status == .known(.armed(.stay)))
    }

    @Test("what differs is told as while away, with the class of its code")
    func whatDiffersIsToldAsWhileAway() {
        var script = reconnected("609003", "6511", "8411", "51080")
        #expect(script.session.state.zone(3)?.open == .stale(true))
        script.resynchronise(["609003", "65210", "8401", "51082"])
        let events = script.takeEvents().filter { $0.flags.contains(.whileAway) }
        #expect(codes(events) == ["65210", "8401", "51082"])
        #expect(events.map(\.type) == [.armed, .fault, .info])
        #expect(events.first?.message == "while away: partition 1 Ground floor armed away")
    }

    @Test("an alarm at the very first report is an event, other first knowledge is not")
    func anAlarmAtTheVeryFirstReportIsAnEvent() {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(["609003", "6541"])
        #expect(codes(script.takeEvents().filter { $0.flags.contains(.whileAway) }) == ["6541"])
    }

    @Test("a second line for the same item is news")
    func aSecondLineForTheSameItemIsNews() {
        var script = Script()
        script.start()
        script.logIn()
        script.forget()
        script.advance(.milliseconds(30))
        script.feed("500001", "609003", "610003", "6511", "6501")
        let events = script.takeEvents()
        #expect(codes(events) == ["610003", "6501"])
        #expect(events.allSatisfy { $0.flags.isEmpty })
    }

    @Test("other lines inside the report are news too")
    func otherLinesInsideTheReportAreNewsToo() {
        var script = Script()
        script.start()
        script.logIn()
        script.forget()
        script.advance(.milliseconds(30))
        script.feed("500001", "610001", "6011005", "802", "75010040")
        #expect(codes(script.takeEvents()) == ["6011005", "802", "75010040"])
    }

    @Test("what the report does not mention stays stale")
    func whatTheReportDoesNotMentionStaysStale() {
        var script = reconnected("609003", "6511")
        script.resynchronise(["8411"])
        #expect(script.session.state.zone(3)?.open == .stale(true))
        #expect(script.session.state.partition(1)?.status == .stale(.notReady))
        #expect(script.session.state.link == .up)
    }

    @Test("closed is not believed without proof: stale stays stale, unknown stays unknown")
    func closedIsNotBelievedWithoutProof() {
        var script = reconnected("609003", "6511")
        script.resynchronise(["610001", "610003", "6501"])
        #expect(script.session.state.zone(1)?.open == .unknown)
        #expect(script.session.state.zone(3)?.open == .stale(true))
        #expect(!codes(script.takeEvents()).contains("610003"))
        script.feed("610003")
        #expect(script.session.state.zone(3)?.open == .known(false))
    }

    @Test("a counter of the zone proves it closed, also when the timers come later")
    func aCounterOfTheZoneProvesItClosed() {
        var script = reconnected("609003", "6511", timers: Self.timers([3: "FEFF"]))
        script.resynchronise(["610003", "610004"])
        #expect(script.session.state.zone(3)?.open == .known(false))
        #expect(script.session.state.zone(4)?.open == .unknown)
        #expect(codes(script.takeEvents().filter { $0.flags.contains(.whileAway) }) == ["610003"])

        var late = reconnected("609003", "6511")
        late.resynchronise(["610003"])
        #expect(late.session.state.zone(3)?.open == .stale(true))
        late.feed(Self.timers([3: "FEFF"]))
        #expect(late.session.state.zone(3)?.open == .known(false))
        #expect(codes(late.takeEvents().filter { $0.flags.contains(.whileAway) }) == ["610003"])
    }

    @Test("a module that ran since the zone was last known proves it too, a younger one does not")
    func aModuleThatRanSinceTheZoneWasLastKnownProvesItToo() {
        // Zone 1's counter is 1435 s old: the module did not restart within the two seconds of the outage.
        var script = reconnected("609003", "6511", timers: Self.timers([1: "E0FE"]))
        script.resynchronise(["610003"])
        #expect(script.session.state.zone(3)?.open == .known(false))

        var young = Script()
        young.start()
        young.logIn()
        young.resynchronise(["609003"])
        young.closed()
        for _ in 0..<60 {
            young.connectFailed(.timedOut)
            young.awaitAttempt()
        }
        young.logIn(timers: false)
        young.feed(Self.timers([1: "E0FE"]))
        young.resynchronise(["610003"])
        #expect(young.session.state.zone(3)?.open == .stale(true))
    }

    @Test("after a restart of the daemon the stored state is stale and compared")
    func afterARestartOfTheDaemonTheStoredStateIsStaleAndCompared() {
        var known = PanelState()
        known.withPartition(1) { $0.status = .known(.armed(.away)) }
        var script = Script(known: known)
        #expect(script.session.state.partition(1)?.status == .stale(.armed(.away)))
        script.start()
        script.logIn()
        script.resynchronise(["6501"])
        let event = script.takeEvents().first { $0.code == "650" }
        #expect(event?.type == .disarmed)
        #expect(event?.flags == .whileAway)
    }

    @Test("busy in a report means not enabled, unless the partition is configured or was seen")
    func busyInAReportMeansNotEnabled() {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(["6731", "6732"])
        #expect(script.session.state.partition(1)?.status == .unknown)
        #expect(script.session.state.partition(1)?.isBusy == true)
        #expect(script.session.state.partition(2)?.status == .known(.notEnabled))
        #expect(script.takeEvents().map(\.code) == ["615", "PANEL_ONLINE"])
    }

    @Test("after a rejected line the panel is asked for its state, at most once a minute")
    func afterARejectedLineThePanelIsAskedForItsState() {
        var script = Script()
        script.comeUp("609003", "6511")
        script.answered = ["000"]
        script.advance(.seconds(60))
        script.forget()
        // The right sum would be 2A.
        script.feedRaw("61000300\r\n")
        script.advance(.seconds(2))
        #expect(script.takeSent().filter { $0.hasPrefix("001") }.count == 1)
        script.feed("500001", "610003", "6501")
        script.advance(.seconds(1))
        let missed = script.takeEvents().filter { $0.flags.contains(.whileAway) }
        #expect(codes(missed) == ["610003", "6501"])
        script.feedRaw("61000300\r\n")
        script.advance(.seconds(50))
        #expect(script.takeSent().filter { $0.hasPrefix("001") }.isEmpty)
        script.advance(.seconds(11))
        #expect(script.takeSent().filter { $0.hasPrefix("001") }.count == 1)
    }

    @Test("a report that the module refuses is asked for again within a minute")
    func aReportThatTheModuleRefusesIsAskedForAgainWithinAMinute() {
        var script = Script()
        script.comeUp("65210")
        script.answered = ["000"]
        // 6551 with a wrong sum; and somebody is at the keypad.
        script.feedRaw("655100\r\n")
        var asked = 0
        for _ in 0..<500 {
            script.advance(.milliseconds(10))
            for line in script.takeSent() where line == "001" {
                asked += 1
                script.feed("502018")
            }
        }
        #expect(asked == 3)
        #expect(script.session.state.partition(1)?.status == .known(.armed(.away)))
        #expect(script.session.awaitsReport)
        script.advance(.seconds(57))
        let again = script.takeSent()
        #expect(again.contains("001"))
        script.feed("500001", "6551")
        #expect(script.session.state.partition(1)?.status == .known(.disarmed))
    }

    @Test("a login whose report is refused or not answered is up, and the panel is asked again")
    func aLoginWhoseReportIsRefusedOrNotAnsweredIsUp() {
        var script = Script()
        script.start()
        script.logIn()
        script.advance(.milliseconds(30))
        script.feed("502017")
        #expect(script.session.state.link == .up)
        script.forget()
        script.advance(.seconds(2))
        let again = script.takeSent()
        #expect(again == ["001"])
        script.feed("500001", "6541")
        script.submit(.silence(partition: 1))
        #expect(script.session.state.partition(1)?.status == .known(.alarm(nil)))
        let outcomes = script.takeOutcomes()
        #expect(outcomes.isEmpty, "it can be silenced now")

        var mute = Script()
        mute.start()
        mute.logIn()
        mute.answered = ["000"]
        mute.advance(.seconds(12))
        #expect(mute.session.state.link == .up)
        let asked = mute.takeSent().count { $0 == "001" }
        #expect(asked == 3, "twice for the login, and once more")
    }

    @Test("noise without end does not put the question off")
    func noiseWithoutEndDoesNotPutTheQuestionOff() {
        var script = Script()
        script.comeUp("6501")
        script.answered = ["000"]
        for _ in 0..<20 {
            script.feedRaw("61000300\r\n")
            script.advance(.milliseconds(500))
        }
        #expect(script.takeSent().contains { $0.hasPrefix("001") })
    }

    @Test("zones 65 to 128 are one event, however often a module reports them; an alarm is not silenced")
    func zonesBeyond64AreOneEvent() {
        var script = Script()
        script.comeUp("6501")
        _ = script.takeEvents()
        for _ in 1...3 { for zone in 65...128 { script.feed("610\(zone < 100 ? "0" : "")\(zone)") } }
        let told = script.takeEvents().map(\.code)
        #expect(told == ["610"])
        script.feed("6011070")
        let alarm = script.takeEvents().map(\.code)
        #expect(alarm == ["601"])
    }
}
