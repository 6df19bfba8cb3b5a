import AlarmModel
import PanelLink
import Testing

@Suite struct SessionLoginTests {
    @Test("the password waits for the greeting, then status and a poll bring the session up")
    func thePasswordWaitsForTheGreeting() {
        var script = Script()
        script.start()
        #expect(script.takeConnects() == 1)
        script.connected()
        script.advance(.seconds(3))
        #expect(script.takeSent().isEmpty)
        script.feed("5053")
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["005user"])
        script.feed("500005", "5051")
        #expect(script.session.state.link == .resynchronising)
        script.feed("615" + String(repeating: "0", count: 256))
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["001"])
        script.feed("500001", "610001", "609003", "6511", "8411", "51080", "51100")
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["000"])
        _ = script.takeEvents()
        script.feed("500000")
        #expect(script.session.state.link == .up)
        #expect(script.takeEvents().map(\.code) == ["PANEL_ONLINE"])
        #expect(script.session.state.partition(1)?.status == .known(.notReady))
        #expect(script.session.state.zone(3)?.open == .known(true))
        #expect(script.session.state.zone(1)?.open == .unknown)
        #expect(script.session.report(at: script.now).phase == .up)
    }

    @Test("5051 is a login whether or not 005 was acknowledged")
    func with5051IsALoginWhetherOrNot005WasAcknowledged() {
        var script = Script()
        script.start()
        script.connected()
        script.feed("5053")
        script.advance(.milliseconds(30))
        script.feed("5051")
        #expect(script.session.state.link == .resynchronising)
    }

    @Test("timers are asked for only if no 615 came by itself")
    func timersAreAskedForOnlyIfNo615CameByItself() {
        var script = Script()
        script.start()
        script.logIn(timers: false)
        script.resynchronise(["6501"])
        #expect(script.takeSent().last == "008")
        var other = Script()
        other.comeUp("6501")
        #expect(!other.takeSent().contains("008"))
    }

    @Test("the status report ends at its cap when no poll is answered")
    func theStatusReportEndsAtItsCapWhenNoPollIsAnswered() {
        var script = Script()
        script.start()
        script.logIn()
        script.advance(.milliseconds(30))
        script.feed("500001", "6501")
        script.advance(.milliseconds(4999))
        #expect(script.session.state.link == .resynchronising)
        script.advance(.milliseconds(1))
        #expect(script.session.state.link == .up)
    }
}
