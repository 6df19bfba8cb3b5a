import AlarmModel
import PanelLink
import Testing

@Suite struct SessionArmTests {
    private static let away = PanelCommand.arm(partition: 1, mode: .away, force: false)
    private static let stay = PanelCommand.arm(partition: 1, mode: .stay, force: false)

    /// In step, with this order sent and acknowledged.
    private func ordered(
        _ command: PanelCommand, sent: String, report: [String] = ["6501"],
        settings: PanelSettings = Script.settings(), code: String? = nil
    ) -> Script {
        var script = Script(settings)
        script.start()
        script.logIn()
        script.resynchronise(report)
        script.forget()
        script.submit(command, code: code)
        #expect(script.takeSent() == [sent])
        script.feed("500" + sent.prefix(3))
        return script
    }

    @Test(
        "arming is done when the panel shows it",
        arguments: [
            (PanelCommand.ArmRequest.away, "0301", "6561", PartitionStatus.exitDelay(.away)),
            (.stay, "0311", "6561", .exitDelay(.stay)), (.zeroEntry, "0321", "65213", .armed(.zeroEntryStay)),
            (.away, "0301", "65210", .armed(.away)),
        ])
    func armingIsDoneWhenThePanelShowsIt(
        _ mode: PanelCommand.ArmRequest, _ sent: String, _ line: String, _ status: PartitionStatus
    ) {
        var script = ordered(.arm(partition: 1, mode: mode, force: false), sent: sent)
        #expect(script.takeOutcomes().isEmpty)
        script.feed(line)
        #expect(script.takeOutcomes() == [.done])
        #expect(script.session.state.partition(1)?.status == .known(status))
        #expect(script.takeEvents().last?.command == CommandID(1))
    }

    @Test("with a person's code arming away types it, so that the panel's log names the person; a wrong one is told")
    func withAPersonsCodeArmingAwayTypesIt() {
        for (line, outcome) in [("6561", Outcome.done), ("6701", .failed(.wrongCode)), ("6581", .failed(.lockedOut))] {
            var script = ordered(Self.away, sent: "03311234", code: "1234")
            script.feed(line)
            #expect(script.takeOutcomes() == [outcome])
        }
        // The panel decides on the mode of a typed code: where one is asked for, none is typed.
        _ = ordered(Self.stay, sent: "0311", code: "1234")
    }

    @Test("a code that is none is refused, and nothing leaves")
    func aCodeThatIsNoneIsRefused() {
        var script = Script()
        script.comeUp("6501")
        script.submit(Self.away, code: "12a4")
        script.advance(.seconds(1))
        #expect(script.takeSent().isEmpty)
        guard case .refused(.badRequest) = script.takeOutcomes().first else {
            Issue.record("not refused")
            return
        }
    }

    @Test("a confirmation before the acknowledgement counts, and the acknowledgement is not missed")
    func aConfirmationBeforeTheAcknowledgementCounts() {
        var script = Script()
        script.comeUp("6501")
        script.submit(Self.away)
        script.advance(.milliseconds(30))
        script.feed("6561")
        #expect(script.takeOutcomes() == [.done])
        script.feed("500030")
        #expect(script.session.counters.unexpectedAck == 0)
    }

    @Test("no confirmation within exactly 5 s of the command is not confirmed")
    func noConfirmationWithinExactly5SOfTheCommandIsNotConfirmed() {
        var script = ordered(Self.away, sent: "0301")
        script.advance(.milliseconds(4_999))
        #expect(script.takeOutcomes().isEmpty)
        script.advance(.milliseconds(1))
        #expect(script.takeOutcomes() == [.notConfirmed])
        #expect(script.takeCloses() == 0)
    }

    @Test("open zones refuse it here and are named; force tries")
    func openZonesRefuseItHereAndAreNamed() {
        var script = Script()
        script.comeUp("609003", "609044", "6511")
        script.submit(Self.away, id: 1)
        #expect(script.takeOutcomes() == [.refused(.notReady(openZones: [3, 44]))])
        script.submit(.arm(partition: 1, mode: .away, force: true), id: 2)
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["0301"])
    }

    @Test("armed, entry delay and exit delay refuse it", arguments: [["65210"], ["6561"], ["65210", "6571"]])
    func armedEntryDelayAndExitDelayRefuseIt(_ lines: [String]) {
        var script = Script()
        script.comeUp("6501")
        for line in lines { script.feed(line) }
        script.submit(Self.away)
        #expect(script.takeOutcomes() == [.refused(.alreadyArmed)])
    }

    @Test("partitions that do not exist refuse it")
    func partitionsThatDoNotExistRefuseIt() {
        var script = Script()
        script.comeUp("6501", "6732")
        script.submit(.arm(partition: 2, mode: .away, force: false), id: 1)
        script.submit(.arm(partition: 9, mode: .away, force: false), id: 2)
        #expect(script.takeOutcomes() == [.refused(.unknownPartition(2)), .refused(.unknownPartition(9))])
    }

    /// The owner lets the box answer for arming, too.
    private static var giving: PanelSettings {
        var settings = Script.settings()
        settings.codeOnRequest = .always
        return settings
    }

    @Test(
        "900 is answered for outputs alone unless the owner says otherwise, and the outcome names the setting",
        arguments: [
            (CodeOnRequest?.none, false, true), (.never, false, false), (.outputs, false, true), (.always, true, true),
        ])
    func with900IsAnsweredForOutputsAlone(_ setting: CodeOnRequest?, arms: Bool, outputs: Bool) {
        var settings = Script.settings()
        if let setting { settings.codeOnRequest = setting }
        let output = PanelCommand.output(partition: 1, output: 2)
        for (command, line, isAnswered) in [(Self.stay, "0311", arms), (output, "02012", outputs)] {
            // Nor does a code that came with the order go to whoever asks.
            for code in [nil, "4321"] {
                var script = ordered(command, sent: line, settings: settings, code: code)
                script.feed("900")
                script.advance(.milliseconds(30))
                let sent = script.takeSent()
                #expect(sent == (isAnswered ? ["200\(code ?? "1234")"] : []))
                let outcomes = script.takeOutcomes()
                #expect(outcomes == (isAnswered ? [] : [.failed(.codeWithheld)]))
            }
        }
        #expect(Reason.codeWithheld.description.contains("panel.code_on_request"))
    }

    @Test("900 for our own order is answered once with the code, and the time to confirm starts anew")
    func with900ForOurOwnOrderIsAnsweredOnceWithTheCode() {
        var script = ordered(Self.away, sent: "0301", settings: Self.giving)
        script.advance(.seconds(4))
        script.feed("900")
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["2001234"])
        script.feed("500200", "900")
        script.advance(.milliseconds(4_900))
        #expect(script.takeSent().filter { $0 != "000" }.isEmpty)
        #expect(script.takeOutcomes().isEmpty)
        script.feed("6561")
        #expect(script.takeOutcomes() == [.done])
    }

    @Test("900 between command and acknowledgement is answered behind the acknowledgement")
    func with900BetweenCommandAndAcknowledgementIsAnsweredBehind() {
        var script = Script(Self.giving)
        script.comeUp("6501")
        script.submit(Self.stay, code: "4321")
        script.advance(.milliseconds(30))
        script.forget()
        script.feed("900")
        script.advance(.milliseconds(100))
        #expect(script.takeSent().isEmpty)
        script.feed("500031")
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["2004321"])
    }

    @Test("900, and a refusal of codes in place of the acknowledgement: it has failed, and the next order goes out")
    func with900AndARefusalOfCodesInPlaceOfTheAcknowledgement() {
        var script = Script(Self.giving)
        script.comeUp("6501")
        script.submit(Self.away, id: 1)
        script.feed("900", "502026")
        let outcomes = script.takeOutcomes()
        #expect(outcomes == [.failed(.panelRefused(error: 26))])
        script.forget()
        script.submit(Self.away, id: 2)
        script.advance(.milliseconds(30))
        let sent = script.takeSent()
        #expect(sent == ["0301"])
    }

    @Test("900 for our own order, and the code comes too late: it ends at its deadline")
    func with900ForOurOwnOrder() {
        var script = ordered(Self.away, sent: "0301", settings: Self.giving)
        script.feed("900")
        script.advance(.milliseconds(30))
        script.feed("502026")
        let early = script.takeOutcomes()
        #expect(early.isEmpty)
        script.advance(.seconds(5))
        let outcomes = script.takeOutcomes()
        #expect(outcomes == [.notConfirmed])
    }

    @Test("a stranger's 900, 921 or 922 is an event and never answered", arguments: ["900", "921", "922"])
    func aStrangers900921Or922IsAnEventAndNeverAnswered(_ line: String) {
        var script = Script()
        script.comeUp("6501")
        script.feed(line)
        script.advance(.seconds(10))
        #expect(script.takeSent().isEmpty)
        #expect(script.takeEvents().map(\.code) == [line])
        // Nor after an order of ours is over.
        script.submit(Self.away)
        script.advance(.milliseconds(30))
        script.feed("500030", "6561")
        script.forget()
        script.feed(line)
        script.advance(.seconds(5))
        #expect(!script.takeSent().contains { $0.hasPrefix("200") })
    }

    @Test(
        "921 and 922 are a stranger's also while an order of ours waits, and change nothing of it",
        arguments: ["921", "922"], [false, true])
    func with921And922AreAStrangersAlsoWhileAnOrderOfOursWaits(_ line: String, isAcknowledged: Bool) {
        var settings = Script.settings()
        settings.installerCode = Secret("5555")
        let orders: [(PanelCommand, String, String)] = [
            (Self.away, "030", "6561"), (.output(partition: 1, output: 2), "020", "91212"),
        ]
        for (command, code, confirmation) in orders {
            var script = Script(settings)
            script.comeUp("6501")
            script.submit(command)
            script.advance(.milliseconds(30))
            if isAcknowledged { script.feed("500" + code) }
            script.forget()
            script.feed(line)
            script.advance(.milliseconds(100))
            if !isAcknowledged { script.feed("500" + code) }
            script.advance(.seconds(4))
            let sent = script.takeSent()
            #expect(sent.isEmpty, "\(code)")
            let early = script.takeOutcomes()
            #expect(early.isEmpty, "\(code)")
            script.feed(confirmation)
            let outcomes = script.takeOutcomes()
            #expect(outcomes == [.done], "\(code)")
        }
    }

    @Test("a stranger's 921 does not count as a demand for a code to bypass")
    func aStrangers921DoesNotCountAsADemandForACodeToBypass() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.bypass(zone: 3, bypassed: true))
        script.advance(.milliseconds(30))
        script.feed("500071")
        script.forget()
        script.feed("921")
        script.advance(.seconds(2))
        #expect(script.takeSent().isEmpty)
        script.feed("6160400000000000000")
        #expect(script.takeOutcomes() == [.done])
    }

    @Test("without a code it fails")
    func withoutACodeItFails() {
        var settings = Self.giving
        settings.masterCode = nil
        var script = ordered(Self.away, sent: "0301", settings: settings)
        script.feed("900")
        #expect(script.takeOutcomes() == [.failed(.noCode)])
    }

    @Test(
        "the panel's refusals have names",
        arguments: [
            ("6591", Outcome.failed(.panelRefused(error: 659))), ("6721", .failed(.panelRefused(error: 672))),
            ("6701", .failed(.wrongCode)), ("6581", .failed(.lockedOut)), ("502016", .failed(.lockedOut)),
            ("502017", .failed(.installerMode)), ("502014", .failed(.keybusDown)),
            ("502021", .failed(.unknownPartition(1))),
            ("502022", .failed(.notSupported("arm away partition 1"))),
            ("502020", .failed(.panelRefused(error: 20))), ("502011", .failed(.panelRefused(error: 11))),
        ])
    func thePanelsRefusalsHaveNames(_ line: String, _ outcome: Outcome) {
        var script = ordered(Self.away, sent: "0301")
        script.feed(line)
        #expect(script.takeOutcomes() == [outcome])
    }

    @Test("659 names the zones that are open by now")
    func with659NamesTheZonesThatAreOpenByNow() {
        var script = ordered(Self.away, sent: "0301")
        script.feed("609003", "6591")
        #expect(script.takeOutcomes() == [.failed(.notReady(openZones: [3]))])
    }

    @Test("024 on a panel known as ready wakes the keypad once: #, a second, and the command again")
    func with024OnAPanelKnownAsReadyWakesTheKeypadOnce() {
        var script = Script()
        script.comeUp("6501")
        script.submit(Self.away)
        script.advance(.milliseconds(30))
        script.forget()
        script.feed("502024")
        script.advance(.milliseconds(30))
        #expect(script.takeSent() == ["0711#"])
        script.feed("500071", "900")
        script.advance(.milliseconds(999))
        #expect(script.takeSent().isEmpty)
        script.advance(.milliseconds(1))
        #expect(script.takeSent() == ["0301"])
        script.feed("502024")
        #expect(script.takeOutcomes() == [.failed(.notReady(openZones: []))])
    }

    @Test("024 with dark LEDs wakes the keypad, 024 that fits what is known does not")
    func with024WithDarkLEDsWakesTheKeypad() {
        var dark = Script()
        dark.comeUp("6511", "51000")
        dark.submit(.arm(partition: 1, mode: .away, force: true))
        dark.advance(.milliseconds(30))
        dark.forget()
        dark.feed("502024")
        dark.advance(.milliseconds(30))
        #expect(dark.takeSent() == ["0711#"])
        var open = Script()
        open.comeUp("609003", "6511")
        open.submit(.arm(partition: 1, mode: .away, force: true))
        open.advance(.milliseconds(30))
        open.feed("502024")
        #expect(open.takeOutcomes() == [.failed(.notReady(openZones: [3]))])
    }

    @Test("a failed order of ours leaves no mode behind for the next exit delay")
    func aFailedOrderOfOursLeavesNoModeBehindForTheNextExitDelay() {
        var script = ordered(.arm(partition: 1, mode: .stay, force: false), sent: "0311")
        script.feed("6721", "6561")
        #expect(script.session.state.partition(1)?.status == .known(.exitDelay(nil)))
    }
}
