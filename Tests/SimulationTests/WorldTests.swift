import AlarmModel
import PhoneLink
import Simulation
import Testing

@Suite("The simulated world")
struct WorldTests {
    @Test(
        "the promises hold over seeds, and the same inputs give the same effects",
        arguments: [1, 2, 16, 73] as [UInt64])
    func promisesHold(seed: UInt64) {
        let run = SeedRun(seed: seed)
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.events > 0)
        #expect(run.deliveries > 0)
        #expect(run.carriedOut > 0, "of \(run.commands) that were signed")
        #expect(run.simulated > .minutes(30))
    }

    @Test(
        "the promises hold by every way, and each of them is used",
        arguments: [
            (1, [WayKind.ntfy]), (2, [.fcm, .xmpp]), (3, [.mqtt, .url]), (4, [.mail, .beanstalk]), (5, [.program]),
        ] as [(UInt64, [WayKind])])
    func everyWay(seed: UInt64, ways: [WayKind]) {
        let run = SeedRun(seed: seed, ways: ways)
        #expect(run.violation == nil, "seed \(seed) by \(ways): \(run.violation.map(\.description) ?? "")")
        #expect(run.arrivals >= 10)
        let commands = ways.contains { [.ntfy, .xmpp, .mqtt, .beanstalk].contains($0) }
        #expect(run.presses > 0 || !commands)
    }

    @Test(
        "what broke once stays mended",
        arguments: [(178, []), (3, [.fcm]), (36, [.fcm, .xmpp])] as [(UInt64, [WayKind])])
    func mended(seed: UInt64, ways: [WayKind]) {
        let run = SeedRun(seed: seed, ways: ways)
        #expect(run.violation == nil, "seed \(seed) by \(ways): \(run.violation.map(\.description) ?? "")")
    }

    #if SABOTAGE
        /// How many seeds each deliberate bug may hide in; measured, then rounded up.
        static let patience: [(Sabotage, UInt64)] = [
            (.acknowledgesBeforeSync, 4), (.keepsStateWhenLinkIsLost, 4), (.repliesBeforeCommit, 4),
            (.ignoresSilence, 4), (.renumbersAfterFailure, 24), (.readsOneLinePerSegment, 4), (.sendsBeforeCommit, 4),
            (.forgetsCounter, 4), (.executesBeforeCommit, 4),
            (.repeatsCommands, 4), (.ignoresChallengeAge, 16), (.forgetsReturnedMessages, 4), (.renamesOnResend, 4),
            (.tellsDuressToAll, 4), (.forgetsPhones, 4), (.acknowledgesAcks, 4), (.obeysRevokedPhones, 4),
            (.pingNotEarned, 8), (.takenOutWayDropsMessages, 24), (.refusedRowTakesAll, 64),
        ]

        @Test("every deliberate bug is found", arguments: patience)
        func bugsAreFound(sabotage: Sabotage, seeds: UInt64) {
            let found = (1...seeds).contains { SeedRun(seed: $0, sabotage: sabotage, ways: []).violation != nil }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }

        /// The same for bugs of the other ways, in houses with these.
        static let wayPatience: [(Sabotage, [WayKind], UInt64)] = [
            (.buttonWorksTwice, [.ntfy], 64), (.alarmByFirstWayOnly, [.ntfy], 4), (.retainedCommandObeyed, [.mqtt], 4),
            (.duressToHouse, [.url], 4), (.returnedMessagesDropped, [.mqtt], 8),
            (.obeysUnallowedWords, [.xmpp], 4), (.obeysRepeatedWords, [.xmpp], 4), (.standInNeverSent, [.ntfy], 4),
        ]

        @Test("every deliberate bug of the other ways is found", arguments: wayPatience)
        func wayBugsAreFound(sabotage: Sabotage, ways: [WayKind], seeds: UInt64) {
            let found = (1...seeds).contains { SeedRun(seed: $0, sabotage: sabotage, ways: ways).violation != nil }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }

        @Test("the list of deliberate bugs is complete")
        func listIsComplete() {
            #expect(
                (Self.patience.map(\.0) + Self.wayPatience.map(\.0) + LinkWorldTests.patience.map(\.0)
                    + ModemWorldTests.patience.map(\.0) + CommandWorldTests.patience.map(\.0)
                    + [.refusedPINTriedAgain])
                    .sorted { $0.rawValue < $1.rawValue }
                    == Sabotage.allCases.sorted { $0.rawValue < $1.rawValue })
        }
    #endif
}
