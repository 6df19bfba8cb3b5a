import AlarmModel
import EventStore
import Foundation
import PhoneProtocol
import Testing

/// HOWALARMING_KILLS: how often (20); HOWALARMING_SEED: which moments.
@Suite("kill -9 while phones are served", .serialized, .timeLimit(.minutes(30)))
struct PhoneKill9Tests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test("every alarm arrives, and no command of a phone acts twice at the panel")
    func everyAlarmArrives() throws {
        let kills = Int(Self.number("HOWALARMING_KILLS") ?? 20)
        let seed = Self.number("HOWALARMING_SEED") ?? UInt64.random(in: 1...999_999)
        print("kill -9 with phones: \(kills) times, HOWALARMING_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        // After each kill all that nobody confirmed leaves anew; the service's limit for a device is another test's.
        let house = try PhoneHouse.running(
            panelArguments: ["--trace"], pushArguments: ["--device-rate", "100000"]
        ) { configuration, _ in
            configuration.timing.append("settle_delay: 0")
        }
        let anna = try house.phone(of: "Anna", roles: "arm,disarm,bypass")
        for round in 0..<kills {
            // A start voids what the phone could sign with; it asks for more, as an app in the foreground does.
            try anna.say("ping")
            usleep(300_000)
            // An alarm and a command, and the end at a moment between what they bring about.
            try anna.say("output \(round % 4 + 1)")
            try house.house.house("key panic")
            usleep(UInt32.random(in: 0...150_000, using: &generator))
            house.house.kill9()
            try house.start()
        }
        let journal = try house.house.journal()
        let alarms = journal.filter { $0.event.code == "625" }.map(\.seq.number)
        #expect(!alarms.isEmpty, "some alarms must have been stored before the end")
        try eventually("nothing waits any more") {
            try house.phones()["waiting"] == .integer(0) ? true : nil
        }
        // Every one that was stored is there: pushed, or fetched where the phone asked before it came.
        try eventually("every stored alarm at the phone; \(anna.program.report)") {
            let shown = anna.program.lines.filter { $0.hasPrefix("event ") && $0.contains(" 625 ") }
            let places = Set(shown.compactMap { Int64($0.split(separator: " ")[1].split(separator: ".").last ?? "") })
            return places.isSuperset(of: alarms) ? true : nil
        }
        // One more, of which nobody has asked anything: it comes by itself.
        let mark = anna.program.lines.count
        try house.panic()
        try eventually("an alarm that was pushed; \(anna.program.report)") {
            anna.program.lines.dropFirst(mark).contains {
                $0.hasPrefix("event ") && $0.contains(" 625 ") && !$0.hasSuffix("(repeat)")
            } ? true : nil
        }
        let lines = house.house.panel.program.lines.filter { $0.hasPrefix("> 020") }
        let sent = lines.count
        let said = anna.program.lines.count { $0.hasSuffix("output pending") }
        #expect(said == kills)
        #expect(sent <= said, "\(sent) lines at the panel for \(said) commands")
        // Each output by itself: no order that was accepted has left twice.
        for output in 1...4 {
            let accepted = try house.house.sql(
                "SELECT count(*) FROM ledger WHERE origin LIKE 'phone %' AND outcome IS NOT 'refused' "
                    + "AND summary = 'output \(output) partition 1'")
            let left = lines.count { $0.hasPrefix("> 0201\(output)") }
            #expect(left <= Int(accepted) ?? 0, "\(left) lines for output \(output), \(accepted) were accepted")
        }
        #expect(try house.house.sql("PRAGMA integrity_check") == "ok")
        #expect(sent > 0, "no command came through, so this run means nothing")
        // The phone is still one with the box; after so many questions within a minute it may have to wait with the next.
        try eventually("the phone is obeyed") {
            do {
                try anna.obeyed("output 1")
                return true
            } catch {
                usleep(5_000_000)
                return nil
            }
        }
        print("kill -9 with phones: \(alarms.count) alarms stored, \(sent) of \(said) commands reached the panel")
    }
}
