import AlarmModel
import Foundation
import Simulation
import Testing

/// Runs that once broke a promise, as `tools/seeds/scripts` keeps them. `tools/simulate --seed N --only … --until …
/// --write-script FILE` makes one, `--script FILE` replays it.
@Suite("Runs that once broke a promise")
struct KeptScriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "tools/seeds/scripts")
    private static let names =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".jsonl") }
        .sorted()

    @Test("each holds, or breaks the promise that its first line names as not mended yet", arguments: names)
    func eachHoldsOrBreaksThePromiseThatItsFirstLineNames(name: String) throws {
        let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
        let script = try RunScript(text)
        #expect(!script.about.isEmpty)
        #expect(try script.text() == text, "it is written as it was read")
        var plan = RunPlan(seed: 0)
        plan.script = script
        let violation = plan.run.violation
        if let breaks = script.breaks {
            #expect(
                violation?.promise == breaks,
                "\(name): mended? Then take \"breaks\" out of its first line. \(violation.map(\.description) ?? "")")
        } else {
            #expect(violation == nil, "\(violation.map(\.description) ?? "")")
        }
    }

    @Test("there are some")
    func thereAreSome() { #expect(Self.names.count >= 4) }

    @Test(
        "what a seed draws, written down, is the same run as the seed's",
        arguments: [(11, false, false), (14, false, false), (12, true, false), (28, false, true)])
    func whatASeedDrawsWrittenDownIsTheSameRunAsTheSeeds(seed: UInt64, hasLinks: Bool, hasModem: Bool) throws {
        var plan = RunPlan(
            seed: seed, span: .minutes(8), hasLinks: hasLinks, hasModem: hasModem,
            selection: Selection(until: .minutes(6)), isHashed: true)
        let drawn = plan.run
        plan.script = try RunScript(try RunScript(of: plan, about: "x", breaks: nil).text())
        let scripted = plan.run
        #expect(drawn.hash == scripted.hash && drawn.steps == scripted.steps && drawn.steps > 300)
    }

    @Test("a line that cannot be read is named")
    func aLineThatCannotBeReadIsNamed() throws {
        let text = try RunScript(of: RunPlan(seed: 11, span: .minutes(2)), about: "x", breaks: nil).text()
        #expect(throws: RunScript.Misfit.self) { try RunScript("") }
        #expect { try RunScript(text + #"{"at":1,"what":{"weather":{}}}"# + "\n") } throws: { error in
            "\(error)".hasPrefix("line \(text.split(separator: "\n").count + 1): ")
        }
        let other = text.replacingOccurrences(of: #""about":"x""#, with: #""about":"x","breaks":"the moon rises""#)
        #expect { try RunScript(other) } throws: { "\($0)" == "there is no promise 'the moon rises'" }
    }
}
