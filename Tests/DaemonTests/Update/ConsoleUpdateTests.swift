import AlarmModel
import ApplianceCore
import Card
import SoftwareUpdate
import Testing

@testable import SerialConsole

@Suite("updates at the console") struct ConsoleUpdateTests {
    private static let versions = [
        StickReport.Item(kind: .version, file: "new.bundle", version: "1.1.0"),
        StickReport.Item(kind: .version, file: "old.bundle", version: "0.9.0", isOlder: true),
    ]

    private func bench(isUnlocked: Bool = true) -> ConsoleBench {
        var bench = ConsoleBench.up(isUnlocked: isUnlocked)
        bench.session.view.software = ConsoleSoftware(
            slots: SlotReport(running: .a, state: .initial, versions: [.a: "1.0.0"]))
        return bench
    }

    /// The stick was looked at, and this is on it.
    private func offered(_ bench: inout ConsoleBench, _ items: [StickReport.Item] = versions) throws {
        let id = try #require(bench.session.stickWait?.id)
        #expect(bench.orders.last == .stick(StickRequest(id: id, task: .look)))
        bench.hear(.changed("the stick is at work"))
        bench.session.told(StickReport(id: id, .done, "The stick was read.", items: items))
    }

    @Test("a version of a stick: the PIN, the choice, the question, the order, and then how far it is")
    func aVersionOfAStick() throws {
        var bench = bench(isUnlocked: false)
        bench.type("u")
        #expect(bench.text.contains("PIN of the console"))
        bench.type("135790")
        bench.press(.enter)
        bench.told(.unlocked, isUnlocked: true)
        try offered(&bench)
        bench.type("1")
        #expect(bench.words.contains("Install version 1.1.0?"))
        bench.type("y")
        #expect(
            bench.orders.last
                == .update(bundle: "/run/howalarming-usb/stick/new.bundle", isOlderConfirmed: false))
        bench.hear(.changed("the bundle is checked and installed now"))
        #expect(bench.words.contains("installed now"))
        bench.press(.enter)
        bench.session.view.software.status = UpdateStatus(.writing, percent: 41, "Version 1.1.0 is written into slot B")
        bench.session.view.software.isStickPlugged = true
        bench.type("7")
        #expect(bench.words.contains("writing, 41 %: Version 1.1.0 is written into slot B"))
        #expect(bench.words.contains("A 1.0.0 (runs, good, 9 tries left, started first)"))
        #expect(bench.words.contains("plugged in: key U installs a version from it"))
    }

    @Test(
        "a version that a host offers: the choice, the question, the order, and how far it is; the host is asked; a stick"
    )
    func aVersionThatAHostOffers() throws {
        var bench = bench()
        var updates = UpdatesReport(place: "updates.example.org", isAtNight: false)
        updates.offered = "1.1.0"
        bench.session.view.status?.updates = updates
        bench.type("u")
        #expect(bench.text.contains("version 1.1.0 from updates.example.org"))
        bench.type("1")
        #expect(bench.words.contains("Fetch and install version 1.1.0?"))
        bench.type("y")
        #expect(bench.orders.last == .updates(.install))
        bench.hear(.changed("version 1.1.0 is fetched, checked and installed now"))
        #expect(bench.words.contains("installed now"))
        bench.press(.enter)
        bench.type("7")
        #expect(bench.words.contains("version 1.1.0 can be installed"))
        bench.type("u")
        bench.type("2")
        #expect(bench.orders.last == .updates(.ask))
        bench.hear(.changed("the host is asked now"))
        bench.press(.enter)
        bench.session.view.status?.updates?.offered = nil
        bench.type("u")
        #expect(!bench.text.contains("1.1.0 from"))
        bench.type("3")
        try offered(&bench)
        #expect(bench.text.contains("version 1.1.0"))
    }

    @Test("an older version is asked for with a warning and is confirmed by that")
    func anOlderVersionIsAskedForWithAWarningAndIsConfirmedByThat() throws {
        var bench = bench()
        bench.type("u")
        try offered(&bench)
        #expect(bench.text.contains("version 0.9.0, not newer than what runs"))
        bench.type("2")
        #expect(bench.words.contains("NOT NEWER"))
        bench.type("y")
        #expect(
            bench.orders.last == .update(bundle: "/run/howalarming-usb/stick/old.bundle", isOlderConfirmed: true))
    }

    @Test("a stick without a version says what one is called")
    func aStickWithoutAVersionSaysWhatOneIsCalled() throws {
        var bench = bench()
        bench.type("u")
        try offered(&bench, [StickReport.Item(kind: .backup, file: "house.backup")])
        #expect(bench.words.contains("no new version on the stick: it is a file whose name ends in .bundle"))
    }
}
