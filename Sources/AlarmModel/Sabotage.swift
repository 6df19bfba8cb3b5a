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
    }
#else
    /// There are no deliberate bugs in a release.
    package enum Sabotage: Codable, Hashable, Sendable {
        case acknowledgesBeforeSync
    }
#endif
