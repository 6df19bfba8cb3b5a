import AlarmModel
import ApplianceCore
import PanelLink
import PhoneProtocol
import Testing

@Suite struct SecretTests {
    private func isSend(_ effect: Effect) -> Bool { if case .send = effect { true } else { false } }

    @Test("the scripted day uses every secret on the wire, or the search below would prove nothing")
    func theScriptedDayUsesEverySecretOnTheWire() {
        let sent = Day.whole().sent.joined(separator: " ")
        for secret in [Bench.password, Bench.master, Day.otherCode, Day.keys] { #expect(sent.contains(secret)) }
    }

    @Test("no password, code or key is in anything but bytes for the panel")
    func noPasswordCodeOrKeyIsInAnythingButBytesForThePanel() throws {
        let bench = Day.whole()
        #expect(bench.isFinished)
        for secret in [Bench.password, Bench.master, Bench.installer, Day.otherCode, Day.keys, "7719", "n3wPass"] {
            #expect(try bench.places(of: secret) { !isSend($0) } == [])
        }
    }

    @Test("no secret is in the state as it is recorded")
    func noSecretIsInTheStateAsItIsRecorded() throws {
        var bench = Bench()
        for step in Day.steps {
            step(&bench)
            let text = try JSON.encoding(bench.core).text
            for secret in [Bench.password, Bench.master, Bench.installer, Day.otherCode, Day.keys] {
                #expect(!text.contains(secret))
            }
        }
    }

    @Test(
        "an error for a bad request does not repeat the code that was in it",
        arguments: [
            #"{"request":"disarm","code":"90210x"}"#, #"{"request":"disarm","code":902101}"#,
            #"{"request":"90210","code":"1234"}"#, #"{"request":"disarm","90210":1}"#,
            #"{"request":"disarm","code":"90210"} x"#, #"{"request":"keys","keys":90210}"#,
            #"{"request":"arm","mode":"90210"}"#, #"{"request":"bypass","zone":90210}"#,
            #"{"request":"disarm","code":["90210"]}"#, #"{"request":"panic","kind":"90210"}"#,
            #"{"request":"disarm","code":"90210","code":"90210"}"#, #"disarm 90210"#,
            #"{"request":"status","code":"90210"}"#,
        ])
    func anErrorForABadRequestDoesNotRepeatTheCodeThatWasInIt(_ line: String) {
        do {
            _ = try ControlRequest(line: Array(line.utf8))
            Issue.record("\(line) is not a request")
        } catch {
            #expect(!error.reason.contains("90210"))
            var bench = Bench.up()
            bench.feed(.accepted(Bench.client(1)))
            bench.feed(.badRequest(Bench.client(1), error))
            #expect(bench.replies.map(\.reply) == [.error(error.reason)])
        }
    }
}
