import AlarmModel
import ApplianceCore
import Foundation
import SoftwareUpdate
import Testing

@testable import SerialConsole

@Suite("updates at the console") struct ConsoleUpdateTests {
    private static let bundles = [
        ConsoleSoftware.Bundle(path: "/run/howalarming-usb/sda1/new.bundle", version: "1.1.0", isOlder: false),
        ConsoleSoftware.Bundle(path: "/run/howalarming-usb/sda1/old.bundle", version: "0.9.0", isOlder: true),
    ]

    private func bench(isUnlocked: Bool = true) -> ConsoleBench {
        var bench = ConsoleBench.up(isUnlocked: isUnlocked)
        bench.session.view.software = ConsoleSoftware(
            slots: SlotReport(running: .a, state: .initial, versions: [.a: "1.0.0"]), bundles: Self.bundles)
        return bench
    }

    @Test("a version of a stick: the choice, the PIN, the question, the order, and then how far it is")
    func aVersionOfAStick() {
        var bench = bench(isUnlocked: false)
        bench.type("u1")
        #expect(bench.text.contains("PIN of the console"))
        bench.type("135790")
        bench.press(.enter)
        bench.told(.unlocked, isUnlocked: true)
        #expect(bench.words.contains("Install version 1.1.0?"))
        bench.type("y")
        #expect(bench.orders.last == .update(bundle: Self.bundles[0].path, isOlderConfirmed: false))
        bench.hear(.changed("the bundle is checked and installed now"))
        #expect(bench.words.contains("installed now"))
        bench.press(.enter)
        bench.session.view.software.status = UpdateStatus(.writing, percent: 41, "Version 1.1.0 is written into slot B")
        bench.type("7")
        #expect(bench.words.contains("writing, 41 %: Version 1.1.0 is written into slot B"))
        #expect(bench.words.contains("A 1.0.0 (runs, good, 9 tries left, started first)"))
        #expect(bench.text.contains("version 0.9.0, not newer"))
    }

    @Test("an older version is asked for with a warning and is confirmed by that")
    func anOlderVersionIsAskedForWithAWarningAndIsConfirmedByThat() {
        var bench = bench()
        bench.type("u2")
        #expect(bench.words.contains("NOT NEWER"))
        bench.type("y")
        #expect(bench.orders.last == .update(bundle: Self.bundles[1].path, isOlderConfirmed: true))
    }

    @Test("without a stick it says what to do")
    func withoutAStickItSaysWhatToDo() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("u")
        #expect(bench.words.contains("There is no bundle on a stick"))
    }

    @Test("bundles are found on sticks, as they call themselves; others are passed over")
    func bundlesAreFoundOnSticks() throws {
        let builder = try UpdateBench()
        let sticks = builder.path("usb")
        try FileManager.default.createDirectory(atPath: sticks + "/sda1", withIntermediateDirectories: true)
        for (version, number) in [("1.1.0", Int64(1_001_000)), ("0.9.5", 950_000)] {
            let made = try builder.bundle(UpdateBench.release(version, number))
            try FileManager.default.copyItem(atPath: made, toPath: "\(sticks)/sda1/\(version).bundle")
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: sticks + "/sda1/other.bundle"))
        try Data("x".utf8).write(to: URL(fileURLWithPath: sticks + "/sda1/note.txt"))
        var software = ConsoleSoftware()
        software.look(sticks: sticks, places: builder.places)
        #expect(software.bundles.map(\.version) == ["0.9.5", "1.1.0"])
        #expect(software.bundles.map(\.isOlder) == [true, false])
        try FileManager.default.removeItem(atPath: sticks + "/sda1")
        software.look(sticks: sticks, places: builder.places)
        #expect(software.bundles.isEmpty)
    }
}
