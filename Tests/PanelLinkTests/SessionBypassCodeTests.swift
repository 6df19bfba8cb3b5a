import AlarmModel
import Testing

@testable import PanelLink

/// A panel that wants a code for `*1`, as docs/envisalink.md 5 has it.
@Suite("A bypass on a panel that wants a code for it")
struct SessionBypassCodeTests {
    private static let none = "616" + String(repeating: "0", count: 16)
    private static let zone3 = "6160400000000000000"
    private static let code = "2001234"

    /// The panel: asks at `*1`, opens the menu for the right code, lists when the menu is left.
    private struct Panel {
        var isInMenu = false
        var isAsked = false
        var bypassed = false
        var wrong = false
        var asks = true

        mutating func answer(_ line: String) -> [String] {
            switch line {
            case let keys where keys.hasPrefix("0711*1") && asks:
                isAsked = true
                return ["500071", "900"]
            case "0711*1":
                isInMenu = true
                return ["500071"]
            case SessionBypassCodeTests.code:
                guard isAsked else { return ["502020"] }
                isAsked = false
                if wrong { return ["500200", "6701"] }
                isInMenu = true
                return ["500200"]
            case let keys where keys.hasPrefix("0711"):
                isAsked = false
                guard isInMenu else { return ["500071"] }
                if keys == "071103#" { bypassed.toggle() }
                isInMenu = false
                return ["500071", bypassed ? SessionBypassCodeTests.zone3 : SessionBypassCodeTests.none]
            default: return []
            }
        }
    }

    private func play(
        _ script: inout Script, _ panel: inout Panel, code: String?, id: UInt64 = 1, noise: [String: String] = [:]
    ) -> (sent: [String], outcomes: [Outcome]) {
        script.submit(.bypass(zone: 3, bypassed: true), id: id, code: code, within: .seconds(30))
        var sent: [String] = []
        for _ in 0..<2500 {
            script.advance(.milliseconds(10))
            for line in script.takeSent() where line != "000" {
                sent.append(line)
                let replies = panel.answer(line)
                if let line = noise[line] { script.feed(line) }
                for reply in replies { script.feed(reply) }
            }
        }
        return (sent, script.takeOutcomes())
    }

    private func ready() -> Script {
        var script = Script()
        script.start()
        script.logIn()
        script.resynchronise(["6501"])
        script.forget()
        script.answered = ["000"]
        return script
    }

    @Test("the question is left, asked for again with *1 alone, answered with the code, and then the zone is typed")
    func theQuestionIsAnsweredAndThenTheZoneIsTyped() {
        var script = ready()
        var panel = Panel()
        let result = play(&script, &panel, code: "1234")
        #expect(
            result.sent == [
                "0711*1#", "0711#", "0711*1", Self.code, "0711#", "0711*1", Self.code, "071103#",
            ])
        #expect(result.outcomes == [.done] && panel.bypassed)
        let again = play(&script, &panel, code: "1234", id: 2)
        #expect(again.sent == [] && again.outcomes == [.done])
    }

    @Test("the next bypass of the session begins with the question")
    func theNextBypassBeginsWithTheQuestion() {
        var script = ready()
        var panel = Panel()
        #expect(play(&script, &panel, code: nil).outcomes == [.failed(.bypassNeedsCode)])
        #expect(play(&script, &panel, code: nil, id: 2).outcomes == [.refused(.bypassNeedsCode)])
        let result = play(&script, &panel, code: "1234", id: 3)
        #expect(result.sent == ["0711*1", Self.code, "0711#", "0711*1", Self.code, "071103#"])
        #expect(result.outcomes == [.done] && panel.bypassed)
    }

    @Test("a wrong code ends it before anything is typed that could be taken for zones")
    func aWrongCodeEndsIt() {
        var script = ready()
        var panel = Panel(wrong: true)
        let result = play(&script, &panel, code: "1234")
        #expect(result.sent == ["0711*1#", "0711#", "0711*1", Self.code])
        #expect(result.outcomes == [.failed(.wrongCode)])
    }

    @Test("what somebody else lists at a keypad meanwhile does not put it out of step")
    func whatSomebodyElseListsDoesNotPutItOutOfStep() {
        var script = ready()
        var panel = Panel()
        let result = play(&script, &panel, code: "1234", noise: ["0711*1": Self.none, Self.code: Self.none])
        #expect(result.outcomes == [.done] && panel.bypassed)
        #expect(result.sent.filter { $0 == Self.code }.count <= 2)
    }

    @Test("a question that was somebody else's: the menu is open without a code, and none is sent")
    func aQuestionThatWasSomebodyElses() {
        var script = ready()
        var panel = Panel(asks: false)
        let result = play(&script, &panel, code: "1234", noise: ["0711*1#": "900"])
        #expect(result.sent == ["0711*1#", "0711#", "0711*1", "0711#", "0711*1", "071103#"])
        #expect(result.outcomes == [.done] && panel.bypassed)
    }

    @Test("the configured code answers only where the owner lets it answer everything")
    func theConfiguredCodeAnswersOnlyWhereTheOwnerLetsIt() {
        for (asked, outcome) in [
            (CodeOnRequest.outputs, Outcome.failed(.bypassNeedsCode)), (.always, .done),
        ] {
            var settings = Script.settings()
            settings.codeOnRequest = asked
            var script = Script(settings)
            script.start()
            script.logIn()
            script.resynchronise(["6501"])
            script.forget()
            var panel = Panel()
            #expect(play(&script, &panel, code: nil).outcomes == [outcome], "\(asked)")
        }
    }
}
