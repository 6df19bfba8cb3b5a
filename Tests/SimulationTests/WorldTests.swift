import AlarmModel
import PhoneLink
import PhoneProtocol
import Simulation
import Testing

@Suite("The simulated world")
struct WorldTests {
    @Test(
        "the promises hold over seeds, and the same inputs give the same effects",
        arguments: [1, 2, 16, 73] as [UInt64])
    func thePromisesHoldOverSeeds(seed: UInt64) {
        let run = SeedRun(seed: seed)
        #expect(run.violation == nil, "seed \(seed): \(run.violation.map(\.description) ?? "")")
        #expect(run.events > 0)
        #expect(run.deliveries > 0)
        #expect(run.carriedOut > 0, "of \(run.commands) that were signed")
        #expect(run.simulated > .minutes(30))
    }

    @Test(
        "the promises hold by every channel, and each of them is used",
        arguments: [
            (18, [ChannelKind.ntfy]), (2, [.fcm, .xmpp]), (3, [.mqtt, .url]), (4, [.mail, .beanstalk]), (5, [.program]),
            (6, [.webPush]),
        ] as [(UInt64, [ChannelKind])])
    func thePromisesHoldByEveryChannel(seed: UInt64, channels: [ChannelKind]) {
        let run = SeedRun(seed: seed, channels: channels)
        #expect(run.violation == nil, "seed \(seed) by \(channels): \(run.violation.map(\.description) ?? "")")
        #expect(run.arrivals >= 10)
        #expect(run.deliveries > 0 && (run.pushes >= 10 || !channels.contains(.webPush)))
        let commands = channels.contains { [.ntfy, .xmpp, .mqtt, .beanstalk].contains($0) }
        #expect(run.presses > 0 || !commands)
    }

    @Test(
        "what broke once stays mended",
        arguments: [(178, []), (3, [.ccs, .fcm]), (36, [.ccs, .fcm, .xmpp])] as [(UInt64, [ChannelKind])])
    func whatBrokeOnceStaysMended(seed: UInt64, channels: [ChannelKind]) {
        let run = SeedRun(seed: seed, channels: channels)
        #expect(run.violation == nil, "seed \(seed) by \(channels): \(run.violation.map(\.description) ?? "")")
    }

    @Test("each house has two channels or more of all ten, one of which carries sealed phones")
    func eachHouseHasTwoChannelsOrMoreOfAllTen() throws {
        var seen: [ChannelKind] = []
        for seed in UInt64(1)...300 {
            let script = try RunScript(of: RunPlan(seed: seed, span: .minutes(1)), about: "x", breaks: nil).text()
            let house = try JSON(parsing: String(script.prefix { $0 != "\n" }))["house"]
            let drawn = (house?["channels"]?.arrayValue ?? []).compactMap { $0["kind"]?.stringValue }
            let kinds = drawn.compactMap { ChannelKind(rawValue: $0) }
            let isByTopics = house?["topics"]?.isNull == false
            #expect(
                isByTopics ? kinds.contains(.ntfy) : kinds.count >= 2 && kinds.contains { [.ccs, .fcm].contains($0) },
                "seed \(seed): \(kinds)")
            #expect(isByTopics || !kinds.contains(.webPush))
            seen += kinds
        }
        // Browsers come with phones that live by the topic server alone.
        for kind in ChannelKind.allCases {
            #expect(seen.count { $0 == kind } >= (kind == .webPush ? 5 : 10), "\(kind)")
        }
    }

    #if SABOTAGE
        /// How many seeds each deliberate bug may hide in; measured, then rounded up.
        static let patience: [(Sabotage, UInt64)] = [
            (.acknowledgesBeforeSync, 4), (.keepsStateWhenLinkIsLost, 4), (.repliesBeforeCommit, 4),
            (.ignoresSilence, 4), (.renumbersAfterFailure, 24), (.readsOneLinePerSegment, 4), (.sendsBeforeCommit, 4),
            (.forgetsCounter, 4), (.executesBeforeCommit, 4),
            (.repeatsCommands, 4), (.ignoresChallengeAge, 16), (.forgetsReturnedMessages, 4), (.renamesOnResend, 4),
            (.tellsDuressToAll, 4), (.forgetsPhones, 4), (.acknowledgesAcks, 4), (.obeysRevokedPhones, 4),
            (.pingNotEarned, 8), (.takenOutWayDropsMessages, 24), (.refusedRowTakesAll, 64), (.lostPanelIsNoAlarm, 48),
            (.forgedTimeForServers, 64),
        ]

        @Test("every deliberate bug is found", arguments: patience)
        func everyDeliberateBugIsFound(sabotage: Sabotage, seeds: UInt64) {
            let found = sabotage.seeds(upTo: seeds).contains {
                SeedRun(seed: $0, sabotage: sabotage, channels: []).violation != nil
            }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }

        /// The same for bugs of the other channels, in houses with these.
        static let channelPatience: [(Sabotage, [ChannelKind], UInt64)] = [
            (.buttonWorksTwice, [.ntfy], 64), (.alarmByFirstChannelOnly, [.ntfy], 4),
            (.retainedCommandObeyed, [.mqtt], 4),
            (.duressToHouse, [.url], 4), (.returnedMessagesDropped, [.mqtt], 8),
            (.goneSubscriptionKept, [.webPush], 8),
            (.obeysUnallowedWords, [.xmpp], 4), (.obeysRepeatedWords, [.xmpp], 4), (.fallbackNeverSent, [.ntfy], 4),
        ]

        @Test("every deliberate bug of the other channels is found", arguments: channelPatience)
        func everyDeliberateBugOfTheOtherChannelsIsFound(sabotage: Sabotage, channels: [ChannelKind], seeds: UInt64) {
            let found = sabotage.seeds(upTo: seeds).contains {
                SeedRun(seed: $0, sabotage: sabotage, channels: channels).violation != nil
            }
            #expect(found, "\(sabotage.rawValue) was not found in \(seeds) seeds")
        }

        @Test("the list of deliberate bugs is complete")
        func theListOfDeliberateBugsIsComplete() {
            #expect(
                (Self.patience.map(\.0) + Self.channelPatience.map(\.0) + LinkWorldTests.patience.map(\.0)
                    + ModemWorldTests.patience.map(\.0) + CommandWorldTests.patience.map(\.0)
                    + EnumerationTests.bugs.map(\.0) + [.refusedPINTriedAgain, .stormHoldsEnd])
                    .sorted { $0.rawValue < $1.rawValue }
                    == Sabotage.allCases.sorted { $0.rawValue < $1.rawValue })
        }
    #endif
}
