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

    /// A version that brings these files, on a card with those.
    private static func boot(_ bench: CardBench, words: String, brings: [String: String]) throws -> CardCommand {
        try bench.put("card/howalarming.yaml", ConfigurationSample.valid)
        try FileManager.default.createDirectory(atPath: bench.path("boot"), withIntermediateDirectories: true)
        for (name, text) in brings { try bench.put("boot/\(name)", text) }
        try bench.put("cmdline", words)
        var command = command(bench)
        command.boot = bench.path("boot")
        command.commandLine = bench.path("cmdline")
        return command
    }

    private static let proved = "ro howalarming.slot=B howalarming.good=B\n"

    @Test("a version that has proved itself brings what the board starts from; the owner's settings of the board stay")
    func aVersionThatHasProvedItselfBringsItsBootFiles() throws {
        let bench = try CardBench()
        let new = [
            "boot.sums": "2", "boot.scr": "new", "slot.scr": "s", "u-boot.bin": "u2", "config.txt": "c2", "a.dtb": "a",
        ]
        let old = [
            "boot.sums": "1", "boot.scr": "old", "u-boot.bin": "u1", "config.txt": "mine", "a.dtb": "a", "x": "x",
        ]
        for (name, text) in old { try bench.put("card/\(name)", text) }
        for words in ["ro howalarming.slot=B howalarming.good=A", "ro"] {
            let early = try Self.boot(bench, words: words, brings: new).run()
            #expect(early.status == 0 && bench.text("card/boot.scr") == "old")
        }
        let command = try Self.boot(bench, words: Self.proved, brings: new)
        #expect(command.run().lines.last == "the card starts with this version's slot.scr, boot.scr, u-boot.bin")
        for (name, text) in new where name != "config.txt" { #expect(bench.text("card/\(name)") == text) }
        #expect(bench.text("card/config.txt") == "mine" && bench.text("card/x") == "x")
        try bench.put("card/boot.scr", "the list is the same, so nobody looks")
        #expect(command.run().lines == ["the configuration of the card holds"])
    }

    @Test(
        "boot files that power cut in the middle are completed at the next start; a card that refuses one is warned of")
    func bootFilesThatPowerCutInTheMiddle() throws {
        let bench = try CardBench()
        let new = ["boot.sums": "2", "boot.scr": "new", "u-boot.bin": "u2"]
        let command = try Self.boot(bench, words: Self.proved, brings: new)
        try FileManager.default.createDirectory(
            atPath: bench.path("card/u-boot.bin/full"), withIntermediateDirectories: true)
        let refused = command.run()
        #expect(refused.status == 0, "the configuration holds all the same")
        #expect(refused.lines.last?.hasPrefix("warning: the files that the board starts from are those") == true)
        #expect(bench.text("card/boot.scr") == "new" && bench.text("card/boot.sums") == nil)
        try FileManager.default.removeItem(atPath: bench.path("card/u-boot.bin"))
        #expect(command.run().lines.last == "the card starts with this version's u-boot.bin")
        #expect(bench.text("card/boot.sums") == "2")
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
