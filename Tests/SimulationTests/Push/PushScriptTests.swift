import AlarmModel
import PhoneProtocol
import Simulators
import Testing

@Suite("Push scripts")
struct PushScriptTests {
    @Test("times are absolute, relative, or those of the line above; statements run in time order")
    func timesAreAbsolute() throws {
        let script = try PushScript(
            parsing: """
                # a bad evening
                AT 10s drain
                IN 2s close-abrupt

                phone TOKEN offline   # at the same time
                at 500ms split on
                """)
        #expect(script.statements.map(\.time.milliseconds) == [500, 10_000, 12_000, 12_000])
        #expect(
            script.statements.map(\.stimulus) == [
                .split(true), .drain(nil), .closeAbrupt, .presence("TOKEN", .offline),
            ])
        var run = PushScript.Run(script, start: .zero + .seconds(100))
        #expect(run.nextDeadline == .zero + .milliseconds(100_500))
        #expect(run.due(at: .zero + .seconds(110)).map(\.line) == [6, 2])
        #expect(run.due(at: .zero + .seconds(200)).map(\.line) == [3, 5])
        #expect(run.nextDeadline == nil)
    }

    @Test(
        "each verb is its stimulus",
        arguments: [
            ("drain 5s", PushSimulator.Stimulus.drain(.seconds(5))), ("drain-nack", .drainNack(nil)),
            ("close-graceful", .closeGraceful), ("close-abrupt", .closeAbrupt), ("half-open", .halfOpen),
            ("half-open off", .halfOpenNewcomers(false)), ("whitespace-only on", .whitespaceOnly(true)),
            ("space", .space), ("slow-drip on", .slowDrip(true)), ("split off", .split(false)),
            ("nack BAD_REGISTRATION on", .nack(PushFaults.Nack(code: "BAD_REGISTRATION", times: .max))),
            ("delay-acks off", .delayAcks(.zero)), ("delay-acks 2m", .delayAcks(.minutes(2))),
            ("canonical-id Old New", .canonicalID(old: "Old", new: "New")),
            ("stream-error system-shutdown", .streamError("system-shutdown")), ("auth-fail", .authFail(1)),
            ("auth-fail off", .authFail(0)), ("refuse-connect on", .refuseConnect(true)), ("garbage", .garbage),
            ("certificate self-signed", .certificate(.selfSigned)), ("ping", .ping),
            ("duplicate up 2", .duplicateInbound(2)), ("duplicate down on", .duplicateDownstream(.max)),
            ("reorder up 3", .reorderInbound(3)), ("reorder down 3", .reorderDownstream(3)),
            ("window 10", .window(10)), ("over-window nack", .overWindow(.nack)),
            ("upstream-window 1", .inboundWindow(1)), ("form plain", .form(.plain)),
            ("register T ios", .register("T", PushClient(kind: .ios, category: "com.example.howalarming"))),
            ("register T android a.b", .register("T", PushClient(kind: .android, category: "a.b"))),
            ("unregister T", .unregister("T")), ("phone T background", .presence("T", .background)),
            ("phone T channel up", .channel("T", up: true)),
            (
                "upstream T m1 60 {\"command\": \"ping\"}",
                .inbound("T", messageID: "m1", ttl: 60, data: .object(["command": .string("ping")]))
            ), ("faults off", .faultsOff),
        ])
    func eachVerbIsItsStimulus(_ text: String, _ expected: PushSimulator.Stimulus) throws {
        #expect(try PushScript.parseStimulus(text) == expected)
    }

    @Test(
        "a line that cannot be carried out says where it is wrong and what was expected",
        arguments: [
            ("drain\nAT soon drain", "line 2, column 4: \"soon\" is not a span of time; write 500ms, 10s, 2m or 1h"),
            ("in -5s drain", "line 1, column 4: \"-5s\" is not a span of time; write 500ms, 10s, 2m or 1h"),
            ("phone T asleep", "line 1, column 9: \"asleep\" is none of offline, background, online, channel"),
            ("phone", "line 1, column 7: here a token is missing"),
            ("drain 5s now", "line 1, column 10: nothing was expected after this, found \"now\""),
            (
                "upstream T m 0 {",
                "line 1, column 16: \"{\" is not a JSON object; write for example {\"command\":\"ping\"}"
            ),
            ("form curly", "line 1, column 6: \"curly\" is none of prefixed, plain"),
            ("reorder up 1", "line 1, column 12: \"1\" is not a number from 2 to 100"),
        ])
    func aLineThatCannotBeCarriedOutSaysWhereItIsWrong(_ text: String, _ expected: String) {
        do throws(ScriptError) {
            _ = try PushScript(parsing: text)
            Issue.record("no error")
        } catch {
            #expect("\(error)" == expected)
        }
    }

    @Test("an unknown verb, code or condition is answered with those that are known")
    func anUnknownVerbCodeOrConditionIsAnsweredWithThose() {
        for (text, known) in [
            ("explode", "close-abrupt"), ("nack 5", "DEVICE_UNREGISTERED"), ("stream-error boredom", "conflict"),
        ] {
            do throws(ScriptError) {
                _ = try PushScript.parseStimulus(text)
                Issue.record("no error")
            } catch {
                #expect("\(error)".contains(known))
            }
        }
    }
}
