import AlarmModel
import Glibc
import PhoneProtocol
import Testing

@Suite("supervision: the ping is earned", .serialized, .timeLimit(.minutes(15)))
struct SupervisionWatchdogTests {
    private func supervised(
        watchdog: Duration, freeze: String? = nil, _ configuration: Configuration = Configuration()
    ) throws -> (Appliance, Supervisor) {
        let house = try Appliance(configuration)
        let supervisor = try Supervisor(house, watchdog: watchdog)
        if let freeze { supervisor.environment["HOWALARMING_FREEZE"] = freeze }
        try supervisor.start()
        try supervisor.waitUntilReady()
        return (house, supervisor)
    }

    /// A house whose panel is polled every second, so that a stuck session is late soon.
    private var brisk: Configuration {
        var configuration = Configuration()
        configuration.pollInterval = "1s"
        return configuration
    }

    private func runUntilFrozen(_ supervisor: Supervisor, _ house: Appliance) throws {
        let file = "supervised-\(supervisor.startCount).err"
        let isFrozen = try supervisor.run(within: .patience) {
            house.directory.read(file).contains("frozen on purpose")
        }
        #expect(isFrozen, "\(supervisor.story)")
    }

    @Test("pings at half of the interval while all is well, and tells one line about the house")
    func pingsAtHalfOfTheIntervalWhileAllIsWell() throws {
        let (_, supervisor) = try supervised(watchdog: .seconds(2))
        let begin = ContinuousClock.now
        try supervisor.run(for: .seconds(5))
        // Every second, at twice the figure: the supervisor would have ended it.
        #expect(supervisor.longestSilence(since: begin) < .seconds(2), "\(supervisor.story)")
        #expect((3...6).contains(supervisor.pings.filter { $0 > begin }.count), "\(supervisor.story)")
        #expect(supervisor.startCount == 1 && !supervisor.hasAborted)
        #expect(supervisor.status.hasPrefix("panel up; storage good"), "\(supervisor.status)")
    }

    @Test("a frozen loop stops the ping at once; killed and started again, it is ready within the bound")
    func aFrozenLoopStopsThePingAtOnce() throws {
        let (house, supervisor) = try supervised(watchdog: .seconds(2), freeze: "loop:3")
        let begin = ContinuousClock.now
        let isAgainReady = try supervisor.run(within: .patience) {
            supervisor.times(of: .told("READY=1")).count == 2
        }
        #expect(isAgainReady, "\(supervisor.story)")
        let expired = try #require(supervisor.times(of: .watchdogExpired).first)
        #expect(expired - begin < .seconds(10), "frozen 3 s after the start, found after WatchdogSec")
        #expect(supervisor.ends == [128 + SIGABRT])
        let ready = try #require(supervisor.times(of: .told("READY=1")).last)
        // R13: with WatchdogSec=30 this leaves 45 s from the hang to READY.
        #expect(ready - expired < .seconds(15), "\(ready - expired)")
        try supervisor.run(for: .milliseconds(2500))
        #expect(supervisor.startCount == 2)
        try house.waitForRecord("the crash is told") { $0.message.contains("ended by a crash") }
    }

    @Test("a session that makes no progress stops the ping within its bound, and the log names the part")
    func aSessionThatMakesNoProgressStopsThePingWithinItsBound() throws {
        let (house, supervisor) = try supervised(watchdog: .seconds(2), freeze: "panel:3", brisk)
        let begin = ContinuousClock.now
        let log = { house.directory.read("supervised-1.err") }
        #expect(try supervisor.run(within: .patience) { supervisor.hasAborted }, "\(supervisor.story)")
        let expired = try #require(supervisor.times(of: .watchdogExpired).first)
        // Frozen after 3 s; a poll's deadline (2 s), the patience (5 s), half an interval (1 s), the watchdog (2 s).
        #expect(expired - begin < .seconds(26), "\(expired - begin)")
        #expect(log().contains("a part of the program is stuck") && log().contains("'panel'"), "\(log().suffix(600))")
        try supervisor.waitUntilReady(2)
        try house.waitUntilUp()
    }

    @Test("a stopped process is killed and started again, also when it does not react to SIGABRT")
    func aStoppedProcessIsKilledAndStartedAgain() throws {
        let (_, supervisor) = try supervised(watchdog: .seconds(2))
        supervisor.daemon?.signal(SIGSTOP)
        let begin = ContinuousClock.now
        try supervisor.waitUntilReady(2)
        #expect(supervisor.times(of: .killed).count == 1)
        #expect(supervisor.ends == [128 + SIGKILL])
        #expect(ContinuousClock.now - begin < .seconds(14))
    }

    @Test("killed, it is ready again within two seconds, of which the service manager waits half a one")
    func killedItIsReadyAgainWithinTwoSecondsOfWhichTheService() throws {
        let (_, supervisor) = try supervised(watchdog: .seconds(20))
        var spans: [Duration] = []
        for count in 2...6 {
            try supervisor.run(for: .milliseconds(150 * count))
            let begin = ContinuousClock.now
            supervisor.daemon?.signal(SIGKILL)
            try supervisor.waitUntilReady(count)
            spans.append(ContinuousClock.now - begin)
        }
        let longest = try #require(spans.max())
        print("from kill -9 to READY: \(spans.sorted()[spans.count / 2]), longest \(longest)")
        // Twice the figure, as everywhere with real peers.
        #expect(longest < .seconds(4), "\(supervisor.story)")
    }

    @Test("a pause that is shorter than the watchdog's patience costs nothing")
    func aPauseThatIsShorterThanTheWatchdogsPatienceCostsNothing() throws {
        let (_, supervisor) = try supervised(watchdog: .seconds(12), brisk)
        #expect(try supervisor.run(within: .patience) { !supervisor.pings.isEmpty })
        supervisor.daemon?.signal(SIGSTOP)
        // Longer than the patience with any part, shorter than the watchdog's.
        try supervisor.run(for: .seconds(6))
        supervisor.daemon?.signal(SIGCONT)
        let before = supervisor.pings.count
        #expect(try supervisor.run(within: .patience) { supervisor.pings.count > before || supervisor.hasAborted })
        #expect(supervisor.startCount == 1 && !supervisor.hasAborted, "\(supervisor.story)")
    }

    @Test("a dead panel and a dead push service never stop the ping")
    func aDeadPanelAndADeadPushServiceNeverStopThePing() throws {
        let pollInterval = brisk.pollInterval
        let phones = try PhoneHouse { configuration, _ in
            configuration.pollInterval = pollInterval
            configuration.timing.append("answer_deadline: 1s")
        }
        let supervisor = try Supervisor(phones.house, watchdog: .seconds(2))
        try supervisor.start()
        try supervisor.waitUntilReady()
        #expect(try supervisor.run(within: .patience) { supervisor.status.hasPrefix("panel up") })
        phones.house.panel.program.signal(SIGSTOP)
        phones.push.program.signal(SIGSTOP)
        #expect(try supervisor.run(within: .patience) { supervisor.status.hasPrefix("panel down") })
        phones.house.panel.program.kill9()
        phones.push.program.kill9()
        // The patience with a machine, the second look and the watchdog.
        try supervisor.run(for: .seconds(8))
        #expect(supervisor.startCount == 1 && !supervisor.hasAborted)
        #expect(supervisor.status.hasPrefix("panel down"), "\(supervisor.status)")
    }

    @Test("with a stuck disk alarms still leave and the ping goes on; it ends in one planned restart, and only one")
    func withAStuckDiskAlarmsStillLeaveAndThePingGoesOn() throws {
        var configuration = brisk
        configuration.pace += ["store_stall: 500ms", "stall_restart: 6s"]
        let (house, supervisor) = try supervised(watchdog: .seconds(2), freeze: "disk:3", configuration)
        #expect(try supervisor.run(within: .patience) { supervisor.status.hasPrefix("panel up") })
        let follower = try house.follow()
        try runUntilFrozen(supervisor, house)
        let begin = ContinuousClock.now
        // An alarm that no partition keeps: the restart waits for the end of one that does.
        try house.house("key fire")
        let isTold = try supervisor.run(within: .patience) { follower.output.contains("\"u\"") }
        #expect(isTold, "the alarm leaves without its row: \(follower.report)")
        try house.house("keypad 1 disarm")
        let hasEnded = try supervisor.run(within: .patience) { !supervisor.ends.isEmpty }
        #expect(hasEnded, "\(supervisor.story)")
        #expect(supervisor.ends == [75])
        #expect(supervisor.longestSilence(since: begin, until: supervisor.times(of: .ended(75))[0]) < .seconds(8))
        #expect(!supervisor.hasAborted)
        try supervisor.waitUntilReady(2)
        try house.waitUntilUp()
    }

    @Test("a disk that is stuck again after its restart costs no second one")
    func aDiskThatIsStuckAgainAfterItsRestartCostsNoSecondOne() throws {
        var configuration = brisk
        configuration.pace += ["store_stall: 500ms", "stall_restart: 3s"]
        let (house, supervisor) = try supervised(watchdog: .seconds(2), freeze: "disk:2", configuration)
        try runUntilFrozen(supervisor, house)
        try house.house("open 3")
        #expect(try supervisor.run(within: .patience) { supervisor.ends == [75] }, "\(supervisor.story)")
        supervisor.environment["HOWALARMING_FREEZE"] = "disk:2"
        try supervisor.waitUntilReady(2)
        try runUntilFrozen(supervisor, house)
        try house.house("close 3")
        let isTold = try supervisor.run(within: .patience) { supervisor.status.contains("storage:") }
        #expect(isTold, "\(supervisor.status)")
        // Twice the time after which the first one was restarted.
        try supervisor.run(for: .seconds(6))
        #expect(supervisor.status.contains("storage:"), "\(supervisor.status)")
        #expect(supervisor.startCount == 2 && !supervisor.hasAborted, "\(supervisor.story)")
    }
}
