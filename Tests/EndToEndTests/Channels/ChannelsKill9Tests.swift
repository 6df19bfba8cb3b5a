import AlarmModel
import EventStore
import Foundation
import PhoneProtocol
import Testing

/// A house with every channel at once, each with a real service of others behind it, as far as this machine has them.
///
/// HOWALARMING_KILLS: how often; without it 20 times, or fewer where that takes too long. HOWALARMING_SEED: which
/// moments.
@Suite("kill -9 with every channel", .serialized, .timeLimit(.minutes(40)))
struct ChannelsKill9Tests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// Without a wish the kills end then; each channel has had its turn with a command before.
    private static let patience = Duration.seconds(75)
    private static let fewest = 8

    @Test("every stored alarm comes by every channel, and no command of any channel acts twice")
    func everyStoredAlarmComesByEveryChannel() throws {
        let wanted = Self.number("HOWALARMING_KILLS").map { Int($0) }
        let kills = wanted ?? 20
        let seed = Self.number("HOWALARMING_SEED") ?? UInt64.random(in: 1...999_999)
        var generator = SeededGenerator(seed: seed)
        let channels = try AllChannels()
        print("kill -9 with \(channels.names.joined(separator: ", ")): \(kills) times, HOWALARMING_SEED=\(seed)")
        let end = ContinuousClock.now + Self.patience
        for round in 0..<kills where wanted != nil || round < Self.fewest || .now < end {
            try channels.house.house.house("keypad 1 disarm")
            try channels.command(round)
            try channels.house.panic()
            usleep(UInt32.random(in: 0...150_000, using: &generator))
            channels.house.house.kill9()
            try channels.whileAway(round)
            try channels.house.start()
            try channels.repeatCommands()
        }
        let alarms = try channels.house.house.journal().filter { $0.event.code == "625" }.map(\.seq.number)
        #expect(!alarms.isEmpty, "some alarms must have been stored before the end")
        for name in channels.names {
            try eventually(within: .seconds(180), "\(alarms.count) alarms by \(name); \(channels.report)") {
                try channels.hasAll(alarms, by: name) ? true : nil
            }
        }
        try channels.commandInPeace()
        try eventually("the box clears the database; \(channels.report)") {
            try channels.hasClearedDatabase ? true : nil
        }
        try channels.expectFewOrders()
        #expect(try channels.house.house.sql("PRAGMA integrity_check") == "ok")
        print(
            "kill -9 with every way: \(alarms.count) alarms stored; orders \(try channels.orders()); "
                + "\(channels.replays) times something was put into the database again")
    }
}
