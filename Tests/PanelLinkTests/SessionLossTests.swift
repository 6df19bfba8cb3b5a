import AlarmModel
import PanelLink
import Testing

/// A panel that is torn out while the house is armed (docs/envisalink.md 1.5).
@Suite("Losing the panel while the house is armed")
struct SessionLossTests {
    /// In step, with this status of partition 1.
    private static func up(_ status: String = "65210", _ alarm: LossAlarm = .armed) -> Script {
        var settings = Script.settings()
        settings.lossIsAlarm = alarm
        var script = Script(settings)
        script.comeUp(status)
        script.answered = ["000"]
        return script
    }

    private static func alarms(_ script: inout Script) -> [Event] { script.takeEvents().filter { $0.type == .alarm } }

    /// Nobody answers for so long.
    private static func silence(_ script: inout Script, _ span: Duration) {
        let end = script.now.boot + span
        while let next = script.session.nextDeadline, next <= end {
            script.advance(max(.zero, next - script.now.boot))
            if script.session.report(at: script.now).phase == .connecting { script.connectFailed(.timedOut) }
        }
        script.advance(end - script.now.boot)
    }

    /// The module answers again, with this report.
    private static func comeBack(_ script: inout Script, _ report: String...) {
        script.awaitAttempt()
        script.logIn()
        script.resynchronise(report)
    }

    @Test(
        "armed, in exit delay, in entry delay, in alarm: a lost session is an alarm after exactly 60 s",
        arguments: [("65210", "is armed"), ("6561", "is in exit delay"), ("6541", "is in alarm")])
    func aLostSessionIsAnAlarmAfterExactly60S(_ status: String, _ words: String) throws {
        var script = Self.up(status)
        script.closed()
        Self.silence(&script, .milliseconds(59_999))
        let early = script.takeEvents()
        #expect(early.map(\.code) == ["PANEL_OFFLINE"] && early.map(\.type) == [.fault])
        Self.silence(&script, .milliseconds(1))
        let told = script.takeEvents()
        #expect(told.map(\.code) == ["PANEL_OFFLINE"] && told.map(\.type) == [.alarm])
        let alarm = try #require(told.first)
        #expect(alarm.priority == .alarm)
        #expect(alarm.message.hasPrefix("The alarm module has not answered for 60 s while Ground floor \(words): "))
        Self.silence(&script, .hours(2))
        #expect(script.takeEvents().isEmpty)
        Self.comeBack(&script, status)
        let back = script.takeEvents().filter { $0.code.hasPrefix("PANEL") }
        #expect(back.map(\.type) == [.recovery])
    }

    @Test("in the entry delay, which the panel tells only as it begins, too")
    func inTheEntryDelay() {
        var script = Self.up()
        script.feed("6571")
        script.closed()
        Self.silence(&script, .seconds(60))
        #expect(Self.alarms(&script).map(\.code) == ["PANEL_OFFLINE"])
    }

    @Test("a module that falls silent is an alarm 90 s after its last answer")
    func aModuleThatFallsSilentIsAnAlarm90SAfterItsLastAnswer() {
        var script = Self.up()
        script.answered = []
        Self.silence(&script, .milliseconds(89_900))
        #expect(Self.alarms(&script).isEmpty)
        Self.silence(&script, .milliseconds(200))
        #expect(Self.alarms(&script).count == 1)
    }

    @Test("a disarmed house hears of a fault, as ever; 'always' makes it an alarm, 'never' none of an armed one")
    func aDisarmedHouseHearsOfAFault() {
        for (status, setting, count) in [
            ("6501", LossAlarm.armed, 0), ("6511", .armed, 0), ("6501", .always, 1), ("65210", .never, 0),
        ] {
            var script = Self.up(status, setting)
            script.closed()
            Self.silence(&script, .minutes(10))
            let events = script.takeEvents()
            #expect(events.count { $0.type == .fault } == 1, "\(status) \(setting)")
            #expect(events.count { $0.type == .alarm } == count, "\(status) \(setting)")
        }
    }

    @Test("a module that rebooted and is back within the hold-off is no alarm, nor is a stop of ours")
    func aModuleThatRebootedIsNoAlarm() {
        var script = Self.up()
        script.closed()
        Self.silence(&script, .seconds(50))
        Self.comeBack(&script, "65210")
        #expect(script.session.state.link == .up)
        script.advance(.minutes(10))
        #expect(Self.alarms(&script).isEmpty)
        script.stop()
        script.advance(.hours(1))
        #expect(script.session.nextDeadline == nil)
        #expect(Self.alarms(&script).isEmpty)
    }

    @Test("our own restart is none while the module is back within five minutes; one that stays away is")
    func ourOwnRestartIsNone() {
        var known = PanelState()
        known.withPartition(1) { $0.status = .known(.armed(.away)) }
        var well = Script(known: known)
        well.start()
        Self.silence(&well, .seconds(200))
        Self.comeBack(&well, "65210")
        well.answered = ["000"]
        well.advance(.minutes(10))
        #expect(Self.alarms(&well).isEmpty)

        var gone = Script(known: known)
        gone.start()
        Self.silence(&gone, .milliseconds(299_999))
        let early = gone.takeEvents()
        #expect(early.map(\.type) == [.fault], "as before, after a minute")
        Self.silence(&gone, .milliseconds(1))
        let told = Self.alarms(&gone)
        #expect(told.map(\.message).first?.contains("for 300 s while") == true)
    }

    @Test("one alarm for each arming, however often the module goes, and over restarts; the next arming has its own")
    func oneAlarmForEachArming() {
        var script = Self.up()
        for round in 0..<5 {
            script.closed()
            Self.silence(&script, .minutes(3))
            #expect(Self.alarms(&script).count == (round == 0 ? 1 : 0))
            Self.comeBack(&script, "65210")
        }
        #expect(script.session.state.system.toldLosses == [.module])

        var next = Script(known: script.session.state)
        next.start()
        Self.silence(&next, .minutes(20))
        #expect(Self.alarms(&next).isEmpty)
        Self.comeBack(&next, "6501")
        next.answered = ["000"]
        #expect(next.session.state.system.toldLosses == nil)
        next.feed("6561", "65210")
        next.closed()
        Self.silence(&next, .minutes(3))
        #expect(Self.alarms(&next).count == 1)
    }

    @Test("'always', and nobody arms: a loss within the hour after the last is not told again, a later one is")
    func alwaysAndNobodyArms() {
        var script = Self.up("6501", .always)
        for (pause, count) in [(Duration.minutes(1), 1), (.minutes(30), 0), (.minutes(61), 1)] {
            script.advance(pause)
            script.closed()
            Self.silence(&script, .minutes(3))
            #expect(Self.alarms(&script).count == count, "after \(pause)")
            Self.comeBack(&script, "6501")
        }
    }

    @Test("while the hold-off runs the module is tried every 5 s at least, whatever it does; then as usual")
    func whileTheHoldOffRunsTheModuleIsTriedEvery5S() {
        for refuses in [true, false] {
            var script = Self.up()
            script.closed()
            let lostAt = script.now.boot
            var attempts: [Duration] = []
            while script.now.boot - lostAt < .minutes(5), let next = script.session.nextDeadline {
                script.advance(max(.zero, next - script.now.boot))
                guard script.takeConnects() > 0 else { continue }
                attempts.append(script.now.boot - lostAt)
                if refuses { script.connectFailed(.refused) }
            }
            let early = attempts.filter { $0 <= .seconds(60) }
            let gaps = zip([.zero] + early, early).map { $1 - $0 }
            #expect(gaps.allSatisfy { $0 <= .seconds(5) }, "\(gaps)")
            #expect(early.count >= 12)
            #expect(attempts.count - early.count <= 10, "\(attempts)")
        }
    }

    @Test("a wrong password is not tried every 5 s: only a person can mend it")
    func aWrongPasswordIsNotTriedEvery5S() {
        var script = Self.up()
        script.closed()
        script.awaitAttempt()
        script.connected()
        script.feed("5053")
        script.advance(.milliseconds(30))
        script.feed("5050")
        script.forget()
        script.advance(.seconds(70))
        #expect(script.takeConnects() == 0)
        #expect(Self.alarms(&script).map(\.code) == ["PANEL_OFFLINE"])
    }

    @Test("a key bus that is cut is an alarm, one that is whole again in time is none")
    func aKeyBusThatIsCutIsAnAlarm() {
        var script = Self.up()
        script.submit(.panic(.fire))
        script.advance(.milliseconds(50))
        script.feed("502014")
        script.answered = ["000", "001"]
        script.advance(.seconds(59))
        #expect(Self.alarms(&script).isEmpty)
        script.advance(.seconds(2))
        let told = Self.alarms(&script)
        #expect(told.map(\.code) == ["KEYBUS_LOST"])
        #expect(told.first?.message.contains("while Ground floor is armed: its wires may have been cut") == true)

        var whole = Self.up()
        whole.submit(.panic(.fire))
        whole.advance(.milliseconds(50))
        whole.feed("502014")
        whole.answered = ["000", "001"]
        whole.advance(.seconds(30))
        whole.feed("609003")
        whole.advance(.minutes(5))
        #expect(Self.alarms(&whole).isEmpty)
    }

    @Test("one error of the key bus is no alarm: the panel is asked again, and what it takes ends the loss")
    func oneErrorOfTheKeyBusIsNoAlarm() {
        var script = Self.up()
        script.submit(.panic(.fire))
        script.advance(.milliseconds(50))
        script.feed("502014")
        script.answered = ["000", "001", "010"]
        script.advance(.seconds(9))
        #expect(script.takeEvents().contains { $0.code == EventCode.keybusRestored.rawValue })
        script.advance(.minutes(5))
        #expect(Self.alarms(&script).isEmpty)
    }

    @Test("mains and battery gone together are an alarm; one of them, or both before arming, is not")
    func mainsAndBatteryGoneTogetherAreAnAlarm() {
        for (before, after, count) in [
            ([], ["802", "800"], 1), ([], ["84902", "800"], 1), ([], ["802"], 0), ([], ["800"], 0),
            (["802", "800"], [], 0), ([], ["802", "800", "803"], 0),
        ] as [([String], [String], Int)] {
            var script = Self.up("6501")
            for line in before { script.feed(line) }
            script.advance(.seconds(5))
            script.feed("65210")
            for line in after { script.feed(line) }
            script.advance(.minutes(4))
            let told = Self.alarms(&script)
            #expect(told.map(\.code) == Array(repeating: "POWER_LOST", count: count), "\(before) \(after)")
        }
    }

    @Test("disarming within the hold-off leaves a fault")
    func disarmingWithinTheHoldOffLeavesAFault() {
        var script = Self.up()
        script.feed("802", "800")
        script.advance(.seconds(30))
        script.feed("6551")
        script.advance(.minutes(4))
        #expect(Self.alarms(&script).isEmpty)
    }

    @Test("a module that comes back and tells nothing of the panel is asked again, then is an alarm, then told as well")
    func aModuleThatComesBackAndTellsNothingOfThePanel() {
        var script = Self.up()
        script.closed()
        script.awaitAttempt()
        script.logIn()
        script.answered = ["000", "001"]
        script.advance(.seconds(10))
        #expect(script.session.state.link == .up)
        #expect(script.takeSent().count { $0 == "001" } == 2)
        script.forget()
        script.advance(.seconds(60))
        let told = script.takeEvents()
        #expect(told.map(\.type) == [.alarm])
        #expect(told.first?.message.contains("has not told what the panel is doing for 60 s") == true)
        script.feed("65210")
        let back = script.takeEvents().filter { $0.code == "PANEL_ONLINE" }
        #expect(back.map(\.type) == [.recovery])
    }

    @Test("an alarm that the report after the return shows is told as an alarm, also after the loss was told")
    func anAlarmThatTheReportAfterTheReturnShowsIsToldAsAnAlarm() {
        for outage in [Duration.seconds(10), .minutes(10)] {
            var script = Self.up()
            script.closed()
            Self.silence(&script, outage)
            script.forget()
            Self.comeBack(&script, "6541")
            let told = Self.alarms(&script)
            #expect(told.map(\.raw) == ["6541"] && told.first?.flags == .whileAway, "after \(outage)")
        }
    }
}
