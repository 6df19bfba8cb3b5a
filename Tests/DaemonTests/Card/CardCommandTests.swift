import Foundation
import Testing

@testable import Card
@testable import CommandKit
@testable import Subcommands

@Suite("howalarming card") struct CardCommandTests {
    private static func command(_ bench: CardBench, template: String? = nil) -> CardCommand {
        CardCommand(
            card: bench.path("card"), data: bench.path("state/card"), network: bench.path("run"), template: template)
    }

    @Test("the exit status says whether what holds is what stands on the card")
    func theExitStatusSaysWhetherWhatHoldsIsWhatStandsOnTheCard() throws {
        let bench = try CardBench()
        try bench.put("example.yaml", "# nothing\n")
        let first = Self.command(bench, template: bench.path("example.yaml")).run()
        #expect(first.status == 1)
        #expect(first.lines.first?.contains("an example was put there") == true)
        #expect(bench.text("card/howalarming.yaml") == "# nothing\n")
        try bench.put("card/howalarming.yaml", ConfigurationSample.valid)
        let second = Self.command(bench).run()
        #expect(second.status == 0)
        #expect(second.lines == ["the configuration of the card holds"])
        try bench.put("card/howalarming.yaml", "panel: {host: a, hosst: b}\n")
        let third = Self.command(bench).run()
        #expect(third.status == 1)
        #expect(
            third.lines.contains("error: line 1, column 18: unknown key 'hosst' in 'panel'; did you mean 'host'?"),
            "\(third.lines)")
        #expect(third.lines.last == "the card's configuration has errors; the last good one holds")
    }

    @Test("another's link on data is not followed")
    func anothersLinkOnDataIsNotFollowed() throws {
        let bench = try CardBench()
        try FileManager.default.removeItem(atPath: bench.path("state/card"))
        try FileManager.default.createSymbolicLink(
            atPath: bench.path("state/card"), withDestinationPath: bench.path("run"))
        try bench.put("card/howalarming.yaml", ConfigurationSample.valid)
        #expect(Self.command(bench).run().status == 1)
        #expect(try bench.names("run").isEmpty)
        #expect(bench.text("card/howalarming.yaml") == ConfigurationSample.valid)
        // Nor one in the place of a file.
        try FileManager.default.removeItem(atPath: bench.path("state/card"))
        try bench.directories.prepare()
        try bench.put("outside", "panel: {password: x}\n")
        try FileManager.default.createSymbolicLink(
            atPath: bench.path("state/card/howalarming.secrets.yaml"), withDestinationPath: bench.path("outside"))
        #expect(Self.command(bench).run().status == 1)
        #expect(bench.text("outside") == "panel: {password: x}\n")
    }

    @Test("what is given to it is understood, and what is needed is asked for")
    func whatIsGivenToItIsUnderstood() throws {
        let words = ["card", "--card", "/card", "--data", "/d", "--network-out", "/run"]
        #expect(
            try HowAlarmingCommand.parse(words) as? CardCommand
                == CardCommand(card: "/card", data: "/d", network: "/run", remounts: true))
        #expect(
            try HowAlarmingCommand.parse(words + ["--no-remount", "--set-hostname", "--template", "/t"]) as? CardCommand
                == CardCommand(
                    card: "/card", data: "/d", network: "/run", template: "/t", remounts: false, namesMachine: true))
        #expect(throws: UsageError.self) { try HowAlarmingCommand.parse(["card", "--card", "/card"]) }
    }
}
