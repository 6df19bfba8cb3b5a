import AlarmModel
import PanelLink
import Testing

/// The sessions of Transcripts/, played by the module as they stand; the driver sends what it wants to.
@Suite struct SessionTranscriptTests {
    /// Plays the module's side. Answers to the driver's own commands are given as a module would.
    private func play(_ name: String, after prepare: (inout Script) -> Void = { $0.start() }) throws -> Script {
        let transcript = try Transcript(name)
        var script = Script()
        prepare(&script)
        if script.session.state.link == .up { script.answered = ["000", "001"] }
        for step in transcript.steps {
            switch step {
            case .connect(let reset):
                script.awaitAttempt()
                if reset { script.connectFailed(.refused) } else { script.connected() }
            case .module(let segments):
                for segment in segments { script.receive(segment) }
            case .client: script.advance(.milliseconds(40))
            case .delay(let span): script.advance(span)
            case .down(let span): script.advance(span)
            case .close: script.closed(.finished)
            case .reset: script.closed(.reset)
            }
        }
        return script
    }

    private func events(_ script: Script) -> [String] {
        script.history.compactMap { if case .event(let event) = $0 { event.raw } else { nil } }
    }

    @Test("login and status: 64 zones, one partition, seven that do not exist")
    func loginAndStatus64ZonesOnePartitionSevenThatDoNotExist() throws {
        let script = try play("dsc-01-login-status")
        #expect(script.session.state.link == .up)
        #expect(script.session.state.partition(1)?.status == .known(.notReady))
        for number in 2...8 { #expect(script.session.state.partition(number)?.status == .known(.notEnabled)) }
        #expect(script.session.state.zones.count == 64)
        #expect(script.session.state.zone(10)?.open == .known(true))
        #expect(script.session.state.zone(1)?.open == .known(false))
        #expect(script.session.state.zone(64)?.open == .unknown)
        #expect(events(script).map { $0.prefix(3) }.sorted() == ["615", "PAN"])
        let sent = script.history.compactMap { action -> String? in
            if case .send(let bytes) = action { String(decoding: bytes.dropLast(2), as: UTF8.self) } else { nil }
        }
        #expect(sent == ["005user54", "00191", "00090"])
    }

    @Test("stay arming and disarming, with attribution and the state in between")
    func stayArmingAndDisarming() throws {
        var script = Script()
        script.comeUp("6501", "51081")
        script.submit(.arm(partition: 1, mode: .stay, force: false), id: 1)
        #expect(script.takeSent() == ["0311"])
        script = try play("dsc-02-arm-stay-disarm") { $0 = script }
        #expect(script.session.state.partition(1)?.status == .known(.ready))
        #expect(script.session.state.partition(1)?.lastChangedByName == "Anna")
        #expect(
            events(script).suffix(11) == [
                "5108B", "6561", "7011", "5108A", "65211", "609003", "610003", "51081", "6551", "75010040", "6501",
            ])
        #expect(script.history.contains(.outcome(CommandID(1), .done)))
    }

    @Test("away arming with the code asked for")
    func awayArmingWithTheCodeAskedFor() throws {
        var settings = Script.settings()
        settings.codeOnRequest = .always
        var script = Script(settings)
        script.comeUp("6501")
        script.submit(.arm(partition: 1, mode: .away, force: false), id: 1)
        script = try play("dsc-03-arm-away-code-asked") { $0 = script }
        #expect(script.history.contains(.outcome(CommandID(1), .done)))
        #expect(script.history.contains(.send(Frame.bytes(code: "200", data: "1234"))))
        #expect(script.session.state.partition(1)?.status == .known(.armed(.away)))
    }

    @Test("bypass lists are taken over, and cleared by 655")
    func bypassListsAreTakenOver() throws {
        let script = try play("dsc-05-bypass") { $0.comeUp("6501") }
        #expect(script.session.state.zone(3)?.bypassed == .known(false))
        #expect(events(script).contains("6161400000000000000"))
    }

    @Test("errors that nobody asked for are counted and end nothing")
    func errorsThatNobodyAskedForAreCountedAndEndNothing() throws {
        let script = try play("dsc-06-errors") { $0.comeUp("6501") }
        #expect(script.session.state.link == .up)
        #expect(script.session.counters.commandErrors == 4)
        #expect(script.session.counters.systemErrors == 11)
    }

    @Test("troubles come and go, repeats are no events")
    func troublesComeAndGo() throws {
        let script = try play("dsc-07-troubles") {
            $0.comeUp("6501");
        }
        let raws = events(script)
        #expect(raws.filter { $0 == "84902" }.count == 1)
        #expect(script.session.state.system[.ac].last == .ok)
        #expect(script.session.state.system[.tamper].last == .ok)
        #expect(script.session.state.zone(12)?.fault.last == false)
        #expect(script.session.state.zone(12)?.lowBattery.last == false)
        #expect(script.session.state.system[.zoneBattery].last == .trouble)
    }

    @Test("stamps and broadcasts")
    func stampsAndBroadcasts() throws {
        let script = try play("dsc-09-timestamps-broadcasts") { $0.comeUp("6501") }
        #expect(
            events(script).suffix(6) == ["609002", "610002", "5501235112126", "5611021", "5622251", "560"].suffix(6))
        #expect(script.session.state.system.temperatures.map(\.degrees) == [21, -5].suffix(2))
    }

    /// Notices about alarms and their ends: the raw line and the type of each event.
    private func toldOfAlarms(_ script: Script) -> [String] {
        script.history.compactMap { action in
            guard case .event(let event) = action, event.priority == .alarm || event.type == .disarmed,
                event.flags.isDisjoint(with: [.repeats])
            else { return nil }
            return "\(event.raw) \(event.type.rawValue)"
        }
    }

    @Test("a panic key rings once, and the code that ends it disarms nothing")
    func aPanicKeyRingsOnce() throws {
        let script = try play("dsc-12-panic-key") { $0.comeUp("6501") }
        #expect(toldOfAlarms(script) == ["6251 alarm"])
        let incident = try #require(script.session.state.partition(1)?.incident)
        #expect(incident.key == .panicKey && incident.wasArmed == false)
        #expect(incident.end?.ending == .noLongerReported)
    }

    @Test("an alarm without a bell begins with its zone, and ends with who disarmed")
    func anAlarmWithoutABellBeginsWithItsZone() throws {
        let script = try play("dsc-13-silent-zone") { $0.comeUp("6501") }
        #expect(toldOfAlarms(script) == ["6011001 alarm", "6551 disarmed"])
        let incident = try #require(script.session.state.partition(1)?.incident)
        #expect(incident.zones.map(\.number) == [1] && !incident.isShown)
        #expect(incident.end?.ending == .disarmed && incident.end?.person == "Anna")
    }

    @Test("a smoke zone of a house that is not armed: nobody is said to have disarmed")
    func aSmokeZoneOfAHouseThatIsNotArmed() throws {
        let script = try play("dsc-14-smoke-while-disarmed") { $0.comeUp("6501") }
        #expect(toldOfAlarms(script) == ["6011003 alarm"])
        let incident = try #require(script.session.state.partition(1)?.incident)
        #expect(incident.end?.ending == .noLongerReported)
        #expect(script.session.state.partition(1)?.isInAlarm == false)
    }

    @Test("login failures are told apart, one after the other")
    func loginFailuresAreToldApart() throws {
        let script = try play("dsc-10-login-failures")
        #expect(script.session.counters.connects == 3)
        #expect(script.session.counters.sessions == 0)
        #expect(script.session.report(at: script.now).problem?.contains("another client") == true)
        #expect(events(script) == ["PANEL_REFUSED"])
    }

    @Test("a hostile stream costs nothing but what is damaged, and a reboot is survived")
    func aHostileStreamCostsNothingButWhatIsDamaged() throws {
        let script = try play("dsc-11-hostile-stream") { $0.comeUp("6501") }
        #expect(script.session.counters.badChecksum >= 1)
        #expect(script.session.counters.unknownCode == 1)
        #expect(script.session.counters.wrongData == 2)
        #expect(script.session.counters.connects == 2)
        #expect(script.session.report(at: script.now).phase == .loggingIn)
    }
}
