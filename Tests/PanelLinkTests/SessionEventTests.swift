import AlarmModel
import PanelLink
import Testing

@Suite struct SessionEventTests {
    private func event(_ line: String, after lines: String...) -> Event? {
        var script = Script()
        script.comeUp("6501")
        for line in lines { script.feed(line) }
        script.forget()
        script.feed(line)
        return script.takeEvents().first
    }

    @Test(
        "a live line becomes one event with its class, names and a sentence",
        arguments: [
            ("609003", EventType.info, "Zone 3 Kitchen window open"),
            ("610003", .info, "Zone 3 Kitchen window closed"),
            ("609044", .info, "Zone 44 open"),
            ("6011005", .alarm, "Alarm: zone 5 Hall motion, partition 1 Ground floor"),
            ("6011009", .alarm, "Fire alarm: zone 9 Smoke, partition 1 Ground floor"),
            ("605003", .fault, "Zone 3 Kitchen window does not report (supervision lost)"),
            ("65210", .armed, "Partition 1 Ground floor armed away"),
            ("6551", .disarmed, "Partition 1 Ground floor disarmed"),
            ("6541", .alarm, "Alarm: partition 1 Ground floor"),
            ("75010040", .info, "Disarmed by Anna (user 40), partition 1 Ground floor"),
            ("70010007", .info, "Armed by user 7, partition 1 Ground floor"),
            ("802", .fault, "Mains power lost"),
            ("803", .recovery, "Mains power restored"),
            ("842", .fault, "Fire detector trouble (not a fire)"),
            ("84902", .fault, "Troubles: mains power lost"),
            ("900", .response, "The panel asks for a code (user)"),
            ("5501235112126", .info, "Panel clock 12:35, 2026-11-21"),
            ("699", .unknown, "Unknown line 699 of the panel"),
            ("60900112", .unknown, "Line 609 of the panel with data that does not fit it"),
            ("6011065", .alarm, "Zone alarm, but the panel's line '6011065' does not say where; look at the keypad"),
        ])
    func aLiveLineBecomesOneEventWithItsClass(_ line: String, _ type: EventType, _ message: String) {
        let event = event(line)
        #expect(event?.type == type)
        #expect(event?.message == message)
        #expect(event?.raw == line)
        #expect(event?.code == String(line.prefix(3)))
    }

    @Test(
        "an alarm whose place cannot be read is told as an alarm, and changes no state",
        arguments: ["6011065", "6010005", "601005", "6540"])
    func anAlarmWhosePlaceCannotBeReadIsToldAsAnAlarm(_ line: String) {
        var script = Script()
        script.comeUp("6501")
        let before = script.session.state
        script.feed(line)
        let events = script.takeEvents()
        #expect(events.map(\.type) == [.alarm])
        #expect(events.map(\.priority) == [.alarm])
        #expect(script.session.state == before)
        #expect(script.session.counters.wrongData == 1)
    }

    @Test("partition, zone, user and their names stand beside the sentence")
    func partitionZoneUserAndTheirNamesStandBesideTheSentence() {
        let alarm = event("6011005")
        #expect(alarm?.partition == 1 && alarm?.partitionName == "Ground floor")
        #expect(alarm?.zone == 5 && alarm?.zoneName == "Hall motion")
        let opening = event("75010040")
        #expect(opening?.user == 40 && opening?.userName == "Anna")
        #expect(event("609003")?.partition == 1)
        #expect(event("609044", after: "6012044")?.partition == 2)
    }

    @Test("the first line that shows an armed partition disarmed is the disarming; one that was not armed proves none")
    func theFirstLineThatShowsAnArmedPartitionDisarmed() {
        #expect(event("6531", after: "6541")?.type == .info)
        #expect(event("6531", after: "65210", "6541")?.type == .disarmed)
        #expect(event("6501", after: "65210")?.type == .disarmed)
        #expect(event("6501", after: "65210", "6551")?.type == .info)
    }

    @Test("duress is an event for chosen contacts and leaves no other trace")
    func duressIsAnEventForChosenContactsAndLeavesNoOtherTrace() {
        var script = Script()
        script.comeUp("6501")
        let before = script.session
        script.feed("6200000")
        #expect(script.actions.count == 1)
        let event = script.takeEvents().first
        #expect(event?.flags == .duress)
        #expect(event?.type == .alarm)
        #expect(script.session.state == before.state)
        var counters = before.counters
        counters.linesReceived += 1
        counters.bytesReceived += 11
        #expect(script.session.counters == counters)
    }

    @Test("a disarm with a duress code looks like one without a user, and is journalled as what it is")
    func aDisarmWithADuressCodeLooksLikeOneWithoutAUser() {
        var script = Script()
        script.comeUp("65210")
        script.feed("6551", "75010033")
        let events = script.takeEvents()
        #expect(events.map(\.raw) == ["6551", "75010033", "7511"])
        #expect(events[1].flags == .duress)
        #expect(events[1].type == .alarm)
        #expect(events[2].user == nil)
        for case .trace(let line) in script.actions { #expect(!line.text.contains("0033")) }
        #expect(script.session.state.partition(1)?.lastChangedBy == .special)
        script.feed("70010034")
        #expect(script.takeEvents().map(\.raw) == ["70010034", "7011"])
    }

    @Test("a user 33 who has a name is an ordinary person")
    func aUser33WhoHasANameIsAnOrdinaryPerson() {
        var settings = Script.settings()
        settings.names.users.append(SiteNames.Named(number: 33, name: "Carla"))
        var script = Script(settings)
        script.comeUp("65210")
        script.feed("6551", "75010033")
        #expect(script.takeEvents().map(\.userName) == [nil, "Carla"])
    }

    @Test("a damaged duress line is not shown in the trace either")
    func aDamagedDuressLineIsNotShownInTheTraceEither() {
        var script = Script()
        script.comeUp("6501")
        script.receive(Array("6200000FF\r\n".utf8))
        for case .trace(let line) in script.actions { #expect(!line.text.contains("620")) }
    }

    @Test("rejected lines are counted, summed up once a minute, and never end the session")
    func rejectedLinesAreCounted() {
        var script = Script()
        script.comeUp("6501")
        for _ in 0..<5 { script.receive(Array("61000200\r\n".utf8)) }
        script.receive(Array("x\r\n".utf8))
        #expect(script.session.counters.badChecksum == 5)
        #expect(script.session.counters.malformed == 1)
        #expect(script.takeEvents().map(\.message).map { $0.contains(" 1 with a wrong checksum.") } == [true])
        script.advance(.milliseconds(59_999))
        #expect(script.takeEvents().filter { $0.code == "PANEL_NOISE" }.isEmpty)
        script.advance(.milliseconds(1))
        let sum = script.takeEvents().filter { $0.code == "PANEL_NOISE" }
        #expect(sum.count == 1)
        #expect(sum.first?.message.contains("4 with a wrong checksum, 1 not of the protocol") == true)
        #expect(script.session.state.link == .up || script.session.counters.missedAnswers > 0)
    }

    @Test("849 is an event when its bits change, a heartbeat otherwise")
    func with849IsAnEventWhenItsBitsChange() {
        var script = Script()
        script.comeUp("6501")
        script.feed("84902", "84902", "84903", "84903", "84900", "84900")
        #expect(script.takeEvents().map(\.raw) == ["84902", "84903", "84900"])
    }

    @Test("a flapping zone is recorded in full and counted from the threshold on, for the last minute")
    func aFlappingZoneIsRecordedInFullAndCountedFromTheThresholdOn() {
        var script = Script()
        script.comeUp("6501")
        for change in 0..<8 {
            script.feed(change % 2 == 0 ? "609003" : "610003")
            script.advance(.seconds(1))
        }
        let events = script.takeEvents()
        #expect(events.map(\.flapCount) == [nil, nil, nil, nil, nil, 6, 7, 8])
        #expect(events.map { $0.flags.contains(.flapping) } == [false, false, false, false, false, true, true, true])
        script.feed("609005")
        #expect(script.takeEvents().first?.flapCount == nil)
        script.advance(.seconds(60))
        script.feed("500000", "609003")
        #expect(script.takeEvents().last?.flapCount == nil)
    }

    @Test("a refusal that belongs to no command is only counted")
    func aRefusalThatBelongsToNoCommandIsOnlyCounted() {
        var script = Script()
        script.comeUp("6501")
        script.feed("500030", "501", "502021")
        #expect(script.takeEvents().isEmpty)
        #expect(script.session.counters.unexpectedAck == 1)
        #expect(script.session.counters.commandErrors == 1)
        #expect(script.session.counters.systemErrors == 1)
    }

    @Test("502 014 is a lost keybus until the panel is heard again, then a status report follows")
    func with502014IsALostKeybusUntilThePanelIsHeardAgain() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.arm(partition: 1, mode: .away, force: false))
        script.advance(.milliseconds(40))
        script.feed("502014")
        #expect(script.takeEvents().map(\.code) == ["KEYBUS_LOST"])
        #expect(script.takeOutcomes() == [.failed(.keybusDown)])
        #expect(script.session.state.system[.keybus] == .known(.trouble))
        script.feed("609003")
        #expect(script.takeEvents().map(\.code) == ["KEYBUS_OK", "609"])
        #expect(script.session.state.system[.keybus] == .known(.ok))
        script.forget()
        for _ in 0..<4 {
            script.advance(.seconds(20))
            script.feed("500000")
        }
        #expect(script.takeSent().contains("001"))
    }
}
