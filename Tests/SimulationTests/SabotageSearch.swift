import AlarmModel

#if SABOTAGE
    extension Sabotage {
        /// In which seed it was found last, where that is not the first one.
        private static let seedsOfLast: [Sabotage: UInt64] = [
            .buttonWorksTwice: 19, .callNeverHungUp: 2, .duressToHouse: 4, .fallbackNeverSent: 2,
            .forgedTimeForServers: 33, .goneSubscriptionKept: 7, .ignoresChallengeAge: 6, .keepsDeadLink: 5,
            .keyIsNoWord: 2, .lostPanelIsNoAlarm: 24, .pingNotEarned: 3, .probesOneTarget: 2, .refusedRowTakesAll: 44,
            .renamesOnResend: 4, .repeatsCommands: 2, .returnedMessagesDropped: 6, .silenceIsNoDoubt: 24,
            .stuckModemNeverReset: 2, .takenOutWayDropsMessages: 19, .tellsDuressToAll: 4, .textNeverSent: 2,
            .textThoughDelivered: 2,
        ]

        /// All seeds from 1 to `seeds`, that one first: the search ends after one run instead of dozens.
        func seeds(upTo seeds: UInt64) -> some Sequence<UInt64> {
            let last = Self.seedsOfLast[self] ?? 1
            return [[last], (1...seeds).filter { $0 != last }].joined()
        }
    }
#endif
