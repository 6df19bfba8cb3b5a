import Card
import Testing

@testable import SerialConsole

/// Key G: the questions of the set-up, on a box that has no configuration.
@Suite struct ConsoleSetUpTests {
    private static func bench(_ inForce: CardReport.InForce?, mayQuit: Bool = false) -> ConsoleBench {
        var bench = ConsoleBench(mayQuit: mayQuit)
        bench.session.view.machine.card = inForce.map { CardReport(inForce: $0, problems: [.init(what: "an example")]) }
        bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions)
        bench.actions = []
        return bench
    }

    @Test("on a box without a configuration it stands first in the menu, is named on the first page, and asks")
    func onABoxWithoutAConfiguration() {
        var bench = Self.bench(CardReport.InForce.none)
        #expect(bench.words.contains("Press G here and answer a few questions"))
        bench.type("m")
        #expect(bench.words.contains("G  Get started") || bench.words.contains("g  Get started"), "\(bench.words)")
        bench.press(.escape)
        bench.type("g")
        #expect(bench.actions == [.setUp])
        #expect(bench.words.contains("The questions come up here"))
        bench.session.setUpFailed("no space left on device")
        #expect(bench.words.contains("no space left on device"))
    }

    @Test("where a configuration holds, where there is no card, and in a shell there is no such key")
    func whereThereIsNoSuchKey() {
        for var bench in [
            Self.bench(.card), Self.bench(.earlier), Self.bench(nil),
            Self.bench(CardReport.InForce.none, mayQuit: true),
        ] {
            bench.type("g")
            #expect(bench.actions.isEmpty)
        }
    }
}
