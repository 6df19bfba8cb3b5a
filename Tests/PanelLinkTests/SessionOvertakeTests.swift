import AlarmModel
import PanelLink
import Testing

/// An arm, and a disarm behind it that leaves first: the house must not end armed. And deadlines of what was refused.
@Suite struct SessionOvertakeTests {
    private static func arm(_ partition: Int) -> PanelCommand { .arm(partition: partition, mode: .away, force: false) }

    /// Lets time pass and answers each line that goes out.
    private func answering(
        _ script: inout Script, for span: Duration, _ answer: (String) -> String
    ) -> [String] {
        var sent: [String] = []
        for _ in 0..<(span.milliseconds / 10) {
            script.advance(.milliseconds(10))
            for line in script.takeSent() {
                sent.append(line)
                script.feed(answer(line))
            }
        }
        return sent
    }

    private func ack(_ line: String) -> String { line.hasPrefix("040") ? "502023" : "500" + line.prefix(3) }

    @Test("while the link is down: the arm is over when the disarm is taken, and what else was ordered stays")
    func whileTheLinkIsDown() {
        var script = Script()
        script.comeUp("6501")
        script.closed()
        script.forget()
        script.submit(Self.arm(1), id: 1, within: .seconds(60))
        script.submit(Self.arm(2), id: 2, within: .seconds(60))
        script.submit(.disarm(partition: 1), id: 3, within: .seconds(60))
        let early = script.takeOutcomes()
        #expect(early == [.refused(.conditionChanged)])
        script.awaitAttempt()
        script.logIn()
        script.forget()
        script.feed("6501")
        let sent = answering(&script, for: .seconds(1), ack)
        #expect(sent == ["04011234", "001", "000", "0302"])
        #expect(script.history.contains(.outcome(CommandID(1), .refused(.conditionChanged))))
        #expect(script.history.contains(.outcome(CommandID(3), .done)))
    }

    @Test("while a bypass is typed, which the arm has to wait for")
    func whileABypassIsTyped() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.bypass(zone: 3, bypassed: true), id: 1)
        script.submit(Self.arm(1), id: 2)
        script.submit(.disarm(partition: 1), id: 3)
        script.feed("500071")
        script.forget()
        let sent = answering(&script, for: .seconds(8), ack)
        #expect(sent.filter { $0 != "000" } == ["04011234"])
        #expect(script.history.contains(.outcome(CommandID(2), .refused(.conditionChanged))))
    }

    @Test("an arm that the module refused for the moment is not sent again")
    func anArmThatTheModuleRefusedForTheMomentIsNotSentAgain() {
        var script = Script()
        script.comeUp("6501")
        script.submit(Self.arm(1), id: 1)
        script.feed("502010")
        script.submit(.disarm(partition: 1), id: 2)
        script.forget()
        let sent = answering(&script, for: .seconds(6), ack)
        #expect(sent == ["04011234"])
        #expect(script.history.contains(.outcome(CommandID(1), .failed(.conditionChanged))))
    }

    @Test("an arm that is on the wire as the disarm is taken goes on, but is neither repeated nor given a code")
    func anArmThatIsOnTheWireAsTheDisarmIsTakenGoesOn() {
        var refused = Script()
        refused.comeUp("6501")
        refused.submit(Self.arm(1), id: 1)
        refused.submit(.disarm(partition: 1), id: 2)
        refused.forget()
        refused.feed("502018")
        let sent = answering(&refused, for: .seconds(4), ack)
        #expect(sent == ["04011234"])
        #expect(refused.history.contains(.outcome(CommandID(1), .failed(.conditionChanged))))

        var settings = Script.settings()
        settings.codeOnRequest = .always
        var asked = Script(settings)
        asked.comeUp("6501")
        asked.submit(Self.arm(1), id: 1)
        asked.feed("500030")
        asked.submit(.disarm(partition: 1), id: 2)
        asked.forget()
        asked.feed("900")
        let withoutCode = answering(&asked, for: .seconds(4), ack)
        #expect(withoutCode == ["04011234"])
        #expect(asked.history.contains(.outcome(CommandID(1), .failed(.conditionChanged))))

        var armed = Script()
        armed.comeUp("6501")
        armed.submit(Self.arm(1), id: 1)
        armed.submit(.disarm(partition: 1), id: 2)
        armed.feed("500030", "6561")
        let outcomes = armed.takeOutcomes()
        #expect(outcomes == [.done])
    }

    @Test("a disarm behind an arm that was never answered is tried for some seconds: a slow module may still arm")
    func aDisarmBehindAnArmThatWasNeverAnswered() {
        var lost = Script()
        lost.comeUp("6501")
        lost.submit(Self.arm(1), id: 1)
        lost.closed()
        #expect(lost.takeOutcomes() == [.notConfirmed])
        lost.submit(.disarm(partition: 1), id: 2, within: .seconds(60))
        lost.awaitAttempt()
        lost.logIn()
        lost.forget()
        let early = answering(&lost, for: .seconds(2), ack)
        #expect(early.filter { $0.hasPrefix("040") }.count > 1 && lost.takeOutcomes().isEmpty)
        lost.feed("6501")
        let late = answering(&lost, for: .seconds(10), ack)
        #expect(late.filter { $0.hasPrefix("040") }.count <= 8)
        #expect(lost.takeOutcomes() == [.done], "the panel kept saying that it is not armed")

        var slow = Script()
        slow.comeUp("6501")
        slow.submit(Self.arm(1), id: 1)
        slow.advance(.seconds(6))
        slow.feed("500030", "500000")
        slow.submit(.disarm(partition: 1), id: 2)
        slow.advance(.seconds(1))
        slow.feed("502023", "6561")
        slow.forget()
        slow.advance(.seconds(2))
        #expect(slow.takeSent().contains("04011234") && slow.takeOutcomes().isEmpty)
    }

    @Test("an arm that is ordered behind the disarm is carried out")
    func anArmThatIsOrderedBehindTheDisarmIsCarriedOut() {
        var script = Script()
        script.comeUp("6501")
        script.closed()
        script.submit(.disarm(partition: 1), id: 1, within: .seconds(60))
        script.submit(Self.arm(1), id: 2, within: .seconds(60))
        script.awaitAttempt()
        script.logIn()
        script.forget()
        let sent = answering(&script, for: .seconds(1), ack)
        #expect(sent == ["04011234", "001", "000", "0301"])
    }

    @Test("what the module refuses for the moment is not sent after its deadline")
    func whatTheModuleRefusesForTheMomentIsNotSentAfterItsDeadline() {
        var script = Script()
        script.comeUp("6501")
        script.submit(Self.arm(1), within: .seconds(2))
        script.forget()
        script.feed("502010")
        var sent = answering(&script, for: .milliseconds(1_990)) { _ in "502010" }
        #expect(!sent.isEmpty)
        let early = script.takeOutcomes()
        #expect(early.isEmpty)
        sent = answering(&script, for: .seconds(10)) { _ in "502010" }
        let outcomes = script.takeOutcomes()
        #expect(outcomes == [.expired])
        #expect(sent.isEmpty)
    }

    @Test("what has begun is brought to its end, also behind its deadline")
    func whatHasBegunIsBroughtToItsEnd() {
        var script = Script()
        script.comeUp("6501")
        script.submit(.keys(partition: 1, keys: Secret("12345678"), allowInstaller: false), within: .seconds(1))
        script.forget()
        script.feed("500071")
        let sent = answering(&script, for: .seconds(3), ack)
        #expect(sent == ["071178"])
        let outcomes = script.takeOutcomes()
        #expect(outcomes == [.done])
    }
}
