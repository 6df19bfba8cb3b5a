import AlarmModel
import Foundation
import PhoneProtocol
import Testing

/// HOWALARMING_KILLS: how often (20); HOWALARMING_SEED: which moments.
@Suite("kill -9 at random moments", .serialized)
struct Kill9Tests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test("what was shown as stored is there after kill -9: once, the same, in order, without gaps")
    func nothingStoredIsLost() throws {
        let kills = Int(Self.number("HOWALARMING_KILLS") ?? 20)
        let seed = Self.number("HOWALARMING_SEED") ?? UInt64.random(in: 1...999_999)
        print("kill -9: \(kills) times, HOWALARMING_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        var configuration = Configuration()
        configuration.timing.append("settle_delay: 0")
        let house = try Appliance(configuration, panelArguments: ["--flood", "200"])
        try house.start()
        try house.waitUntilUp()
        let follower = try house.follow()
        var noted = Notes()
        for _ in 0..<kills {
            // A third of them while it starts.
            let span =
                Int.random(in: 0..<3, using: &generator) == 0
                ? Int.random(in: 0...300, using: &generator) : Int.random(in: 200...2200, using: &generator)
            noted.watch(house, until: ContinuousClock.now + .milliseconds(span))
            house.kill9()
            try house.spawnDaemon()
        }
        try house.house("flood 0")
        try house.waitUntilUp()
        noted.watch(house, until: ContinuousClock.now + .milliseconds(300))
        try eventually("the follower has all; \(follower.report)") {
            let last = try house.sql("SELECT max(seq) FROM events")
            return follower.lines.last?.hasPrefix("{\"seq\":\(last),") == true ? true : nil
        }
        #expect(try house.stop() == 0)

        let journal = try house.journal()
        #expect(journal.map(\.seq.number) == Array(1...Int64(journal.count)), "the sequence has no gaps")
        #expect(try house.sql("SELECT count(*) FROM duress") == "0")
        #expect(try house.sql("PRAGMA integrity_check") == "ok")
        let codes = Set(journal.map(\.event.code))
        #expect(codes.isDisjoint(with: ["SAFE_MODE", "STORE_DAMAGED", "STORE_FAILED", "EVENTS_DROPPED", "UNREADABLE"]))
        #expect(!journal.contains { $0.event.message.contains("ended by a crash") }, "kill -9 is no crash")
        // What the test's own client was shown, up to the last moment.
        for (seq, text) in noted.events {
            let index = Int(seq) - 1
            guard journal.indices.contains(index) else {
                Issue.record("event \(seq) was shown as stored and is gone: \(text)")
                continue
            }
            #expect(try JSON.encoding(journal[index]).text == text)
        }
        #expect(noted.repeated == 0, "a cursor shows an event once")
        #expect(noted.events.count > kills, "too few events were shown for this test to mean something")
        // What `events --follow` printed across all restarts: exactly the journal, from its first line on.
        let all = try house.run("events", "--json", "--since", "1d").lines
        let printed = follower.lines
        let first = try #require(printed.first.flatMap { line in all.firstIndex(of: line) })
        let expected = Array(all[first...].prefix(printed.count))
        #expect(printed == expected, "first difference: \(Self.difference(printed, expected))")
        print("kill -9: \(journal.count) events in the journal, \(noted.events.count) noted before a kill")
    }

    private static func difference(_ left: [String], _ right: [String]) -> String {
        guard let index = zip(left, right).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
            return "\(left.count) lines and \(right.count)"
        }
        return "line \(index): \(left[index]) and \(right[index])"
    }
}

/// What a client of the control socket was shown as stored.
private struct Notes {
    var events: [(seq: Int64, text: String)] = []
    var repeated = 0

    /// Follows from behind the last noted event until the moment has come, whatever the daemon does.
    mutating func watch(_ house: Appliance, until end: ContinuousClock.Instant) {
        var connection: ControlConnection?
        while ContinuousClock.now < end {
            guard let current = connection else {
                connection = try? ControlConnection(stateDirectory: house.stateDirectory)
                let after = events.last?.seq ?? 0
                try? connection?.send(line: #"{"request":"events","after":\#(after),"follow":true}"#)
                usleep(2000)
                continue
            }
            let left = end - ContinuousClock.now
            guard let line = try? current.line(within: min(left, .milliseconds(50))) else { continue }
            note(line)
        }
        // What had arrived at the moment of the kill counts as well.
        while let current = connection, let line = try? current.line(within: .zero) { note(line) }
    }

    private mutating func note(_ line: String) {
        guard let shown = (try? JSON(parsing: line, limits: JSON.Limits(depth: 32, bytes: 1 << 22)))?["events"]?["_0"]
        else { return }
        for stored in shown.arrayValue ?? [] {
            guard let event = try? stored.decoding(StoredEvent.self) else {
                Issue.record("not an event: \(stored.text)")
                continue
            }
            if let last = events.last?.seq, event.seq.number <= last { repeated += 1 }
            events.append((event.seq.number, stored.text))
        }
    }
}
