import AlarmModel
import PhoneLink
import Simulation
import Testing

/// Commands that lie in FCM's database, and commands by chat with one-time codes.
@Suite("The simulated world: commands by the database and with codes")
struct CommandWorldTests {
    @Test("phones command by the database, whatever befalls it", arguments: [2, 4, 5] as [UInt64])
    func phonesCommandByTheDatabase(seed: UInt64) {
        let run = SeedRun(seed: seed, channels: [.fcm])
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.databaseMessages > 100)
        #expect(run.carriedOut > 0)
    }

    @Test("codes are right, wrong, late and used twice; also where the account begins plain", arguments: [2, 3])
    func codesAreRightWrongLateAndUsedTwiceAlsoWhereTheAccount(seed: UInt64) {
        let run = SeedRun(seed: seed, channels: [.xmpp])
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.codedOrders > 0)
    }

    #if SABOTAGE
        /// How many seeds each deliberate bug may hide in; measured, then rounded up.
        static let patience: [(Sabotage, [ChannelKind], UInt64)] = [
            (.databaseNotEmptied, [.fcm], 4), (.codeWorksTwice, [.xmpp], 4),
        ]
        /// Bugs of the phones' commands that must not hide behind the database either.
        private static let again: [(Sabotage, [ChannelKind], UInt64)] = [
            (.repeatsCommands, [.fcm], 4), (.executesBeforeCommit, [.fcm], 4),
        ]

        @Test("every deliberate bug of such commands is found", arguments: patience + again)
        func everyDeliberateBugOfSuchCommandsIsFound(sabotage: Sabotage, channels: [ChannelKind], seeds: UInt64) {
            let found = sabotage.seeds(upTo: seeds).contains {
                SeedRun(seed: $0, sabotage: sabotage, channels: channels).violation != nil
            }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }
    #endif
}
