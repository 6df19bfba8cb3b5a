import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing

/// A house whose box hangs on a UPS.
enum PowerBench {
    static func configuration(_ change: (inout UPSSettings) -> Void = { _ in }) -> Configuration {
        var configuration = Bench.configuration()
        var ups = UPSSettings(host: "192.0.2.9", name: "eaton")
        change(&ups)
        configuration.ups = ups
        return configuration
    }

    static func up(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var configuration = configuration()
        change(&configuration)
        return Bench.up(configuration)
    }

    static let codes: [EventCode] = [.upsOnBattery, .upsBatteryLow, .upsMains, .upsLost, .upsRestored]
}

extension Bench {
    /// What was told of the UPS, in order.
    fileprivate var told: [String] {
        stored.map(\.event.code).filter { code in PowerBench.codes.contains { $0.rawValue == code } }
    }

    /// The server says so from now on, and was asked since.
    fileprivate mutating func ups(_ status: String, charge: String? = "87", runtime: String? = "2520") {
        (ups.status, ups.charge, ups.runtime) = (status, charge, runtime)
        advance(.seconds(16))
    }

    fileprivate func powerAlarms() -> [Event] { events(.powerLost) }
}

@Suite("What the box runs on is told") struct PowerTests {
    @Test("on battery, low and back are told once each, with the minutes that are left; nothing else happens")
    func onBatteryLowAndBackAreToldOnceEach() throws {
        var bench = PowerBench.up()
        bench.advance(.minutes(5))
        #expect(bench.told.isEmpty)
        #expect(bench.look?.ups?.reading == UPSReading(.mains, charge: 100, runtime: .seconds(2520)))
        bench.ups("OB DISCHRG")
        bench.advance(.minutes(10))
        #expect(bench.told == ["UPS_BATTERY"])
        let battery = try #require(bench.events(.upsOnBattery).first)
        #expect(battery.type == .fault && battery.priority == .fault)
        #expect(battery.message.contains("87 %, 42 min left"))
        bench.ups("OB LB", charge: "12", runtime: "250")
        // It says no more that it is low: that is no news until there is mains.
        bench.ups("OB")
        bench.ups("OB LB")
        #expect(bench.told == ["UPS_BATTERY", "UPS_LOW"])
        #expect(bench.events(.upsBatteryLow).first?.message.contains("12 %, 4 min left") == true)
        bench.ups("OL CHRG LB", charge: "20")
        #expect(bench.told == ["UPS_BATTERY", "UPS_LOW", "UPS_MAINS"])
        #expect(bench.events(.upsMains).first?.type == .recovery)
        bench.ups("FSD OL")
        #expect(bench.told.last == "UPS_LOW")
        #expect(bench.events(.upsBatteryLow).last?.message.contains("switched off by its server") == true)
        // Its word is information: the box goes on as before.
        #expect(!bench.isFinished && !bench.history.contains(.reboot))
        #expect(bench.core.panel.link == .up)
    }

    @Test("it is told over a restart once, and the mains that came back meanwhile, too")
    func itIsToldOverARestartOnce() {
        var bench = PowerBench.up()
        bench.ups("OB")
        var next = bench.restarted { _ in }
        next.advance(.minutes(3))
        #expect(next.told == ["UPS_BATTERY"])
        var dark = next
        dark.ups.status = "OL"
        var last = dark.restarted { _ in }
        last.advance(.minutes(1))
        #expect(last.told == ["UPS_BATTERY", "UPS_MAINS"])
        // Another UPS has another past.
        var other = next
        var configuration = PowerBench.configuration { $0.host = "192.0.2.10" }
        other.feed(.reload(.configuration(configuration)))
        other.advance(.minutes(1))
        #expect(other.told == ["UPS_BATTERY", "UPS_BATTERY"])
        configuration.ups = nil
        other.feed(.reload(.configuration(configuration)))
        let count = other.ups.questions.count
        other.advance(.hours(1))
        #expect(other.ups.questions.count == count && other.look?.ups == nil)
        #expect(other.told.count == 2)
    }

    @Test("a server that is away, silent or knows nothing is told after two minutes, once, and its return")
    func aServerThatIsAwayIsTold() throws {
        for how in 0..<3 {
            var bench = PowerBench.up()
            bench.advance(.minutes(1))
            switch how {
            case 0: if let gone = bench.ups.leave() { bench.feed(gone) }
            case 1: bench.ups.isSilent = true
            default: bench.ups.error = "ERR DATA-STALE"
            }
            bench.advance(.seconds(100))
            #expect(bench.told.isEmpty, "\(how)")
            bench.advance(.hours(5))
            #expect(bench.told == ["UPS_LOST"], "\(how)")
            let lost = try #require(bench.events(.upsLost).first)
            #expect(lost.type == .fault && lost.message.contains("192.0.2.9:3493 has not said for 2 min"))
            #expect(bench.look?.ups?.isLost == true && bench.look?.ups?.problem != nil)
            // It costs an attempt now and then.
            #expect(bench.ups.connections.count < 1000)
            (bench.ups.isAway, bench.ups.isSilent, bench.ups.error) = (false, false, nil)
            bench.advance(.minutes(2))
            #expect(bench.told == ["UPS_LOST", "UPS_OK"], "\(how)")
            #expect(bench.look?.ups?.isLost == false && bench.look?.ups?.problem == nil)
        }
    }

    @Test("a server that lies all day long is told a few times and not for each lie; a phone hears alarms as ever")
    func aServerThatLiesIsToldAFewTimes() throws {
        var (bench, phone) = try Bench.paired()
        var configuration = bench.configuration
        configuration.ups = PowerBench.configuration().ups
        bench.feed(.reload(.configuration(configuration)))
        for _ in 0..<200 {
            bench.ups("OB LB")
            bench.ups("OL")
        }
        #expect(bench.events(.upsBatteryLow).count >= 200)
        let heard = bench.eventsHeard(phone).count { $0["code"]?.stringValue == EventCode.upsBatteryLow.rawValue }
        #expect((1...30).contains(heard), "\(heard)")
        let mark = bench.push.server.pushes.count
        bench.panel("6011003")
        bench.advance(.seconds(1))
        #expect(bench.eventsHeard(phone, since: mark).contains { $0["code"]?.stringValue == "601" })
    }

    @Test("without mains at the UPS nothing is installed, also while its server has gone with the mains")
    func withoutMainsAtTheUPSNothingIsInstalled() throws {
        var bench = try UpdatesBench.up { $0.configuration.ups = PowerBench.configuration().ups }
        bench.advance(.minutes(21))
        bench.ups("OB")
        bench.ask(.updates(.install))
        guard case .error(let why)? = bench.answers().last else {
            Issue.record("\(bench.answers())")
            return
        }
        #expect(why.contains("mains"))
        if let gone = bench.ups.leave() { bench.feed(gone) }
        bench.advance(.minutes(10))
        bench.ask(.updates(.install))
        guard case .error? = bench.answers().last else {
            Issue.record("\(bench.answers())")
            return
        }
        bench.ups.isAway = false
        bench.advance(.minutes(2))
        bench.ups("OL")
        bench.ask(.updates(.install))
        guard case .changed? = bench.answers().last else {
            Issue.record("\(bench.answers())")
            return
        }
    }
}

@Suite("All power gone is told while it still can be") struct AllPowerGoneTests {
    @Test("the panel without mains and the UPS low: one alarm at once, in either order, and only while it is armed")
    func thePanelWithoutMainsAndTheUPSLow() throws {
        for isPanelFirst in [true, false] {
            var bench = PowerBench.up()
            bench.panel("65210")
            bench.advance(.seconds(1))
            if isPanelFirst {
                bench.panel("802")
                bench.ups("OB")
                #expect(bench.powerAlarms().isEmpty)
                bench.ups("OB LB", charge: "9", runtime: "250")
            } else {
                bench.ups("OB LB", charge: "9", runtime: "250")
                #expect(bench.powerAlarms().isEmpty)
                bench.panel("802")
            }
            bench.advance(.milliseconds(1))
            #expect(bench.powerAlarms().map(\.type) == [.alarm])
            let words = try #require(bench.powerAlarms().first?.message)
            #expect(words.contains("the panel has no mains") && words.contains("low battery, 4 min left"), "\(words)")
            bench.panel("800")
            bench.advance(.minutes(10))
            #expect(bench.powerAlarms().count == 1, "it is one loss, told once")
        }
    }

    @Test("both batteries at work, the panel's low: the pause of a minute is cut when the UPS loses its mains")
    func thePauseOfAMinuteIsCut() {
        var bench = PowerBench.up()
        bench.panel("65210", "802", "800")
        bench.advance(.seconds(20))
        #expect(bench.powerAlarms().isEmpty)
        bench.ups.status = "OB"
        bench.advance(.seconds(15))
        #expect(bench.powerAlarms().count == 1)
        var other = PowerBench.up()
        other.ups("OB")
        other.panel("65210", "802")
        other.advance(.seconds(30))
        #expect(other.powerAlarms().isEmpty)
        other.panel("800")
        other.advance(.milliseconds(1))
        #expect(other.powerAlarms().count == 1)
    }

    @Test("as with the panel's own losses it is the owner who says when it is an alarm; a UPS alone is none")
    func itIsTheOwnerWhoSaysWhenItIsAnAlarm() {
        for (setting, isArmed, expected) in [
            (LossAlarm.never, true, 0), (.armed, false, 0), (.always, false, 1),
        ] {
            var bench = PowerBench.up { $0.panel.lossIsAlarm = setting }
            if isArmed { bench.panel("65210") }
            bench.panel("802")
            bench.ups("OB LB")
            bench.advance(.minutes(5))
            #expect(bench.powerAlarms().count == expected)
            #expect(bench.events(.upsBatteryLow).first?.message.contains("The panel has no mains either") == true)
        }
        var alone = PowerBench.up()
        alone.panel("65210")
        alone.ups("OB LB")
        alone.advance(.minutes(5))
        #expect(alone.powerAlarms().isEmpty)
        #expect(alone.events(.upsBatteryLow).first?.message.contains("panel") == false)
        // Its mains is back: the panel's own minute holds again.
        alone.ups("OL")
        alone.panel("802", "800")
        alone.advance(.seconds(50))
        #expect(alone.powerAlarms().isEmpty)
        alone.advance(.seconds(15))
        #expect(alone.powerAlarms().count == 1)
    }
}
