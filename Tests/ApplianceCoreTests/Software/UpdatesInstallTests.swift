import AlarmModel
import ApplianceCore
import PhoneProtocol
import SoftwareUpdate
import Testing

@Suite("A newer version over the line is installed when asked, or at night, and only when nothing hinders it")
struct UpdatesInstallTests {
    /// It is known that 1.1.0 is offered.
    private func offered(
        _ installing: UpdateSource.Installing = .asked, isTrial: Bool = false,
        _ change: (inout Start) -> Void = { _ in }
    ) throws -> Bench {
        var bench = try UpdatesBench.up(installing, isTrial: isTrial, change)
        bench.advance(.minutes(21))
        #expect(bench.fetcher.tasks == [.ask])
        bench.forget()
        bench.fetcher.requests = []
        return bench
    }

    private func error(_ bench: Bench) -> String? {
        guard case .error(let why)? = bench.answers().last else { return nil }
        return why
    }

    /// The bench begins at 11:06 of the local day.
    private static let untilNight = Duration.hours(15)

    @Test("asked for, it is fetched, handed to the updater, and told when it lies in the other slot; nothing restarts")
    func askedForItIsFetchedAndInstalled() throws {
        var bench = try offered()
        bench.ask(.updates(.install))
        #expect(bench.fetcher.tasks == [.get, .follow])
        #expect(
            bench.history.contains(.update(bundle: "/data/howalarming-fetch/update.bundle", isOlderConfirmed: false)))
        guard case .changed(let words)? = bench.answers().last else {
            Issue.record("\(bench.answers())")
            return
        }
        #expect(words.contains("1.1.0"))
        let events = bench.events(.update).map(\.message)
        #expect(events.contains("The installation of version 1.1.0 was asked for at the box."))
        #expect(events.last?.contains("restart the machine to start it") ?? false)
        #expect(try #require(try bench.status()).updates?.isInstalled ?? false)
        bench.advance(.hours(48))
        #expect(UpdatesBench.reboots(bench) == 0)
        #expect(UpdatesBench.updates(bench) == 1)
    }

    @Test("asked for while the host is being asked, or without an offer, it is refused with what to do")
    func withoutAnOfferItIsRefused() throws {
        var bench = try UpdatesBench.up()
        bench.ask(.updates(.install))
        #expect(try #require(error(bench)).contains("--ask"))
        bench.fetcher.answers[.ask] = []
        bench.ask(.updates(.ask))
        #expect(bench.fetcher.tasks == [.ask])
        bench.ask(.updates(.ask), as: 2)
        guard case .error(let why)? = bench.answers(2).last else {
            Issue.record("two at a time")
            return
        }
        #expect(why.contains("under way"))
        var plain = Bench.up()
        plain.ask(.updates(.ask))
        #expect(error(plain) != nil)
    }

    @Test(
        "armed, in alarm, in a delay, without mains, without a panel, on trial: refused, also when it comes about meanwhile",
        arguments: [
            (["65210"], "armed"), (["6561"], "delay"), (["6571"], "delay"), (["6541"], "alarm"), (["802"], "mains"),
        ])
    func whileSomethingHindersItIsRefused(_ lines: [String], _ word: String) throws {
        var bench = try offered()
        for line in lines { bench.panel(line) }
        bench.ask(.updates(.install))
        #expect(try #require(error(bench)).contains(word))
        #expect(bench.fetcher.requests.isEmpty)

        var later = try offered()
        later.fetcher.answers[.get] = []
        later.ask(.updates(.install))
        #expect(later.fetcher.tasks == [.get])
        for line in lines { later.panel(line) }
        if let input = later.fetcher.says(FetchAnswer.got(UpdatesBench.newer).json.utf8 + [0x0A]) { later.feed(input) }
        #expect(UpdatesBench.updates(later) == 0)
        #expect(later.fetcher.tasks == [.get])
        #expect(try #require(try later.status()).updates?.problem?.contains(word) ?? false)
    }

    @Test("on trial, and without a panel, it is refused")
    func onTrialItIsRefused() throws {
        var bench = try offered(isTrial: true) {
            $0.configuration.update.healthyAfter = .hours(1); $0.configuration.update.giveUpAfter = .hours(9)
        }
        bench.ask(.updates(.install))
        #expect(try #require(error(bench)).contains("proved"))
        bench.advance(.hours(1))
        bench.ask(.updates(.install))
        #expect(bench.fetcher.tasks.contains(.get))

        var away = try UpdatesBench.up(logsIn: false)
        away.advance(.minutes(21))
        away.ask(.updates(.install))
        #expect(try #require(error(away)).contains("panel"))
    }

    @Test("at night it is fetched, installed and started between two and four, once")
    func atNightItIsFetchedInstalledAndStarted() throws {
        var bench = try offered(.night)
        bench.advance(.hours(14))
        #expect(!bench.fetcher.tasks.contains(.get))
        bench.advance(.hours(1))
        #expect(bench.fetcher.tasks == [.get, .follow])
        #expect(UpdatesBench.updates(bench) == 1)
        #expect(UpdatesBench.reboots(bench) == 1)
        #expect(bench.events(.update).last?.message.contains("restarts now") ?? false)
        bench.advance(.hours(72))
        #expect(UpdatesBench.reboots(bench) == 1)
        #expect(UpdatesBench.updates(bench) == 1)
        // 'asked' does nothing at night.
        var asked = try offered()
        asked.advance(.hours(72))
        #expect(UpdatesBench.updates(asked) == 0)
        #expect(!asked.fetcher.tasks.contains(.get))
    }

    @Test("a house that is armed at night is left alone, and done in the next night in which it is not")
    func aHouseThatIsArmedAtNightIsLeftAlone() throws {
        var bench = try offered(.night)
        bench.panel("65210")
        bench.advance(.hours(24))
        #expect(!bench.fetcher.tasks.contains(.get))
        bench.panel("6551")
        bench.advance(Self.untilNight)
        #expect(UpdatesBench.reboots(bench) == 1)
    }

    @Test("armed while it is being installed, it starts in the next night")
    func armedWhileItIsBeingInstalledItStartsInTheNextNight() throws {
        var bench = try offered(.night)
        bench.fetcher.answers[.follow] = []
        bench.advance(Self.untilNight)
        #expect(bench.fetcher.tasks == [.get, .follow])
        bench.panel("65210")
        if let input = bench.fetcher.says(FetchAnswer.installed.json.utf8 + [0x0A]) { bench.feed(input) }
        bench.advance(.hours(8))
        #expect(UpdatesBench.reboots(bench) == 0)
        bench.panel("6551")
        bench.advance(.hours(24))
        #expect(UpdatesBench.reboots(bench) == 1)
        #expect(UpdatesBench.updates(bench) == 1)
    }

    @Test("what is refused or fails at night is told, and tried no second time by itself; a newer one is")
    func whatFailsAtNightIsToldAndNotTriedAgain() throws {
        var bench = try offered(.night)
        bench.fetcher.answers[.follow] = [.refused("the bundle needs 300 MB")]
        bench.advance(.hours(24 * 4))
        #expect(bench.fetcher.tasks.count { $0 == .get } == 1)
        let faults = bench.events(.update).filter { $0.type == .fault }
        #expect(faults.count == 1)
        #expect(faults.first?.message.contains("300 MB") ?? false)
        #expect(UpdatesBench.reboots(bench) == 0)
        let next = FetchAnswer.Offer(number: 9, version: "1.2.0", isNewer: true)
        bench.fetcher.answers = [.ask: [.offer(next)], .get: [.got(next)], .follow: [.installed]]
        bench.advance(.hours(48))
        #expect(UpdatesBench.reboots(bench) == 1)
    }

    @Test("a version that did not prove itself is not installed again by itself, over restarts")
    func aVersionThatDidNotProveItselfIsNotInstalledAgain() throws {
        var state = SlotState.initial
        state.activate(.b)
        for _ in 0..<3 { #expect(state.boot() == .b) }
        #expect(state.boot() == .a)
        let slots = SlotReport(running: .a, state: state, versions: [.a: "1.0.0", .b: "1.1.0"])
        var bench = try UpdatesBench.up(.night) {
            $0.slots = slots
            $0.snapshot = Snapshot(
                software: SoftwareRecord(
                    version: "1.1.0", hadSession: true, offer: UpdatesBench.record))
        }
        bench.advance(.hours(72))
        #expect(!bench.fetcher.tasks.contains(.get))
        #expect(UpdatesBench.reboots(bench) == 0)
        bench.ask(.updates(.install))
        #expect(bench.fetcher.tasks.contains(.get))
    }

    @Test("what was installed before a restart of the daemon starts in the night")
    func whatWasInstalledBeforeARestartOfTheDaemonStartsInTheNight() throws {
        var state = SlotState.initial
        state.activate(.b)
        let slots = SlotReport(running: .a, state: state, versions: [.a: "1.0.0", .b: "1.1.0"])
        var bench = try UpdatesBench.up(.night) {
            $0.slots = slots
            $0.snapshot = Snapshot(
                software: SoftwareRecord(
                    version: "1.0.0", hadSession: true, offer: UpdatesBench.record))
        }
        bench.advance(Self.untilNight + .hours(1))
        #expect(UpdatesBench.updates(bench) == 0)
        #expect(UpdatesBench.reboots(bench) == 1)
    }

    @Test("only a console that is unlocked may ask for it")
    func onlyAConsoleThatIsUnlockedMayAskForIt() throws {
        var bench = try offered()
        bench.ask(.console(.begin))
        bench.ask(.updates(.install))
        #expect(error(bench) != nil)
        #expect(bench.fetcher.requests.isEmpty)
    }
}
