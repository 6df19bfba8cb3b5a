package import AlarmModel

/// A promise that was broken, and where.
package struct Violation: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Promise: String, Hashable, Sendable, CaseIterable {
        case acknowledgedEventsSurvive =
            "an event that was reported as stored is there after any crash, once and in order"
        case numbersHaveNoGaps = "sequence numbers have no gaps"
        case reportedLinesAreKept = "every line that the panel reported is written down"
        case nothingIsInvented = "no event is written that the panel did not report"
        case staleIsShown = "nothing counts as known while there is no session with the panel"
        case stateIsTrue = "what counts as known is true"
        case silenceIsNoticed = "a silent module is noticed within 30 seconds"
        case lostPanelsAreAlarms = "a panel that is lost while the house is armed is an alarm a minute later"
        case outcomesAreStoredFirst = "nothing is reported done before its outcome is stored"
        case oneOutcome = "a command ends once"
        case sameEffects = "the same inputs give the same effects"
        case memoryIsBounded = "the queue towards the disk is bounded"
        case storedBeforeSent =
            "nothing leaves for the push service before it is stored, but alarms while the store fails"
        case alarmsArrive = "every alarm reaches everybody entitled once the world is calm"
        case atMostOnce = "a phone's command takes effect once, and only with its counter on the disk"
        case strangersAreNotObeyed = "nothing is done that no paired phone has signed, recently"
        case duressStaysSecret = "duress is told to its contacts only"
        case oneNameForOneMessage = "a message keeps its id, and no id names two messages"
        case pushesAreShown = "a browser's push has words to show, and holds what its phone can open"
        case windowIsKept = "at most 100 messages wait for the push service's answer"
        case acksAreOwed = "acknowledged is only what came on this connection, and nothing malformed is sent"
        case phonesAgree = "a phone's log equals the journal and its state the panel's"
        case revokedPhonesAreOut = "a revoked phone is neither obeyed nor told anything"
        case phonesStayPaired = "a phone stays paired until it is revoked"
        case lifeIsShown = "the watchdog hears from a box that runs, whatever its peers and its disk do"
        case standstillIsShown = "the watchdog hears nothing of a box of which a part stands still"
        case secretsStay = "a secret of one service goes to no other, and into no log"
        case deadPathsAreLeft = "a connection by a dead link is left in 33 seconds when another is good, a detour in 93"
        case preferredLinksAreUsed = "a preferred link that stays good is used again after its hold time"
        case goodLinksAreNotLost = "a link that is good is not told as lost"
        case alarmsArriveSoon = "an alarm waits no longer than 60 seconds while a link is good"
        case probesAreBounded = "every probe ends, and there are only so many at a time"
        case fallbacksGoOut =
            "what a person's first way leaves unconfirmed leaves by the next one after 30 seconds, in its turn"
        case textsGoOut = "an alarm that no data path delivers in time goes out as a text once one can leave"
        case textsOnlyWhenNeeded = "a text goes out only for an alarm that nothing has delivered in time"
        case textsAreFew = "no more than one round of texts in 2 minutes and 10 a day, tries 30 seconds apart"
        case callsKeepTheLine =
            "one call at a time, to a number that was named, a minute of ringing and 40 s of words or tones at most"
        case keysAreHeard = "a key that is pressed in a call is somebody's word"
        case answersAreHeard = "OK as the answer to a text is its sender's word, and nothing else is done by text"
        case stuckModemsAreReset = "a modem that makes no progress is reset"
        case simIsNotLocked = "a PIN that the SIM has refused is not tried again, and never locks the SIM"
        case lifeIsTold = "each paired phone hears a sign of life within the interval that it was told"
        case consoleIsLocked = "after five wrong PINs in a row the console takes none for 1, 5, 15, 60 minutes"
        case databaseIsEmptied = "what phones put into the database is heard and removed once the way there is sound"
        case batchesKeepTheirOrder = "what the box orders to be stored is ordered as it happened"
        case timeGoesOn = "nothing happens over and over at one moment"
        case incidentsAreTold = "an alarm of the panel is told as one a minute after the box could hear of it"
        case endsAreTold = "everybody who was told of an alarm is told of its end, once"
        case claimsAreTrue = "nothing is told that did not happen at the panel"
        case outcomesAreTrue = "an order is done only if the panel did it, and nothing older comes after it"
        case incidentsAreShown = "an alarm is shown from its beginning to its end"
        case everythingSettles = "once the faults stop, everything is delivered and nothing waits"
    }

    package var promise: Promise
    package var detail: String
    package var at: BootTime
    package var step: Int

    package var description: String {
        "broken promise: \(promise.rawValue)\n  at \(at.nanoseconds / 1_000_000) ms, step \(step): \(detail)"
    }
}
