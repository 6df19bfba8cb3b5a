import AlarmModel
import ApplianceCore
import PhoneLink
import Testing
import Uplinks

@Suite("The watchdog's ping is earned")
struct WatchdogTests {
    /// The times of the pings, in seconds since the start.
    private func pings(_ bench: inout Bench, over span: Duration) -> [Double] {
        var times: [Double] = []
        var seen = bench.history.count
        for _ in 0..<Int(span / .milliseconds(250)) {
            bench.advance(.milliseconds(250))
            let new = bench.history[seen...].count { $0 == .notify(.alive) }
            seen = bench.history.count
            if new > 0 { times.append(Double((bench.now.boot - Bench.start.boot).milliseconds) / 1000) }
        }
        return times
    }

    private func longestGap(_ times: [Double], until end: Double) -> Double {
        zip([0] + times, times + [end]).map { $1 - $0 }.max() ?? end
    }

    private func started(_ watchdog: Duration? = .seconds(30), logsIn: Bool = true) -> Bench {
        var bench = Bench()
        bench.start { $0.watchdog = watchdog }
        if logsIn { bench.logIn() }
        return bench
    }

    @Test("a ping at half of the interval, for as long as all is well")
    func aPingAtHalfOfTheInterval() {
        var bench = started()
        let times = pings(&bench, over: .minutes(5))
        #expect(times.count == 20)
        #expect(longestGap(times, until: 301) <= 15.25)
    }

    @Test("nobody who watches, nobody who is told")
    func nobodyWhoWatches() {
        var bench = started(nil)
        #expect(pings(&bench, over: .minutes(2)).isEmpty)
        #expect(!bench.timers.contains { $0.id == .watchdog })
    }

    @Test("a dead panel, a panel that refuses and a disk that is silent or fails never stop the ping")
    func aDeadPanelAPanelThatRefusesAndADiskThatIsSilentOrFails() {
        for trouble in ["dead", "refused", "silent disk", "failing disk"] {
            var bench = started(logsIn: trouble != "refused")
            switch trouble {
            case "dead": bench.listens = false
            case "refused": bench.closePanel()
            case "silent disk": bench.disk = .silent
            case _: bench.disk = .fails(StoreFailure(.inputOutput, "sector 7"))
            }
            bench.panel("609003")
            let times = pings(&bench, over: .minutes(30))
            #expect(longestGap(times, until: 1801) <= 16, "\(trouble)")
        }
    }

    @Test("links that refuse everything, a modem service that never answers and nobody who takes an alarm never do")
    func linksThatRefuseEverything() throws {
        var configuration = Bench.configuration()
        let targets = try [1, 2].map { last in
            ProbeTarget(host: try #require(IPAddress(bytes: [198, 51, 100, last])), port: 443)
        }
        configuration.uplinks = UplinkSettings(
            links: [
                LinkSettings(name: "cable", kind: .ethernet, interface: "eth0"),
                LinkSettings(name: "modem", kind: .modem, interface: "wwan0", isMetered: true),
            ], targets: targets, probeName: "probe.test")
        configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
        configuration.texts = TextAlarmSettings(numbers: ["+43123456"], unless: .taken)
        for isThere in [false, true] {
            var bench = Bench(configuration)
            bench.listens = false
            bench.start(configuration) { $0.watchdog = .seconds(30) }
            let address = try #require(IPAddress(bytes: [192, 0, 2, 10]))
            if isThere { bench.feed(.links([LinkFacts(interface: "eth0", addresses: [address])])) }
            let times = pings(&bench, over: .hours(1))
            #expect(longestGap(times, until: 3600) <= 16, "\(isThere)")
        }
    }

    #if SABOTAGE
        @Test("a session that makes no progress stops the ping within its bound, and the log says which part it is")
        func aSessionThatMakesNoProgressStopsThePingWithinItsBound() {
            var bench = started()
            bench.advance(.minutes(1))
            bench.core.frozen = .panel
            let begin = Double((bench.now.boot - Bench.start.boot).milliseconds) / 1000
            let last = pings(&bench, over: .minutes(5)).last ?? begin
            // The poll is due every 20 s at the latest; then the machine's patience and half an interval.
            #expect(last - begin <= 40, "the last ping came \(last - begin) s after the freeze")
            let told = bench.logs.first { $0.level == .error && $0.message.contains("stuck") }
            #expect(told?.fields.contains { $0.value.contains("'panel'") } == true)
            bench.core.frozen = nil
            bench.feed(.timer(.panel))
            #expect(!pings(&bench, over: .seconds(20)).isEmpty, "it pings again once the part acts again")
        }

        @Test("a dial that never ends stops the ping until the session gives it up")
        func aDialThatNeverEndsStopsThePingUntilTheSessionGivesItUp() {
            var bench = started()
            bench.core.frozen = .dialer
            bench.listens = false
            bench.closePanel()
            let times = pings(&bench, over: .minutes(5))
            #expect(longestGap(times, until: 301) > 30, "longer than the service manager waits")
        }

        /// The house tells a web server: when that has ended the connection, the channel waits for nothing by itself.
        @Test("a lost timer of the channels stops the ping, also where no channel has a deadline of its own")
        func aLostTimerOfTheChannelsStopsThePing() throws {
            let url = "https://192.0.2.30:\(WebServer.port)/alarm"
            let target = try URLTarget(url, method: .post)
            var configuration = Bench.configuration()
            configuration.phones.channels = [.url(URLSettings(targets: [target]))]
            configuration.phones.house = [.init(kind: .url, value: url, triggers: [.alarm])]
            configuration.phones.heartbeat = nil
            var bench = Bench(configuration)
            bench.start(configuration) { $0.watchdog = .seconds(30) }
            bench.logIn()
            bench.advance(.minutes(2))
            #expect(!bench.timers.contains { $0.id == .phones })
            bench.core.frozen = .phones
            // What became of the second is to be written within a second.
            bench.panel("6011003")
            bench.advance(.milliseconds(100))
            bench.panel("6011004")
            #expect(bench.web.requests.count == 2)
            let connections = bench.history.compactMap { effect -> ConnectionID? in
                guard case .open(let id, let endpoint, _) = effect, endpoint.port == WebServer.port else { return nil }
                return id
            }
            bench.feed(.closed(try #require(connections.last), .finished))
            let begin = Double((bench.now.boot - Bench.start.boot).milliseconds) / 1000
            let last = pings(&bench, over: .minutes(5)).last ?? begin
            #expect(last - begin <= 15.25, "the last ping came \(last - begin) s after the timer was lost")
            let told = bench.logs.first { $0.level == .error && $0.message.contains("stuck") }
            #expect(told?.fields.contains { $0.value.contains("'phones'") } == true)
            bench.core.frozen = nil
            bench.feed(.timer(.phones))
            #expect(!pings(&bench, over: .seconds(20)).isEmpty, "it pings again once the timer is heard")
        }

        @Test("a panel link that waits for nothing at all is stuck")
        func aPanelLinkThatWaitsForNothingAtAllIsStuck() {
            var bench = Bench()
            bench.core.sabotage = .ignoresSilence
            bench.start { $0.watchdog = .seconds(30) }
            bench.logIn()
            #expect(!pings(&bench, over: .minutes(1)).isEmpty)
            #expect(!pings(&bench, over: .minutes(10)).isEmpty, "its timer is lost, but the session has a deadline")
        }
    #endif

    @Test("late for one round, as after a pause of the whole machine, is not stuck")
    func lateForOneRound() {
        var bench = started()
        bench.advance(.seconds(14))
        // The clock runs on and nothing is called meanwhile; then everything is, the ping's timer first.
        bench.now.boot = bench.now.boot + .seconds(60)
        let before = bench.notes.count { $0 == .alive }
        bench.feed(.timer(.watchdog))
        #expect(bench.notes.count { $0 == .alive } == before, "what is late may be stuck")
        bench.advance(.seconds(2))
        #expect(bench.notes.count { $0 == .alive } == before + 1)
        #expect(!bench.logs.contains { $0.message.contains("stuck") })
    }

    @Test("status says when the last ping left")
    func statusSaysWhenTheLastPingLeft() throws {
        var bench = started()
        bench.advance(.seconds(20))
        bench.ask(.status)
        guard case .status(let report)? = bench.answers().last else {
            Issue.record("no status")
            return
        }
        #expect(report.watchdog?.interval == .seconds(30))
        #expect(report.watchdog?.sincePing.map { $0 > .seconds(4) && $0 < .seconds(7) } == true)
        #expect(report.watchdog?.stuck == [])
    }
}

extension Bench {
    /// The panel goes away and takes no new connection.
    fileprivate mutating func closePanel() {
        listens = false
        guard let connection else { return }
        self.connection = nil
        feed(.closed(connection, .finished))
    }
}
