import AlarmModel
import PanelLink
import Testing

@Suite struct SessionStateTests {
    private func state(_ lines: String...) -> PanelState {
        var script = Script()
        script.comeUp("6501")
        for line in lines { script.feed(line) }
        return script.session.state
    }

    private func first(_ lines: [String]) -> PartitionState {
        var script = Script()
        script.comeUp("6501")
        for line in lines { script.feed(line) }
        return script.session.state.partition(1) ?? PartitionState(number: 1)
    }

    @Test(
        "the last primary line is what the partition does; an alarm that nobody has ended is shown above it",
        arguments: [
            (["6511"], PartitionStatus.notReady), (["6501"], .ready), (["6531"], .readyForce),
            (["6551"], .disarmed), (["6561"], .exitDelay(nil)), (["65211"], .armed(.stay)),
            (["65212"], .armed(.zeroEntryAway)), (["65213"], .armed(.zeroEntryStay)),
            (["6561", "65210"], .armed(.away)), (["65210", "6571"], .entryDelay(.away)),
            (["65210", "6571", "6541"], .alarm(.away)), (["6541"], .alarm(nil)),
            (["65210", "6541", "65210"], .alarm(.away)), (["6541", "6531"], .readyForce),
            (["6011005", "6511"], .alarm(nil)), (["65210", "6541", "6571"], .alarm(.away)),
            (["65210", "6571", "6501"], .ready), (["65211", "6541", "6551"], .disarmed),
            (["5108B", "6561"], .exitDelay(.stay)), (["65210", "6731"], .armed(.away)),
            (["6501", "70010040", "7011", "75010040", "7511"], .ready),
            (["65210", "6011005"], .alarm(.away)), (["65210", "6011005", "6021005"], .alarm(.away)),
            (["65210", "6011005", "6021005", "6551"], .disarmed), (["6501", "51182"], .ready),
        ])
    func theLastPrimaryLineIsWhatThePartitionDoes(_ lines: [String], _ status: PartitionStatus) {
        #expect(first(lines).shownStatus == .known(status))
    }

    @Test("alarm memory and its zones live until the next arming")
    func alarmMemoryAndItsZonesLiveUntilTheNextArming() {
        let alarm = first(["65210", "6011005", "6541", "6011003"])
        #expect(alarm.hasAlarmMemory && alarm.alarmZones == [3, 5] && alarm.isInAlarm)
        let disarmed = first(["65210", "6011005", "6541", "6551", "6501"])
        #expect(disarmed.hasAlarmMemory && disarmed.alarmZones == [5] && !disarmed.isInAlarm)
        let next = first(["65210", "6011005", "6541", "6551", "6501", "6011007", "6541"])
        #expect(next.alarmZones == [7], "the next alarm does not name the last one's zone")
        let key = first(["65210", "6011005", "6541", "6551", "6501", "6541"])
        #expect(key.hasAlarmMemory && key.alarmZones == [])
        let armed = first(["65210", "6011005", "6541", "6551", "6501", "6561"])
        #expect(!armed.hasAlarmMemory && armed.alarmZones == [])
        #expect(first(["65210", "6541", "65210"]).hasAlarmMemory)
        #expect(first(["51085"]).hasAlarmMemory)
        #expect(!first(["51085", "51081"]).hasAlarmMemory)
        #expect(first(["51085", "51100"]).hasAlarmMemory)
        #expect(first(["51085", "51000"]).hasAlarmMemory)
    }

    @Test("busy ends with the next primary line, auto-arming at arming")
    func busyEndsWithTheNextPrimaryLine() {
        #expect(first(["6731"]).isBusy)
        #expect(!first(["6731", "6511"]).isBusy)
        #expect(first(["6741"]).isAutoArming)
        #expect(!first(["6741", "6561"]).isAutoArming)
        #expect(first(["6561", "7021"]).isArmedWithBypass)
        #expect(!first(["6561", "7021", "6551"]).isArmedWithBypass)
    }

    @Test("attribution names the user")
    func attributionNamesTheUser() {
        let opened = first(["65210", "6551", "75010040"])
        #expect(opened.lastChangedBy == .user(40) && opened.lastChangedByName == "Anna")
        #expect(first(["7011"]).lastChangedBy == .special)
    }

    @Test("zones: open, alarm, tamper, fault, battery, and the partition that the panel told")
    func zonesOpenAlarmTamperFaultBatteryAndThePartition() {
        let state = state("609012", "6012012", "6032012", "605012", "832012")
        let zone = state.zone(12)
        #expect(zone?.open == .known(true) && zone?.alarm == .known(true) && zone?.tamper == .known(true))
        #expect(zone?.fault == .known(true) && zone?.lowBattery == .known(true))
        #expect(zone?.partition == 2)
        #expect(self.state("6012005").zone(5)?.partition == 1)
    }

    @Test("616 is the full set; disarming clears it for the zones of that partition only")
    func with616IsTheFullSet() {
        var script = Script()
        script.comeUp("6501")
        script.feed("6022012", "609003", "616" + "1408000000000000")
        #expect(script.session.state.zone(3)?.bypassed == .known(true))
        #expect(script.session.state.zone(5)?.bypassed == .known(true))
        #expect(script.session.state.zone(12)?.bypassed == .known(true))
        script.feed("6551")
        #expect(script.session.state.zone(3)?.bypassed == .known(false))
        #expect(script.session.state.zone(12)?.bypassed == .known(true))
        script.feed("616" + "0000000000000000")
        #expect(script.session.state.zone(12)?.bypassed == .known(false))
    }

    @Test("849 replaces the whole set and says nothing of what it does not name")
    func with849ReplacesTheWholeSetAndSaysNothingOfWhatItDoesNotName() {
        let state = state("84982", "84901")
        #expect(state.system[.ac] == .known(.ok) && state.system[.clock] == .known(.ok))
        #expect(state.system[.service] == .known(.trouble))
        #expect(state.system[.battery] == .unknown)
    }

    @Test("the trouble LED off is weak evidence: unknown stays unknown, and only an 849 that is overdue clears")
    func theTroubleLEDOffIsWeakEvidence() {
        var script = Script()
        script.comeUp("6501", "8401")
        script.feed("84902")
        script.advance(.seconds(5))
        script.feed("8411")
        #expect(script.session.state.system[.ac] == .known(.trouble))
        #expect(script.session.state.system[.phoneLine] == .known(.ok))
        script.forget()
        var passed = Duration.zero
        while passed < .seconds(320) {
            script.advance(.seconds(20))
            script.feed("500000")
            passed += .seconds(20)
        }
        #expect(script.session.state.system[.ac] == .known(.trouble))
        script.advance(.seconds(15))
        #expect(script.session.state.system[.ac] == .known(.ok))
        #expect(script.session.state.system[.battery] == .unknown)
        #expect(script.takeEvents().map(\.type) == [.recovery])
    }

    @Test("installer mode ends at the next partition line, LEDs and temperatures are kept")
    func installerModeEndsAtTheNextPartitionLine() {
        #expect(state("680").system.isInstallerMode)
        #expect(!state("680", "6501").system.isInstallerMode)
        let state = state("51082", "51108", "5611021", "5622251")
        #expect(state.system.leds == .known(0x82) && state.system.flashingLEDs == .known(0x08))
        #expect(state.system.temperatures.map(\.degrees) == [21, -5])
        #expect(self.state("621").system[.fireKey] == .known(.trouble))
        #expect(self.state("631", "632").system[.smoke] == .known(.ok))
    }

    @Test("615 tells when zones closed, but an event of ours is more exact")
    func with615TellsWhenZonesClosed() {
        var script = Script()
        script.comeUp("6501")
        let closed = script.now.wall
        script.feed("610003")
        script.advance(.seconds(10))
        script.feed("615" + "E0FE0000FDFF" + String(repeating: "0", count: 244), "610001")
        #expect(script.session.state.zone(3)?.lastClosed == closed)
    }
}
