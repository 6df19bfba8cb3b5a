import AlarmModel
import PanelLink
import Simulators
import Testing

@Suite("The simulated module and the panel's troubles")
struct PanelModuleTests {
    private func loggedIn(_ house: SimulatedHouse = .sample) -> PanelBench {
        var bench = PanelBench(house: house)
        bench.logIn()
        return bench
    }

    @Test("without a poll for twenty minutes the module reboots, with polls it does not")
    func withoutAPollForTwentyMinutesTheModuleReboots() {
        var bench = loggedIn()
        for _ in 1...3 {
            bench.wait(.minutes(19))
            bench.send("000")
        }
        bench.wait(.minutes(19))
        #expect(bench.panel.truth.hasSession)
        bench.wait(.minutes(2))
        #expect(!bench.panel.truth.hasSession)
        #expect(bench.actions.contains { $0.action == .reset(bench.client) })
    }

    @Test("troubles light the LED first and put it out last; the set repeats every five minutes")
    func troublesLightTheLEDFirstAndPutItOutLast() {
        var bench = loggedIn()
        let start = bench.now
        bench.act(.trouble(.ac, true))
        bench.wait(.minutes(11))
        #expect(
            bench.timed(since: start) == ["0 802", "0 8401", "0 51091", "0 84902", "300000 84902", "600000 84902"])
        bench.act(.trouble(.battery, true))
        bench.act(.trouble(.ac, false))
        bench.act(.trouble(.battery, false))
        #expect(bench.texts() == ["800", "84903", "803", "84901", "801", "84900", "8411", "51081"])
        bench.wait(.minutes(11))
        #expect(bench.texts().isEmpty)
    }

    @Test("a wireless zone: supervision lost opens it, tamper and battery are told")
    func aWirelessZoneSupervisionLostOpensItTamperAndBatteryAreTold() {
        var bench = loggedIn()
        bench.act(.zoneFault(zone: 3, true))
        bench.act(.zoneFault(zone: 3, false))
        #expect(
            bench.texts() == [
                "605003", "609003", "51080", "6511", "8401", "51090", "84910", "606003", "610003", "51091", "6501",
                "84900", "8411", "51081",
            ])
        bench.act(.zoneTamper(zone: 3, true))
        bench.act(.zoneBattery(zone: 3, low: true))
        #expect(bench.texts() == ["6031003", "8401", "51091", "84920", "832003", "84960"])
    }

    @Test("every refusal of the table has its code")
    func everyRefusalOfTheTableHasItsCode() {
        var bench = loggedIn()
        func answer(_ code: String, _ data: String = "", _ bench: inout PanelBench) -> [String] {
            bench.send(code, data)
            bench.wait(.milliseconds(100))
            return bench.texts()
        }
        #expect(answer("040", "1", &bench) == ["502025"])
        #expect(answer("040", "11234", &bench) == ["502023"])
        #expect(answer("030", "9", &bench) == ["502021"])
        #expect(answer("030", "2", &bench) == ["502024"])
        #expect(answer("999", "", &bench) == ["502022"])
        #expect(answer("200", "1234", &bench) == ["502026"])
        #expect(answer("020", "19", &bench) == ["502020"])
        bench.act(.open(zone: 3))
        bench.forget()
        #expect(answer("031", "1", &bench) == ["502024"])
        bench.act(.close(zone: 3))
        bench.act(.busy(partition: 1, true))
        bench.forget()
        #expect(answer("031", "1", &bench) == ["502018"])
        bench.act(.busy(partition: 1, false))
        bench.act(.installer(true))
        #expect(bench.texts() == ["6501", "680", "510A0"])
        #expect(answer("031", "1", &bench) == ["502017"])
        bench.act(.installer(false))
        bench.act(.keybus(alive: false))
        bench.act(.open(zone: 3))
        #expect(bench.texts() == ["51081", "6501"])
        #expect(answer("031", "1", &bench) == ["502014"])
        #expect(answer("000", "", &bench) == ["500000"])
        bench.act(.keybus(alive: true))
        #expect(bench.texts() == ["609003", "51080", "6511"])
    }

    @Test("several commands before an answer are overrun")
    func severalCommandsBeforeAnAnswerAreOverrun() {
        var bench = loggedIn()
        bench.sendRaw(Frame.bytes(code: "008") + Frame.bytes(code: "000"))
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["502001", "500008", "615"])
    }

    @Test("stamps, clock broadcasts and temperatures while they are switched on")
    func stampsClockBroadcastsAndTemperaturesWhileTheyAreSwitchedOn() {
        var house = SimulatedHouse.sample
        house.temperatures = [
            Temperature(thermostat: 1, place: .indoor, degrees: 21),
            Temperature(thermostat: 2, place: .outdoor, degrees: -5),
        ]
        var bench = loggedIn(house)
        bench.send("010", "2359123126")
        bench.wait(.seconds(1))
        bench.send("056", "1")
        bench.wait(.seconds(1))
        bench.send("080")
        bench.wait(.seconds(1))
        bench.send("055", "1")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500010", "500056", "500080", "5611021", "5622251", "23:59:03 500055"])
        bench.wait(.minutes(4))
        #expect(bench.texts() == ["00:03:01 5500003010127"])
    }

    @Test("timers tell how long ago a zone closed, in five-second ticks, low byte first")
    func timersTellHowLongAgoAZoneClosed() {
        var house = SimulatedHouse.sample
        house.reachesVendor = true
        var bench = loggedIn(house)
        bench.act(.trip(zone: 1, span: .seconds(1)))
        bench.act(.open(zone: 2))
        bench.wait(.seconds(1436))
        bench.forget()
        bench.send("008")
        bench.wait(.seconds(1))
        let line = String(decoding: bench.sends.last ?? [], as: UTF8.self)
        #expect(line.hasPrefix("615E0FEFFFF0000"))
        let length = 3 + 256 + 2 + 2
        #expect(bench.sends.last?.count == length)
    }

    @Test("keys at a keypad: chime, output, installer mode, and codes that lock out")
    func keysAtAKeypadChimeOutputInstallerModeAndCodesThatLockOut() {
        var bench = loggedIn()
        bench.act(.keys(partition: 1, Secret("*4")))
        bench.act(.keys(partition: 1, Secret("*4")))
        bench.act(.keys(partition: 1, Secret("*72")))
        #expect(bench.texts() == ["6631", "6641", "6601", "91212"])
        bench.act(.keys(partition: 1, Secret("*8")))
        bench.send("200", "5555")
        bench.wait(.seconds(1))
        bench.act(.keys(partition: 1, Secret("##")))
        #expect(bench.texts() == ["922", "500200", "680", "510A0", "51081", "6501"])
        for _ in 1...5 { bench.act(.keys(partition: 1, Secret("0000"))) }
        #expect(bench.texts() == ["6701", "6701", "6701", "6701", "6701", "6581"])
        #expect(bench.panel.truth.isLockedOut)
    }

    @Test("duress disarms as any code and tells 620")
    func duressDisarmsAsAnyCodeAndTells620() {
        var bench = loggedIn()
        bench.act(.arm(partition: 1, .stay, user: 1))
        bench.wait(.seconds(61))
        bench.forget()
        bench.send("040", "19876")
        bench.wait(.seconds(5))
        #expect(bench.texts() == ["500040", "51081", "6551", "6200000", "75010033", "6501"])
    }

    @Test("a bypass menu that is left open ends by itself with 616")
    func aBypassMenuThatIsLeftOpenEndsByItselfWith616() {
        var bench = loggedIn()
        bench.send("071", "1*103")
        bench.wait(.seconds(40))
        #expect(bench.texts().contains("6160400000000000000"))
    }

    @Test(
        "a power cut loses the clock and the module's settings, not what is armed; setting the clock ends the trouble")
    func aPowerCutLosesTheClockAndTheModulesSettings() {
        var bench = loggedIn()
        bench.send("055", "1")
        bench.act(.arm(partition: 1, .away, user: nil))
        bench.wait(.seconds(61))
        bench.forget()
        bench.act(.powerCycle(down: .seconds(30)))
        #expect(bench.actions.map(\.action) == [.reset(bench.client), .listen(.refuse)])
        bench.wait(.seconds(30))
        bench.logIn()
        bench.send("001")
        bench.wait(.seconds(1))
        #expect(bench.texts().suffix(18).contains("8401"))
        #expect(bench.panel.truth.partitions[0].status == .armed(.away))
        bench.send("010", "1430101226")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500010", "84900", "8411", "51082"])
    }

    @Test("nothing that the world does to a partition or zone that is not there has an effect")
    func nothingThatTheWorldDoesToAPartitionOrZoneThatIsNotThere() {
        var bench = loggedIn()
        for stimulus: PanelSimulator.Stimulus in [
            .open(zone: 0), .open(zone: 65), .zoneFault(zone: 99, true), .disarm(partition: 9, user: nil),
            .busy(partition: 0, true), .chime(partition: 8, true), .keys(partition: 9, Secret("1234")),
        ] { bench.act(stimulus) }
        #expect(bench.texts().isEmpty)
    }

    @Test("the same seed and the same inputs give the same actions; another seed may not")
    func theSameSeedAndTheSameInputsGiveTheSameActions() {
        func run(_ seed: UInt64) -> [PanelBench.Timed] {
            var bench = PanelBench(seed: seed)
            bench.act(.fault(.garbage(.max)))
            bench.act(.fault(.fragment(.anywhere)))
            bench.connect()
            bench.send("005", "user")
            bench.wait(.seconds(1))
            bench.send("001")
            bench.act(.fault(.flood(.zones)))
            bench.wait(.seconds(5))
            bench.send("030", "1")
            bench.wait(.seconds(30))
            return bench.actions
        }
        #expect(run(7) == run(7))
        #expect(run(7) != run(8))
    }
}
