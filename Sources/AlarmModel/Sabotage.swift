#if SABOTAGE
    /// Deliberate bugs that the simulation must find. Compiled into debug builds only.
    package enum Sabotage: String, Codable, Hashable, Sendable, CaseIterable {
        /// The disk reports a commit that a power cut can still take back.
        case acknowledgesBeforeSync
        /// State keeps counting as known when the link is lost.
        case keepsStateWhenLinkIsLost
        /// Outcomes are told before they are stored.
        case repliesBeforeCommit
        /// The poll's missing answer is not noticed.
        case ignoresSilence
        /// After a failed commit the batches are written under new numbers.
        case renumbersAfterFailure
        /// A line that shares its segment with another is dropped.
        case readsOneLinePerSegment
        /// Messages leave before their event is stored.
        case sendsBeforeCommit
        /// The counter of a phone's command is not stored.
        case forgetsCounter
        /// A phone's command is carried out before its counter is stored.
        case executesBeforeCommit
        /// A repeated command is carried out again.
        case repeatsCommands
        /// A challenge holds for ever.
        case ignoresChallengeAge
        /// What was under way when the push connection ended is not sent again.
        case forgetsReturnedMessages
        /// A message gets another id when it is sent again.
        case renamesOnResend
        /// Duress goes to everybody.
        case tellsDuressToAll
        /// The phone book is forgotten at each restart.
        case forgetsPhones
        /// An acknowledgement of the service is acknowledged.
        case acknowledgesAcks
        /// A revoked phone is still obeyed.
        case obeysRevokedPhones
        /// A channel that is missing from the configuration for a while takes with it what waits for it.
        case takenOutWayDropsMessages
        /// A row that the store refuses takes with it all that is written in the same step.
        case refusedRowTakesAll
        /// A button of a store app can be pressed again.
        case buttonWorksTwice
        /// An alarm leaves by a person's preferred channel only, as if it were any other event.
        case alarmByFirstChannelOnly
        /// What stands in for a message that nothing has confirmed never leaves.
        case fallbackNeverSent
        /// A command that the broker has kept is carried out.
        case retainedCommandObeyed
        /// Duress is told to the house's own addresses.
        case duressToHouse
        /// What the broker had not taken when its connection ended is not sent again.
        case returnedMessagesDropped
        /// Whoever is in the book may say anything.
        case obeysUnallowedWords
        /// The same words twice are two commands.
        case obeysRepeatedWords
        /// A one-time code can be used again.
        case codeWorksTwice
        /// What a phone put into the database is not removed when it was dealt with.
        case databaseNotEmptied
        /// A preferred link that is good again is not used again.
        case neverFailsBack
        /// A link is probed by its first target only.
        case probesOneTarget
        /// A link whose probes fail is kept as long as it has carrier and address.
        case keepsDeadLink
        /// Connections from an address that is gone are kept.
        case staleAfterRenumbering
        /// A text that is to leave does not.
        case textNeverSent
        /// A text leaves although a data path has delivered its alarm.
        case textThoughDelivered
        /// A call goes on when nobody listens any more.
        case callNeverHungUp
        /// A key that is pressed in a call is nobody's word.
        case keyIsNoWord
        /// OK as the answer to a text is nobody's word.
        case answerIsNoWord
        /// Whoever sends OK has seen the alarm.
        case anybodyAnswers
        /// A modem that makes no progress is left to itself.
        case stuckModemNeverReset
        /// A PIN that the SIM has refused is tried again.
        case refusedPINTriedAgain
        /// Signs of life are due and do not leave.
        case heartbeatStops
        /// The watchdog hears that all is well, whatever the parts do.
        case pingNotEarned
        /// A wrong PIN at the console does not count.
        case wrongPINNotCounted
        /// A link by which nothing is answered is taken again and again.
        case silenceIsNoDoubt
        /// A panel that is lost while the house is armed is told as a fault only.
        case lostPanelIsNoAlarm
        /// Servers are held against the time that somebody forges.
        case forgedTimeForServers
        /// A browser's subscription stays in use though its service calls it gone.
        case goneSubscriptionKept
        /// The end of the siren's time ends the alarm.
        case sirenEndsAlarm
        /// An alarm that the panel no longer reports is told as disarmed.
        case silenceIsDisarming
        /// An alarm that the memory light shows afterwards is not told.
        case memoryUntold
        /// The end of an alarm is not told.
        case endUntold
        /// An alarm names the zone that opened last.
        case namesWrongZone
        /// A command that the panel refuses is done.
        case refusalIsDone
        /// Alarms are forgotten at a restart.
        case forgetsIncident
        /// The storm filter holds the end of an alarm back.
        case stormHoldsEnd
    }
#else
    /// There are no deliberate bugs in a release.
    package enum Sabotage: Codable, Hashable, Sendable {
        case acknowledgesBeforeSync
    }
#endif
