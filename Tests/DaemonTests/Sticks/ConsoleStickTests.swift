import AlarmModel
import ApplianceCore
import Card
import Testing

@testable import SerialConsole

@Suite("a USB stick at the console") struct ConsoleStickTests {
    private static let passphrase = "horse battery"

    private func lastTask(_ bench: ConsoleBench) -> StickRequest.Task? {
        guard case .stick(let request) = bench.orders.last else { return nil }
        return request.task
    }

    private func report(_ bench: inout ConsoleBench, _ phase: StickReport.Phase, _ message: String) throws {
        let id = try #require(bench.session.stickWait?.id)
        bench.session.told(StickReport(id: id, phase, message))
    }

    @Test("a backup: the passphrase twice and unseen, the PIN, the question, how far it is, what came of it")
    func aBackup() throws {
        var bench = ConsoleBench.up()
        bench.type("b1\(Self.passphrase)")
        #expect(!bench.text.contains("horse"))
        bench.press(.enter)
        #expect(bench.words.contains("once more"))
        bench.type(Self.passphrase)
        bench.press(.enter)
        #expect(bench.text.contains("PIN of the console"))
        bench.type("135790")
        bench.press(.enter)
        bench.told(.unlocked, isUnlocked: true)
        #expect(bench.words.contains("Save everything on the stick, sealed with the passphrase?"))
        #expect(lastTask(bench) == nil)
        bench.type("y")
        #expect(lastTask(bench) == .backup(passphrase: Secret(Self.passphrase)))
        bench.hear(.changed("the stick is at work"))
        try report(&bench, .working, "The backup is written …")
        #expect(bench.words.contains("The backup is written"))
        try report(&bench, .done, "Saved. Take the stick out.")
        #expect(bench.words.contains("Take the stick out."))
        #expect(bench.session.stickWait == nil)
    }

    @Test("passphrases that are short or differ are asked for again, and nothing is ordered")
    func passphrasesThatAreShortOrDifferAreAskedForAgain() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("b1short")
        bench.press(.enter)
        #expect(bench.words.contains("At least 8 letters"))
        bench.type("long enough")
        bench.press(.enter)
        bench.type("long enouhg")
        bench.press(.enter)
        #expect(bench.words.contains("The two differ: once more."))
        #expect(bench.orders.isEmpty)
    }

    @Test("a backup is brought back: it is chosen, its passphrase typed, and the question says that the box restarts")
    func aBackupIsBroughtBack() throws {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("b2")
        #expect(lastTask(bench) == .look)
        bench.hear(.changed("the stick is at work"))
        let id = try #require(bench.session.stickWait?.id)
        bench.session.told(
            StickReport(
                id: id, .done, "read",
                items: [
                    .init(kind: .version, file: "a.bundle", version: "1.1.0"), .init(kind: .backup, file: "b.backup"),
                    .init(kind: .backup, file: "a.backup"),
                ]))
        #expect(!bench.text.contains("1.1.0"))
        bench.type("2\(Self.passphrase)")
        bench.press(.enter)
        #expect(bench.words.contains("Bring a.backup back?") && bench.words.contains("the box RESTARTS"))
        bench.type("y")
        #expect(lastTask(bench) == .restore(file: "a.backup", passphrase: Secret(Self.passphrase)))
        bench.hear(.changed("the stick is at work"))
        try report(&bench, .failed, "Nothing was brought back: the passphrase is wrong.")
        #expect(bench.words.contains("the passphrase is wrong"))
    }

    @Test("the journal and the support archive are asked for with what they give away", arguments: ["3", "4"])
    func theJournalAndTheSupportArchiveAreAskedFor(key: String) {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("b\(key)")
        #expect(bench.words.contains(key == "3" ? "ANYBODY WHO HAS THE STICK can read it" : "no passwords"))
        bench.type("y")
        #expect(lastTask(bench) == (key == "3" ? .journal : .support))
    }

    @Test("the history is asked for with what it gives away, by PIN, and told as it is written")
    func theHistoryIsAskedFor() throws {
        var bench = ConsoleBench.up()
        bench.type("b")
        #expect(bench.text.contains("7  The last year in pictures"))
        bench.type("7")
        #expect(bench.text.contains("PIN of the console") && bench.orders.isEmpty)
        bench.type("135790")
        bench.press(.enter)
        bench.told(.unlocked, isUnlocked: true)
        #expect(bench.words.contains("Write the history of the last year to the stick? ANYBODY WHO HAS THE STICK"))
        bench.type("y")
        #expect(lastTask(bench) == .history)
        bench.hear(.changed("the stick is at work"))
        try report(&bench, .working, "The history is written …")
        try report(&bench, .done, "Written. Take the stick out.")
        #expect(bench.words.contains("Take the stick out."))
    }

    @Test("a box without a configuration brings a backup back without daemon and PIN, and does nothing else")
    func aBoxWithoutAConfigurationBringsABackupBack() throws {
        var bench = ConsoleBench()
        bench.session.view.machine.card = CardReport(inForce: .none, problems: [])
        bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions)
        bench.actions = []
        bench.type("b3")
        #expect(bench.words.contains("The daemon is away"))
        bench.press(.enter)
        bench.type("b2")
        func asked(_ bench: ConsoleBench) -> StickRequest? {
            if case .askStick(let request) = bench.actions.last { request } else { nil }
        }
        let look = try #require(asked(bench))
        #expect(look.task == .look)
        // It is tried every second to reach it.
        bench.session.closed(.act, "no daemon runs on this state directory", into: &bench.actions)
        #expect(bench.words.contains("The stick is at work"))
        bench.session.told(StickReport(id: look.id, .done, "read", items: [.init(kind: .backup, file: "a.backup")]))
        bench.type("1\(Self.passphrase)")
        bench.session.closed(.act, "no daemon runs on this state directory", into: &bench.actions)
        bench.press(.enter)
        bench.session.closed(.act, "no daemon runs on this state directory", into: &bench.actions)
        bench.type("y")
        #expect(asked(bench)?.task == .restore(file: "a.backup", passphrase: Secret(Self.passphrase)))
        #expect(bench.orders.isEmpty)
    }

    @Test("a console whose configuration holds does nothing with a stick while the daemon is away")
    func aConsoleWhoseConfigurationHoldsDoesNothingWithAStick() {
        for inForce in [CardReport.InForce.card, .earlier] {
            var bench = ConsoleBench()
            bench.session.view.machine.card = CardReport(inForce: inForce, problems: [])
            bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions)
            bench.actions = []
            bench.type("b2")
            #expect(bench.actions.isEmpty)
            #expect(bench.words.contains("The daemon is away"))
        }
    }

    @Test("the report of another request is nobody's here, and one that comes late waits for the next screen")
    func theReportOfAnotherRequestIsNobodysHere() throws {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("b4y")
        bench.hear(.changed("the stick is at work"))
        let id = try #require(bench.session.stickWait?.id)
        bench.session.told(StickReport(id: id + 1, .done, "another one"))
        #expect(!bench.text.contains("another one"))
        bench.press(.escape, .enter)
        bench.session.told(StickReport(id: id, .done, "Packed."))
        #expect(bench.text.contains("Packed."))
    }
}
