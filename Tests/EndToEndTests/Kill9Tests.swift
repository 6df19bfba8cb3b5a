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
    func whatWasShownAsStoredIsThereAfterKill9() throws {
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
        // Started while no daemon runs, it shows the journal and ends.
        try eventually("the follower shows something; \(follower.report)") { follower.lines.isEmpty ? nil : true }
        var noted = Notes()
        for _ in 0..<kills {
            // A third of them while it starts.
            let span =
                Int.random(in: 0..<3, using: &generator) == 0
                ? Int.random(in: 0...300, using: &generator) : Int.random(in: 300...3000, using: &generator)
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
        let shown = try noted.events()
        for (seq, text) in shown {
            let index = Int(seq) - 1
            guard journal.indices.contains(index) else {
                Issue.record("event \(seq) was shown as stored and is gone: \(text)")
                continue
            }
            #expect(try JSON.encoding(journal[index]).text == text)
        }
        #expect(noted.liveCount > kills / 3, "too few kills met a stream for this test to mean something")
        // What `events --follow` printed across all restarts: exactly the journal, from its first line on.
        let all = try house.run("events", "--json", "--since", "1d").lines
        let printed = follower.lines
        let first = try #require(printed.first.flatMap { line in all.firstIndex(of: line) })
        let expected = Array(all[first...].prefix(printed.count))
        let isSame = printed == expected
        #expect(isSame, "first difference: \(Self.difference(printed, expected))")
        print("kill -9: \(journal.count) events in the journal, \(shown.count) noted on \(noted.liveCount) connections")
    }

    private static func difference(_ left: [String], _ right: [String]) -> String {
        guard let index = zip(left, right).enumerated().first(where: { $1.0 != $1.1 })?.offset else {
            return "\(left.count) lines and \(right.count)"
        }
        return "line \(index): \(left[index]) and \(right[index])"
    }
}

/// What clients of the control socket were shown as stored, up to the last moment.
private struct Notes {
    /// The bytes of each connection; read only at the end, because the test must be quicker than the flood.
    private var heard: [[UInt8]] = []

    /// Connections on which something was shown.
    private(set) var liveCount = 0

    /// Follows new events until the moment has come, whatever the daemon does; whoever watched last is closed before.
    mutating func watch(_ house: Appliance, until end: ContinuousClock.Instant) {
        var connection: ControlConnection?
        while ContinuousClock.now < end {
            guard let current = connection else {
                connection = try? ControlConnection(stateDirectory: house.stateDirectory)
                guard let made = connection else {
                    usleep(2000)
                    continue
                }
                heard.append([])
                try? made.send(line: #"{"request":"events","order":"newest","limit":1,"follow":true}"#)
                continue
            }
            guard let bytes = current.socket.receive() else {
                usleep(1000)
                continue
            }
            heard[heard.count - 1] += bytes
            // Gone, or still starting: then it is asked again.
            if bytes.isEmpty || bytes.starts(with: Array(#"{"error""#.utf8)) { connection = nil }
        }
        if let bytes = connection?.socket.receive() { heard[heard.count - 1] += bytes }
    }

    /// Each with its number and its text; within a connection strictly ascending.
    mutating func events() throws -> [(seq: Int64, text: String)] {
        var events: [(seq: Int64, text: String)] = []
        for bytes in heard {
            var last: Int64 = 0
            defer { liveCount += last > 0 ? 1 : 0 }
            // The last line may have been cut by the kill.
            for line in bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
                let reply = try JSON(parsing: Array(line), limits: JSON.Limits(depth: 32, bytes: 1 << 22))
                for stored in reply["events"]?["_0"]?.arrayValue ?? [] {
                    let number = try stored.decoding(StoredEvent.self).seq.number
                    #expect(number > last, "a cursor shows each event once")
                    last = number
                    events.append((number, stored.text))
                }
            }
        }
        return events
    }
}
