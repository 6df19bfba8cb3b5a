import AlarmModel
import PanelLink
import Simulators
import Testing

@Suite("A simulated panel speaks as the vendor's documents and captures say")
struct PanelGoldenTests {
    @Test("login: password wanted, then acknowledgement, acceptance and timers in one segment")
    func loginPasswordWantedThenAcknowledgementAcceptanceAndTimers() {
        var bench = PanelBench()
        bench.connect()
        #expect(bench.lines == ["0 5053"])
        bench.wait(.milliseconds(100))
        bench.send("005", "user")
        bench.wait(.seconds(1))
        #expect(bench.lines == ["0 5053", "120 500005", "120 5051", "120 615"])
        #expect(bench.sends.count == 2)
        #expect(bench.panel.truth.hasSession)
    }

    @Test("a wrong password is told and ends the connection; no password ends it after ten seconds")
    func aWrongPasswordIsToldAndEndsTheConnection() {
        var bench = PanelBench()
        bench.connect()
        bench.send("005", "wrong1")
        bench.wait(.seconds(1))
        #expect(bench.lines == ["0 5053", "20 500005", "20 5050"])
        #expect(bench.actions.last?.action == .close(bench.client))
        bench.forget()
        bench.connect()
        let start = bench.now
        bench.wait(.seconds(20))
        #expect(bench.timed(since: start) == ["0 5053", "10000 5052"])
    }

    @Test("a status report tells zones, partitions, trouble LEDs and LEDs in this order")
    func aStatusReportTellsZones() {
        var house = SimulatedHouse.sample
        house.partitions = [1, 2]
        var bench = PanelBench(house: house)
        bench.logIn()
        bench.act(.open(zone: 3))
        bench.forget()
        bench.send("001")
        bench.wait(.seconds(1))
        var expected = ["500001"]
        for zone in 1...64 { expected.append((zone == 3 ? "609" : "610") + (zone < 10 ? "00\(zone)" : "0\(zone)")) }
        expected += ["6511", "6502", "6733", "6734", "6735", "6736", "6737", "6738"]
        for partition in 1...8 { expected.append("841\(partition)") }
        expected += ["51080", "51100"]
        #expect(bench.texts() == expected)
    }

    @Test("stay arming: bypass LED, exit delay, quick-arm attribution, LEDs, mode; disarming in the captured order")
    func stayArmingBypassLEDExitDelayQuickArmAttributionLEDsMode() {
        var bench = PanelBench()
        bench.logIn()
        var start = bench.now
        bench.send("031", "1")
        bench.wait(.seconds(70))
        #expect(
            bench.timed(since: start) == [
                "20 500031", "220 5108B", "220 6561", "60220 7011", "60220 5108A", "60220 65211",
            ])
        #expect(bench.panel.truth.partitions[0].status == .armed(.stay))
        bench.act(.trip(zone: 5, span: .seconds(8)))
        bench.wait(.seconds(10))
        #expect(bench.texts() == ["609005", "610005"])
        start = bench.now
        bench.send("040", "11234")
        bench.wait(.seconds(10))
        #expect(
            bench.timed(since: start) == ["20 500040", "220 51081", "220 6551", "490 75010040", "4220 6501"])
    }

    @Test("away arming with a code asked for: 900, 200, closing by that user; a late code is refused")
    func awayArmingWithACodeAskedFor() {
        var house = SimulatedHouse.sample
        house.codeDemands = [.arm]
        var bench = PanelBench(house: house)
        bench.logIn()
        let start = bench.now
        bench.send("030", "1")
        bench.wait(.seconds(1))
        bench.send("200", "4321")
        bench.wait(.seconds(70))
        bench.send("200", "4321")
        bench.wait(.seconds(1))
        #expect(
            bench.timed(since: start) == [
                "20 500030", "220 900", "1020 500200", "1220 51083", "1220 6561", "61220 70010001", "61220 51082",
                "61220 65210", "71020 502026",
            ])
    }

    @Test("the exit door decides what arming with a code becomes")
    func theExitDoorDecidesWhatArmingWithACodeBecomes() {
        var bench = PanelBench()
        bench.logIn()
        bench.send("033", "11234")
        bench.wait(.seconds(5))
        bench.act(.trip(zone: 1, span: .seconds(3)))
        bench.wait(.seconds(60))
        #expect(
            bench.texts() == [
                "500033", "5108B", "6561", "609001", "51083", "610001", "70010040", "51082", "65210",
            ])
        bench.send("040", "11234")
        bench.wait(.seconds(10))
        bench.forget()
        bench.send("033", "11234")
        bench.wait(.seconds(65))
        #expect(bench.texts().last == "65211")
    }

    @Test("zero entry asks for a code and alarms at the door without delay")
    func zeroEntryAsksForACodeAndAlarmsAtTheDoorWithoutDelay() {
        var bench = PanelBench()
        bench.logIn()
        bench.send("032", "1")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500032", "900"])
        bench.send("200", "1234")
        bench.wait(.seconds(65))
        #expect(bench.texts().last == "65213")
        bench.act(.open(zone: 1))
        #expect(bench.texts() == ["609001", "6011001", "6541", "5108E"])
    }

    @Test("entry delay, alarm, bell time, memory until armed again")
    func entryDelayAlarmBellTimeMemoryUntilArmedAgain() {
        var bench = PanelBench()
        bench.logIn()
        bench.act(.arm(partition: 1, .away, user: nil))
        bench.wait(.seconds(61))
        bench.forget()
        let start = bench.now
        bench.act(.open(zone: 1))
        bench.wait(.seconds(31))
        #expect(bench.timed(since: start) == ["0 609001", "0 6571", "30000 6011001", "30000 6541", "30000 51086"])
        bench.act(.close(zone: 1))
        #expect(bench.texts() == ["610001", "6021001"])
        bench.wait(.minutes(4))
        #expect(bench.texts() == ["65210"])
        bench.send("040", "14321")
        bench.wait(.seconds(5))
        #expect(bench.texts() == ["500040", "51085", "6551", "75010001", "6501"])
        #expect(bench.panel.truth.partitions[0].hasMemory)
        bench.send("030", "1")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500030", "51083", "6561"])
    }

    @Test("disarming within the entry delay prevents the alarm")
    func disarmingWithinTheEntryDelayPreventsTheAlarm() {
        var bench = PanelBench()
        bench.logIn()
        bench.act(.arm(partition: 1, .away, user: 1))
        bench.wait(.seconds(61))
        bench.act(.open(zone: 1))
        bench.wait(.seconds(5))
        bench.forget()
        bench.act(.keys(partition: 1, Secret("4321")))
        bench.wait(.minutes(2))
        #expect(bench.texts() == ["51080", "6551", "75010001", "6511"])
    }

    @Test("a silent zone tells 601 and no 654, and ends with 040")
    func aSilentZoneTells601AndNo654() {
        var bench = PanelBench()
        bench.logIn()
        bench.act(.open(zone: 8))
        #expect(bench.texts() == ["609008", "6011008"])
        #expect(bench.panel.truth.partitions[0].isSilentAlarm)
        bench.act(.close(zone: 8))
        bench.send("040", "11234")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["610008", "6021008", "500040", "51085", "6501"])
    }

    @Test("fire and panic of a disarmed house end in ready, without 655")
    func fireAndPanicOfADisarmedHouseEndInReady() {
        var bench = PanelBench()
        bench.logIn()
        bench.act(.open(zone: 7))
        #expect(bench.texts() == ["609007", "6011007", "6541", "510C4"])
        bench.act(.close(zone: 7))
        bench.send("040", "11234")
        bench.wait(.seconds(5))
        #expect(bench.texts() == ["610007", "6021007", "500040", "51085", "6501"])
        bench.send("060", "3")
        bench.wait(.seconds(1))
        #expect(bench.texts() == ["500060", "625", "626", "6541", "51084"])
        bench.send("040", "11234")
        bench.wait(.seconds(5))
        #expect(bench.texts() == ["500040", "51085", "6501"])
    }

    @Test("bypass by keystring toggles, dumps, blocks the next keystring for a moment, and ends with disarming")
    func bypassByKeystringToggles() {
        var bench = PanelBench()
        bench.logIn()
        bench.send("071", "1*103#")
        bench.wait(.seconds(1))
        bench.send("071", "1*105#")
        bench.wait(.seconds(1))
        #expect(
            bench.texts() == ["500071", "502010", "510A0", "51108", "51100", "6160400000000000000", "51089"])
        bench.send("071", "1*105#")
        bench.wait(.seconds(2))
        bench.send("071", "1*103#")
        bench.wait(.seconds(2))
        #expect(bench.texts().contains("6161000000000000000"))
        bench.act(.open(zone: 5))
        #expect(bench.texts() == ["609005"])
        bench.send("030", "1")
        bench.wait(.seconds(65))
        #expect(bench.texts().suffix(4) == ["7011", "7021", "5108A", "65210"])
        bench.send("040", "11234")
        bench.wait(.seconds(5))
        #expect(bench.texts() == ["500040", "51080", "6551", "75010040", "6511"])
        #expect(bench.panel.truth.zones.allSatisfy { !$0.isBypassed })
    }

    @Test("zones tell changes only; force-armable zones leave the partition ready by force")
    func zonesTellChangesOnly() {
        var house = SimulatedHouse.sample
        house.zones[3].isForceArmable = true
        var bench = PanelBench(house: house)
        bench.logIn()
        bench.act(.open(zone: 4))
        bench.act(.open(zone: 4))
        #expect(bench.texts() == ["609004", "6531"])
        bench.act(.open(zone: 3))
        bench.act(.close(zone: 4))
        bench.act(.close(zone: 3))
        #expect(bench.texts() == ["609003", "51080", "6511", "610004", "610003", "51081", "6501"])
        bench.act(.open(zone: 4))
        bench.forget()
        bench.send("030", "1")
        bench.wait(.seconds(65))
        #expect(bench.texts() == ["500030", "51083", "6561", "7011", "7021", "51082", "65210"])
        #expect(bench.panel.truth.partitions[0].status == .armed(.away))
    }
}
