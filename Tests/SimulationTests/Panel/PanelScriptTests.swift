import AlarmModel
import PanelLink
import Simulators
import Testing

@Suite("Panel scripts")
struct PanelScriptTests {
    @Test("times are absolute, relative, or those of the line above; statements run in time order")
    func timesAreAbsolute() throws {
        let script = try PanelScript(
            parsing: """
                # a burglar
                AT 10s open 3   # the window
                IN 2s close 3

                keypad 1 arm away user 40
                at 500ms ac off
                IN 0.27s fault silent on
                """)
        #expect(script.statements.map(\.time.milliseconds) == [500, 770, 10_000, 12_000, 12_000])
        #expect(
            script.statements.map(\.stimulus) == [
                .trouble(.ac, true), .fault(.silent(.on)), .open(zone: 3), .close(zone: 3),
                .arm(partition: 1, .away, user: 40),
            ])
        #expect(script.statements.map(\.line) == [6, 7, 2, 3, 5])
        var run = PanelScript.Run(script, start: .zero + .seconds(100))
        #expect(run.nextDeadline == .zero + .milliseconds(100_500))
        #expect(run.due(at: .zero + .seconds(110)).count == 3)
        #expect(run.due(at: .zero + .seconds(200)).map(\.line) == [3, 5])
        #expect(run.nextDeadline == nil)
    }

    @Test(
        "each verb is its stimulus",
        arguments: [
            ("trip 5", PanelSimulator.Stimulus.trip(zone: 5, span: .seconds(3))),
            ("trip 5 2m", .trip(zone: 5, span: .minutes(2))),
            ("tamper 3 on", .zoneTamper(zone: 3, true)), ("zonefault 3 off", .zoneFault(zone: 3, false)),
            ("zonebattery 3 low", .zoneBattery(zone: 3, low: true)), ("key fire", .key(.fire)),
            ("keypad 1 disarm", .disarm(partition: 1, user: nil)),
            ("KEYPAD 1 KEYS *101#", .keys(partition: 1, Secret("*101#"))),
            ("keypad 2 keys #", .keys(partition: 2, Secret("#"))), ("keypad 1 duress", .duress(partition: 1)),
            ("battery low", .trouble(.battery, true)), ("bell ok", .trouble(.bell, false)), ("smoke on", .smoke(true)),
            ("keybus down", .keybus(alive: false)), ("reboot 40s", .rebootModule(down: .seconds(40))),
            ("powercycle", .powerCycle(down: nil)), ("vanish", .clientVanished),
            ("drop reset", .dropClient(reset: true)),
            ("temperature outdoor 2 -5", .temperature(Temperature(thermostat: 2, place: .outdoor, degrees: -5))),
            ("clock 2026-10-12T14:30", .clock(PanelClock(hour: 14, minute: 30, month: 10, day: 12, year: 26))),
            ("clock broadcast", .clockBroadcast), ("raw 6543", .rawLine("6543")),
            ("bytes ff0D0a", .rawBytes([255, 13, 10])),
            ("fault busy 010 3", .fault(.busy(PanelFaults.Busy(code: 10, times: 3)))), ("faults off", .fault(.none)),
            ("fault badChecksum 2", .fault(.badChecksum(2))), ("fault noAck on", .fault(.noAck(.max))),
            ("fault clockSkew -30m", .fault(.clockSkew(.minutes(-30)))), ("fault reboot off", .fault(.reboot(.zero))),
        ])
    func eachVerbIsItsStimulus(_ text: String, _ expected: PanelSimulator.Stimulus) throws {
        #expect(try PanelScript.parseStimulus(text) == expected)
    }

    @Test("every switch has a word")
    func everySwitchHasAWord() throws {
        for name in PanelScript.faultNames {
            let values = ["on", "off", "1s", "bytes", "reset", "zones"]
            let found = values.compactMap { try? PanelScript.parseStimulus("fault \(name) \($0)") }
            #expect(!found.isEmpty, "\(name)")
        }
        #expect(PanelScript.faultNames.count == 26)
    }

    @Test(
        "an error tells line, column and reason",
        arguments: [
            ("open", 1, 6, ScriptError.Reason.missing("a zone")), ("\nopen 65", 2, 6, .notNumber("65", 1...64)),
            ("open 3 4", 1, 8, .unexpected("4")), ("AT soon open 3", 1, 4, .notDuration("soon")),
            ("AT 99999999h open 3", 1, 4, .notDuration("99999999h")),
            ("ac maybe", 1, 4, .notOneOf("maybe", ["on", "off"])),
            ("  raw 65", 1, 7, .notLine("65")), ("bytes 0", 1, 7, .notBytes("0")),
            ("clock 2026-02-30T10:00", 1, 7, .notClock("2026-02-30t10:00")),
            ("keypad 1 keys 12x", 1, 15, .notKeys("12x")),
            ("", 1, 1, .missing("a verb")),
        ])
    func anErrorTellsLine(_ text: String, _ line: Int, _ column: Int, _ reason: ScriptError.Reason) {
        #expect(throws: ScriptError(line: line, column: column, reason: reason)) {
            if text.isEmpty { _ = try PanelScript.parseStimulus(text) } else { _ = try PanelScript(parsing: text) }
        }
        if case .missing = reason { return }
        #expect(!"\(reason)".isEmpty)
    }

    @Test("an unknown verb is answered with the verbs there are")
    func anUnknownVerbIsAnsweredWithTheVerbsThereAre() {
        do {
            _ = try PanelScript(parsing: "explode 3")
            Issue.record("must not parse")
        } catch {
            #expect(error.description.hasPrefix("line 1, column 1: \"explode\" is none of open, close"))
        }
    }

    @Test("keys in a stimulus do not show when it is printed")
    func keysInAStimulusDoNotShowWhenItIsPrinted() throws {
        let stimulus = try PanelScript.parseStimulus("keypad 1 code 1234")
        #expect(!"\(stimulus)".contains("1234"))
    }
}
