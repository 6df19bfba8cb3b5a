import AlarmModel
import PanelLink
import Testing

/// An alarm's life as the panel's lines tell it: what begins it, what does not end it, and how it ends.
@Suite struct IncidentTests {
    struct Life: Sendable, CustomStringConvertible {
        var description: String
        var lines: [String]
        /// Ending of the incident behind the lines; nil while it is open.
        var ending: Incident.Ending?
        var person: String?
        var zones: [Int] = []
        var sirenStopped = false
        /// Raw lines of the events that ended one, of those that said that the siren stopped, and of disarmings.
        var ends: [String] = []
        var stops: [String] = []
        var disarmings: [String] = []

        init(
            _ description: String, _ lines: [String], ending: Incident.Ending? = nil, by person: String? = nil,
            zones: [Int] = [], sirenStopped: Bool = false, ends: [String] = [], stops: [String] = [],
            disarmings: [String] = []
        ) {
            self.description = description
            self.lines = lines
            self.ending = ending
            self.person = person
            self.zones = zones
            self.sirenStopped = sirenStopped
            self.ends = ends
            self.stops = stops
            self.disarmings = disarmings
        }
    }

    private static let armed = ["6561", "65210"]

    static let lives: [Life] = [
        Life("burglary", armed + ["6571", "6011003", "6541"], zones: [3]),
        Life(
            "burglary, disarmed", armed + ["6011003", "6541", "6551", "75010040", "6501"], ending: .disarmed,
            by: "Anna",
            zones: [3], ends: ["6551"], disarmings: ["6551"]),
        Life(
            "burglary, 750 before 655", armed + ["6011003", "6541", "75010040", "6551"], ending: .disarmed, by: "Anna",
            zones: [3], ends: ["75010040"], disarmings: ["75010040", "6551"]),
        Life(
            "burglary, 650 without 655", armed + ["6011003", "6541", "6501"], ending: .disarmed, zones: [3],
            ends: ["6501"], disarmings: ["6501"]),
        Life(
            "the siren stops", armed + ["6011003", "6541", "65210", "6021003"], zones: [3], sirenStopped: true,
            stops: ["65210"]),
        Life(
            "the siren stops, then it is disarmed", armed + ["6011005", "6011003", "6541", "65210", "6551"],
            ending: .disarmed, zones: [5, 3], sirenStopped: true, ends: ["6551"], stops: ["65210"],
            disarmings: ["6551"]),
        Life(
            "a second alarm of the same arming", armed + ["6011003", "6541", "65210", "6011005", "6541"],
            zones: [3, 5],
            stops: ["65210"]),
        Life(
            "an entry delay in an alarm", armed + ["6011003", "6541", "6571", "6551"], ending: .disarmed, zones: [3],
            ends: ["6551"], disarmings: ["6551"]),
        Life(
            "fire in a disarmed house, the detector still open", ["6011009", "6541", "6511"],
            ending: .noLongerReported, zones: [9], ends: ["6511"]),
        Life(
            "fire, silenced with a code", ["6011009", "6541", "6551", "75010040", "6511"], ending: .disarmed,
            by: "Anna",
            zones: [9], ends: ["6551"], disarmings: ["6551"]),
        Life(
            "fire, the panel names who disarmed behind its readiness", ["6011009", "6541", "6511", "75010040"],
            ending: .disarmed, by: "Anna", zones: [9], ends: ["6511"]),
        Life(
            "a key, 653 without 655", ["6251", "6541", "6531"], ending: .noLongerReported, ends: ["6531"]),
        Life("a silent zone, another door opens", ["6011003", "609005", "6511"], zones: [3]),
        Life(
            "a silent zone of a panel that lights its memory with the alarm; another door opens",
            ["6011003", "51085", "6511"], zones: [3]),
        Life(
            "a silent zone is quiet again, then another door opens", ["6011003", "6021003", "6511"],
            ending: .noLongerReported, zones: [3], ends: ["6511"]),
        Life(
            "a silent zone is quiet again behind the readiness", ["6011003", "6511", "6501", "6021003"],
            ending: .noLongerReported, zones: [3], ends: ["6021003"]),
        Life(
            "a silent zone, then the partition is armed", ["6011003", "6561", "65210"], ending: .armedAgain, zones: [3],
            ends: ["6561"]),
        Life("a silent zone of an armed partition", armed + ["6011003", "65210"], zones: [3]),
        Life(
            "an alarm of a house that was armed while the module was deaf; the siren stops",
            ["6011009", "6541", "65210"], zones: [9], sirenStopped: true, stops: ["65210"]),
        Life(
            "an alarm in the exit delay, cancelled", ["6561", "6011009", "6541", "6551"], ending: .disarmed, zones: [9],
            ends: ["6551"], disarmings: ["6551"]),
    ]

    @Test("each life of an alarm is recorded, and only a disarming is called one", arguments: lives)
    func eachLifeOfAnAlarmIsRecorded(_ life: Life) throws {
        var script = Script()
        script.comeUp("6501", "51081")
        script.forget()
        var events: [Event] = []
        for line in life.lines {
            script.advance(.milliseconds(300))
            script.feed(line)
            events += script.takeEvents()
        }
        let incident = try #require(script.session.state.partition(1)?.incident)
        #expect(incident.end?.ending == life.ending)
        #expect(incident.end?.person == life.person)
        #expect(incident.zones.map(\.number) == life.zones)
        #expect((incident.sirenStopped != nil) == life.sirenStopped)
        #expect(events.filter { $0.flags.contains(.endsAlarm) }.map(\.raw) == life.ends)
        #expect(events.filter { $0.flags.contains(.sirenStopped) }.map(\.raw) == life.stops)
        #expect(events.filter { $0.type == .disarmed }.map(\.raw) == life.disarmings)
        let isOpen = life.ending == nil
        #expect(script.session.state.partition(1)?.isInAlarm == isOpen)
        let afterAlarm = events.drop { $0.type != .alarm }
            .filter { $0.type == .armed && !$0.flags.contains(.endsAlarm) }
        #expect(!isOpen || afterAlarm.isEmpty, "nobody armed")
    }

    @Test("a disarm that the module accepted makes readiness a disarming, and its person ends the alarm")
    func aDisarmThatTheModuleAccepted() {
        var script = Script()
        script.comeUp("6501")
        script.feed("6011009", "6541")
        script.submit(.disarm(partition: 1))
        script.advance(.milliseconds(50))
        script.feed("500040")
        _ = script.takeEvents()
        script.feed("6511")
        let ended = script.takeEvents().filter { $0.flags.contains(.endsAlarm) }
        #expect(ended.map(\.type) == [.disarmed])
        #expect(script.session.state.partition(1)?.incident?.end?.ending == .disarmed)
    }

    @Test("an alarm is kept over a lost session and a restart, and its end is told once")
    func anAlarmIsKeptOverALostSessionAndARestart() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.feed("6011003", "6541", "51086")
        var later = Script(known: script.session.state)
        later.start()
        later.logIn()
        later.resynchronise(["65210", "51086"])
        let found = later.takeEvents()
        #expect(later.session.state.partition(1)?.isInAlarm == true)
        #expect(found.contains { $0.flags.contains(.sirenStopped) && $0.code == "652" })
        #expect(!found.contains { $0.type == .armed })
        later.feed("6551", "6501")
        #expect(later.takeEvents().filter { $0.flags.contains(.endsAlarm) }.map(\.raw) == ["6551"])
    }

    // MARK: Alarms that nobody heard

    /// Armed and heard, then not heard for a while.
    private func away(_ span: Duration, before: [String] = ["65210", "51082"], after: [String]) -> [Event] {
        var script = Script()
        script.comeUp("6501", "51081")
        for line in before { script.feed(line) }
        script.closed()
        script.advance(span)
        script.forget()
        script.awaitAttempt()
        script.logIn()
        script.resynchronise(after)
        return script.takeEvents()
    }

    @Test(
        "the memory light that went on while nobody listened is an alarm",
        arguments: [
            (["65210", "51086"], true), (["6551", "51085"], true), (["65210", "51082"], false),
            (["6501", "51081"], false),
        ])
    func theMemoryLightThatWentOnWhileNobodyListened(_ report: [String], _ isTold: Bool) {
        let events = away(.minutes(5), after: report)
        let alarms = events.filter { $0.type == .alarm && $0.code == EventCode.alarmUnheard.rawValue }
        #expect(alarms.count == (isTold ? 1 : 0))
        #expect(alarms.allSatisfy { $0.partition == 1 && $0.flags.contains(.whileAway) })
    }

    @Test("an alarm that was told before the session was lost is not told again by its memory light")
    func anAlarmThatWasToldIsNotToldAgain() {
        let events = away(.minutes(5), before: ["65210", "51082", "6011003", "6541"], after: ["65210", "51086"])
        #expect(!events.contains { $0.code == EventCode.alarmUnheard.rawValue })
    }

    @Test("a memory light that no line of an alarm follows within 5 s is an alarm of its own")
    func aMemoryLightThatStaysAlone() {
        for (lines, count) in [([], 1), (["6011003", "6541"], 0)] as [([String], Int)] {
            var script = Script()
            script.comeUp("65210", "51082")
            script.feed("51086")
            for line in lines { script.feed(line) }
            script.advance(.seconds(6))
            let alarms = script.takeEvents().filter { $0.code == EventCode.alarmUnheard.rawValue }
            #expect(alarms.count == count)
            #expect(script.session.state.partition(1)?.isInAlarm == true)
        }
    }

    @Test("partitions without a memory light: a minute unheard while armed cannot exclude an alarm")
    func partitionsWithoutAMemoryLight() {
        func told(_ span: Duration, _ after: [String]) -> [Int?] {
            away(span, before: ["65220", "65210", "51082"], after: after)
                .filter { $0.code == EventCode.alarmNotExcluded.rawValue }.map(\.partition)
        }
        #expect(told(.minutes(2), ["65210", "65220", "51082"]) == [2])
        #expect(told(.seconds(20), ["65210", "65220", "51082"]) == [])
        #expect(told(.minutes(2), ["65210", "6502", "51082"]) == [])
        #expect(told(.minutes(2), ["65210", "65220", "51000"]) == [1, 2], "a blanked keypad shows no memory")
    }

    @Test("a 602 without its 601 is told as an alarm of that zone; one behind a 601 that was heard is not")
    func aRestoreWithoutItsAlarm() {
        func told(before: [String], report: [String], after: [String]) -> [EventType] {
            var script = Script()
            script.comeUp("65210", "65220", "51082")
            for line in before { script.feed(line) }
            script.closed()
            script.advance(.minutes(2))
            script.awaitAttempt()
            script.logIn()
            script.resynchronise(report)
            script.forget()
            for line in after { script.feed(line) }
            return script.takeEvents().filter { $0.raw.hasPrefix("602") }.map(\.type)
        }
        let armed = ["65210", "65220", "51082"]
        #expect(told(before: [], report: armed, after: ["6022010"]) == [.alarm])
        #expect(told(before: [], report: armed, after: ["6022010", "6022010"]) == [.alarm, .recovery])
        #expect(told(before: [], report: armed, after: ["6012010", "6022010"]) == [.recovery])
        let disarmed = ["65210", "6502", "51082", "609010"]
        let heard = ["6012010", "6542", "6552", "6502"]
        #expect(told(before: heard, report: disarmed, after: ["6562", "65220", "6022010"]) == [.recovery])
    }

    @Test("the alarm of a 602 says what the box did not hear, and is an alarm by its type of 2016, too")
    func theAlarmOfARestore() throws {
        var script = Script()
        script.comeUp("65210", "51082")
        script.forget()
        script.feed("6021005")
        let event = try #require(script.takeEvents().first)
        #expect(
            event.message
                == "Alarm: zone 5 Hall motion, partition 1 Ground floor, of which the box only heard that the zone is "
                + "quiet again")
        #expect(event.legacyType == .alarm && event.raw == "6021005" && event.zone == 5 && event.partition == 1)
        #expect(event.subject(SiteNames(), partitions: []) == .missedAlarm)
        #expect(event.contactID(SiteNames(), partitions: [])?.qualifier == .new)
    }

    @Test("an alarm of an arming that nobody heard stays open when the siren stops")
    func anAlarmOfAnArmingThatNobodyHeard() {
        var script = Script()
        script.comeUp("6501", "51081")
        script.closed()
        script.advance(.minutes(5))
        script.awaitAttempt()
        script.logIn()
        script.resynchronise(["65211", "5108E"])
        script.feed("6311", "6541", "65211")
        #expect(script.session.state.partition(1)?.isInAlarm == true)
        #expect(!script.takeEvents().contains { $0.flags.contains(.endsAlarm) })
    }

    @Test("a memory light that an arming puts out within 5 s tells of an alarm that is over")
    func aMemoryLightThatAnArmingPutsOut() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.forget()
        script.feed("51085", "6551", "5108B", "6561")
        script.advance(.seconds(6))
        let events = script.takeEvents().filter { $0.priority == .alarm || $0.flags.contains(.endsAlarm) }
        #expect(events.map(\.code) == [EventCode.alarmUnheard.rawValue, EventCode.alarmOver.rawValue])
        #expect(script.session.state.partition(1)?.isInAlarm == false)
    }

    @Test("an arming in the gap is seen by the dark memory light in an entry delay, too")
    func anArmingInTheGapBehindAnEntryDelay() {
        let events = away(.minutes(5), before: ["65210", "51082", "6011003", "6541"], after: ["6571", "51082"])
        #expect(events.filter { $0.flags.contains(.endsAlarm) }.map(\.code) == [EventCode.alarmOver.rawValue])
    }

    @Test("a memory light that went dark without an arming that the box heard can tell of a further alarm in a gap")
    func aMemoryLightThatWentDarkUnheard() {
        var script = Script()
        script.comeUp("6501", "51081")
        script.feed("6541", "51084", "6551", "51085")
        for (report, told) in [("51085", 0), ("51081", 0), ("51085", 1)] {
            script.comeBack(["6501", report])
            let alarms = script.takeEvents().filter { $0.code == EventCode.alarmUnheard.rawValue }
            #expect(alarms.count == told)
        }
    }

    @Test("a report that shows the end of an alarm and a dark memory light leaves a further light to a further alarm")
    func aReportThatShowsAnEndAndADarkLight() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.feed("6541", "51086", "65210")
        for (report, told) in [("51081", 0), ("51085", 1)] {
            script.comeBack(["6501", report])
            let alarms = script.takeEvents().filter { $0.code == EventCode.alarmUnheard.rawValue }
            #expect(alarms.count == told)
        }
    }

    @Test("a memory light that goes on in a gap behind a silent alarm is told, and says that it may be that one's")
    func aMemoryLightBehindASilentAlarmInAGap() throws {
        var script = Script()
        script.answered = ["000", "001"]
        script.comeUp("6501", "51081")
        script.feed("6011003", "6021003", "6501")
        script.advance(.seconds(10))
        script.comeBack(["6501", "51085"])
        let alarm = try #require(script.takeEvents().first { $0.code == EventCode.alarmUnheard.rawValue })
        #expect(alarm.message.contains("It may be the silent alarm that you have been told of"))
    }

    @Test("an alarm that the memory light tells before any line of its partition is open until one tells more")
    func anAlarmBeforeAnyLineOfItsPartition() {
        for isReport in [false, true] {
            var script = Script()
            script.comeUp("6501", "51081")
            script.comeBack(isReport ? ["510F4", "6501"] : ["510F4"])
            if !isReport {
                #expect(script.session.state.partition(1)?.isInAlarm == true)
                script.feed("6501")
            }
            let ended = script.takeEvents().filter { $0.flags.contains(.endsAlarm) }
            #expect(ended.map(\.raw) == ["6501"])
        }
    }

    @Test("a disarming of a house that counted as disarmed, beside a lit memory, tells of an alarm in the gap")
    func aDisarmingBesideALitMemory() {
        for (lines, told) in [
            (["51085", "6551"], 1), (["6551", "51085"], 1), (["6551", "51081"], 0), (["6501", "51085"], 0),
            (["6011003", "6541", "51085", "6551"], 0),
        ] {
            var script = Script()
            script.comeUp("6501", "51081")
            script.feed("6541", "51084", "6551", "51085", "6501")
            script.closed()
            script.advance(.minutes(5))
            script.awaitAttempt()
            script.logIn()
            script.forget()
            for line in lines { script.feed(line) }
            script.resynchronise(["6501", lines.contains("51081") ? "51081" : "51085"])
            let alarms = script.takeEvents().filter { $0.code == EventCode.alarmUnheard.rawValue }
            #expect(alarms.count == told, "\(lines)")
        }
    }

    @Test("a report that repeats a disarming of moments ago, as after a restart, tells of no alarm in the gap")
    func aReportThatRepeatsADisarming() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.feed("6541", "51086", "6551", "51085")
        var later = Script(known: script.session.state)
        later.start()
        later.logIn()
        later.resynchronise(["6551", "51085"])
        #expect(!later.takeEvents().contains { $0.code == EventCode.alarmUnheard.rawValue })
    }

    @Test("a memory light that went dark while the panel was not heard says that an alarm was ended by an arming")
    func aMemoryLightThatWentDarkTellsAnArming() {
        for (last, next, end) in [
            (["6541", "51084"], ["51082", "65210"], "65210"),
            (["6541", "51084", "65210", "51086"], ["51082"], EventCode.alarmOver.rawValue),
        ] {
            var script = Script()
            script.answered = ["000", "001"]
            script.comeUp("65210", "6501", "51081")
            for line in last { script.feed(line) }
            script.advance(.minutes(5))
            script.forget()
            for line in next { script.feed(line) }
            let ended = script.takeEvents().filter { $0.flags.contains(.endsAlarm) }
            #expect(ended.map { $0.raw.isEmpty ? $0.code : $0.raw } == [end])
            #expect(script.session.state.partition(1)?.isInAlarm == false)
        }
    }

    @Test("a memory light that goes on long behind the silent alarm of an armed partition says that the siren stopped")
    func aMemoryLightBehindASilentAlarm() {
        var script = Script()
        script.answered = ["000", "001"]
        script.comeUp("65210", "51082")
        script.feed("6011003")
        script.advance(.minutes(5))
        script.feed("51086")
        let partition = script.session.state.partition(1)
        #expect(partition?.status == .known(.armed(.away)) && partition?.isInAlarm == true)
        script.forget()
        script.feed("6551")
        #expect(script.takeEvents().filter { $0.flags.contains(.endsAlarm) }.map(\.raw) == ["6551"])
    }

    @Test("a dead keybus is a gap of unknown length, in which somebody may have armed")
    func aDeadKeybusIsAGap() {
        var script = Script()
        script.comeUp("65210", "6502", "51082")
        script.feed("502014")
        script.advance(.milliseconds(500))
        script.forget()
        script.feed("51086", "6542", "65220")
        let events = script.takeEvents()
        #expect(events.contains { $0.code == EventCode.alarmUnheard.rawValue && $0.partition == 1 })
        #expect(!events.contains { $0.flags.contains(.endsAlarm) })
        let first = script.session.state.partition(1)?.incident
        #expect(first != nil && first?.unheardSince == first?.since)
        #expect(script.session.state.partition(2)?.isInAlarm == true)
    }

    @Test("a memory light behind a dead keybus tells an alarm, and only the panel's next line that it is over")
    func aMemoryLightBehindADeadKeybus() {
        var script = Script()
        script.comeUp("6501", "51081")
        script.feed("502014")
        script.advance(.milliseconds(500))
        script.forget()
        // Memory and fire: the alarm lasts.
        script.feed("510C4")
        let events = script.takeEvents()
        #expect(events.contains { $0.code == EventCode.alarmUnheard.rawValue })
        #expect(!events.contains { $0.flags.contains(.endsAlarm) })
        #expect(script.session.state.partition(1)?.isInAlarm == true)
        script.feed("6501")
        #expect(script.takeEvents().filter { $0.flags.contains(.endsAlarm) }.map(\.raw) == ["6501"])

        // A report tells the partition before the lights.
        var over = Script()
        over.comeUp("6501", "51081")
        over.feed("502014")
        over.advance(.milliseconds(500))
        over.forget()
        over.feed("6501", "51085")
        let ended = over.takeEvents().filter { $0.flags.contains(.endsAlarm) }
        #expect(ended.map(\.code) == [EventCode.alarmOver.rawValue])
        #expect(over.session.state.partition(1)?.isInAlarm == false)
    }

    @Test("a silent alarm that somebody silences is over by the memory light, although its zone is still open")
    func aSilentAlarmThatSomebodySilences() {
        var script = Script()
        script.comeUp("6501", "51081")
        script.feed("609003", "6011003")
        script.advance(.seconds(10))
        script.forget()
        script.feed("51085", "6501")
        #expect(script.takeEvents().filter { $0.flags.contains(.endsAlarm) }.map(\.raw) == ["6501"])
        #expect(script.session.state.partition(1)?.incident?.end?.ending == .noLongerReported)

        var unsure = Script()
        unsure.comeUp("51081")
        unsure.feed("609003", "6011003")
        unsure.advance(.seconds(10))
        unsure.feed("51085", "6511")
        #expect(unsure.session.state.partition(1)?.isInAlarm == false)
    }

    @Test("an alarm that begins while a report runs is told once")
    func anAlarmDuringAReport() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.closed()
        script.advance(.seconds(20))
        script.awaitAttempt()
        script.logIn()
        script.forget()
        script.resynchronise(["6541", "6541", "51086"])
        let alarms = script.takeEvents().filter { $0.type == .alarm && !$0.flags.contains(.repeats) }
        #expect(alarms.map(\.code) == ["654"])
    }

    @Test("a report that the panel refuses ends no gap")
    func aRefusedReportEndsNoGap() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.closed()
        script.advance(.minutes(5))
        script.awaitAttempt()
        script.logIn()
        script.answered = ["000"]
        script.advance(.milliseconds(30))
        script.feed("502023")
        script.advance(.milliseconds(100))
        #expect(script.session.state.link == .up)
        script.advance(.seconds(2))
        script.forget()
        script.resynchronise(["65210", "51086"])
        #expect(script.takeEvents().contains { $0.code == EventCode.alarmUnheard.rawValue })
    }

    // MARK: Orders

    @Test("'not armed' to a disarm while an arm is under way is no success: it is sent again behind the arming")
    func notArmedWhileAnArmIsUnderWay() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.arm(partition: 1, mode: .away, force: false), id: 1)
        script.feed("500030")
        script.submit(.disarm(partition: 1), id: 2)
        script.advance(.milliseconds(50))
        script.forget()
        script.feed("502023")
        #expect(script.takeOutcomes().isEmpty)
        script.feed("6561")
        script.advance(.seconds(1))
        #expect(script.takeSent().contains("04011234"))
        script.feed("500040", "6551")
        #expect(script.takeOutcomes() == [.done, .done])
    }

    @Test("'not armed' to a disarm right behind a login is no success while the last known state says armed")
    func notArmedBehindALogin() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.closed()
        script.awaitAttempt()
        script.logIn()
        script.submit(.disarm(partition: 1))
        script.feed("500001")
        script.advance(.milliseconds(50))
        let sent = script.takeSent()
        #expect(sent.contains("04011234"), "\(sent)")
        script.feed("502023")
        #expect(script.takeOutcomes().isEmpty)
    }

    @Test("'not armed' to a disarm of a partition of which nothing is known yet is asked again until the report tells")
    func notArmedBeforeAnythingIsKnown() {
        var script = Script()
        script.answered = ["000", "001"]
        script.start()
        script.logIn()
        script.submit(.disarm(partition: 2), within: .seconds(60))
        script.advance(.milliseconds(50))
        script.forget()
        script.feed("502023")
        #expect(script.takeOutcomes().isEmpty)
        script.feed("65220")
        script.advance(.seconds(2))
        #expect(script.takeSent().contains("04021234") && script.takeOutcomes().isEmpty)
    }

    @Test("'not armed' to a disarm while the alarm goes on is a failure that says so")
    func notArmedWhileTheAlarmGoesOn() {
        var script = Script()
        script.comeUp("6501")
        script.feed("6011009", "6541")
        script.submit(.disarm(partition: 1))
        script.advance(.milliseconds(50))
        script.forget()
        script.feed("502023")
        #expect(script.takeOutcomes() == [.failed(.panelRefused(error: 23))])
    }

    @Test("what has fallen silent by itself is not silenced: that would only disarm")
    func whatHasFallenSilentByItself() {
        var script = Script()
        script.comeUp("65210", "51082")
        script.feed("6011003", "6541", "65210")
        script.submit(.silence(partition: 1), id: 1)
        let refused = script.takeOutcomes()
        #expect(refused.first?.reason != nil && refused.count == 1)
        script.submit(.disarm(partition: 1), id: 2)
        #expect(script.takeOutcomes().isEmpty)
    }

    @Test("over open zones nothing arms unless it is forced")
    func overOpenZonesNothingArms() {
        for lines in [["6531"], ["6511"], ["65210", "6551"]] {
            var script = Script()
            script.comeUp("609003", "6501")
            for line in lines { script.feed(line) }
            script.submit(.arm(partition: 1, mode: .away, force: false))
            #expect(script.takeOutcomes() == [.refused(.notReady(openZones: [3]))])
            script.submit(.arm(partition: 1, mode: .away, force: true))
            #expect(script.takeOutcomes().isEmpty)
        }
    }

    @Test("a code of an order that the panel refuses is no alarm, one at a keypad is")
    func aCodeOfAnOrderThatThePanelRefuses() {
        var script = Script()
        script.comeUp("65210")
        script.feed("6701")
        #expect(script.takeEvents().last?.type == .alarm)
        script.submit(.disarm(partition: 1))
        script.advance(.milliseconds(50))
        script.feed("500040", "6701")
        #expect(script.takeEvents().last?.type == .info)
    }

    @Test("a code of an order that a report of the disarmed house has confirmed meanwhile is no alarm either")
    func aCodeOfAnOrderThatAReportConfirmed() {
        for (wait, type) in [(Duration.seconds(1), EventType.info), (.seconds(6), .alarm)] {
            var script = Script()
            script.answered = ["000", "001"]
            script.comeUp("6501")
            script.submit(.disarm(partition: 1))
            script.advance(.milliseconds(50))
            script.feed("500040", "6501")
            #expect(script.takeOutcomes() == [.done])
            script.advance(wait)
            script.feed("6701")
            #expect(script.takeEvents().last?.type == type)
            script.feed("6701")
            #expect(script.takeEvents().last?.type == .alarm, "one order has one code")
        }
    }

    // MARK: What the panel tells by its light alone

    @Test("one trouble that is told by 840 and 849 makes one notice; a light that stays alone makes its own")
    func oneTroubleMakesOneNotice() {
        for (lines, told) in [(["84902"], ["84902"]), ([], ["8401"]), (["8411"], ["8401"])] {
            var script = Script()
            script.comeUp("6501", "8411")
            script.feed("8401")
            for line in lines { script.feed(line) }
            script.advance(.seconds(3))
            let notices = script.takeEvents().filter { $0.priority == .fault }
            #expect(notices.map(\.raw) == told)
        }
    }

    @Test("mains told by 849 alone reads as a power cut, and is over when the light is off and 849 is overdue")
    func mainsToldBy849Alone() {
        var script = Script()
        script.answered = ["000"]
        script.comeUp("6501", "8411")
        script.feed("8401", "84902")
        let names = SiteNames()
        #expect(script.takeEvents().last?.subject(names, partitions: []) == .powerCut)
        script.advance(.seconds(30))
        script.feed("8411")
        script.advance(.seconds(295))
        #expect(script.session.state.system[.ac] == .known(.trouble))
        script.advance(.seconds(10))
        #expect(script.session.state.system[.ac] == .known(.ok))
        #expect(script.takeEvents().filter { $0.type == .recovery }.count == 1)
    }

    @Test("a clock that the panel lost is set at once and again; people are told if it does not help")
    func aClockThatThePanelLost() {
        var settings = Script.settings()
        settings.setsClock = true
        var script = Script(settings)
        script.answered = ["000", "001", "010"]
        script.comeUp("6501", "8411")
        script.advance(.seconds(5))
        script.forget()
        script.feed("84980")
        script.advance(.seconds(1))
        #expect(script.takeSent().contains { $0.hasPrefix("010") })
        #expect(!script.takeEvents().contains { $0.priority == .fault })
        script.advance(.minutes(5))
        script.feed("84980")
        script.advance(.seconds(1))
        #expect(script.takeSent().contains { $0.hasPrefix("010") })
        #expect(script.takeEvents().filter { $0.priority == .fault }.map(\.raw) == ["84980"])
    }

    @Test("an exit or entry delay that does not end is asked for", arguments: ["6561", "6571"])
    func aDelayThatDoesNotEnd(_ line: String) {
        var script = Script()
        script.comeUp("65210", "51082")
        script.answered = ["000"]
        script.feed(line)
        script.advance(.seconds(269))
        script.forget()
        script.advance(.seconds(3))
        #expect(script.takeSent().contains("001"))
    }

    @Test("an error behind the clock's acknowledgement is not the next order's while that can still be acknowledged")
    func anErrorBehindTheClocksAcknowledgement() {
        for (isAcknowledged, outcomes) in [(true, [Outcome.done]), (false, [.failed(.panelRefused(error: 11))])] {
            var script = Script()
            script.comeUp("6501")
            script.submit(.setClock, id: 1)
            script.advance(.milliseconds(50))
            script.submit(.arm(partition: 1, mode: .stay, force: false), id: 2)
            script.feed("500010")
            script.advance(.milliseconds(50))
            script.forget()
            script.feed("502011")
            if isAcknowledged { script.feed("500031", "6561") }
            script.advance(.seconds(2))
            #expect(script.takeOutcomes() == outcomes)
        }
    }
}

extension Script {
    /// A session that is lost, and five minutes later the events of its return.
    fileprivate mutating func comeBack(_ report: [String]) {
        closed()
        advance(.minutes(5))
        forget()
        awaitAttempt()
        logIn()
        resynchronise(report)
    }
}
