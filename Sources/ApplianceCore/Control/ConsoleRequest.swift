package import AlarmModel

/// What the serial console asks for itself. A console that has said `begin` may look at everything, and change
/// something only while it is unlocked.
package enum ConsoleRequest: Codable, Equatable, Sendable {
    /// From now on this client is a console.
    case begin
    case state
    case unlock(pin: Secret)
    case lock
    /// `old` is needed once a PIN is set.
    case setPIN(old: Secret?, new: Secret)
}

/// What a console is told about its lock.
package struct ConsoleReport: Codable, Equatable, Sendable {
    /// What came of the request.
    package enum Answer: String, Codable, Equatable, Sendable {
        case state, unlocked, locked, wrongPIN, mustWait, pinSet
        /// There is no PIN yet: it has to be set first.
        case noPIN
        /// The store has not told whether there is one.
        case unknownPIN
        /// A PIN is there, and the old one has to be given.
        case oldPINNeeded
    }

    package var answer: Answer
    package var isPINSet: Bool
    package var isUnlocked: Bool
    /// Wrong tries until it takes none for a while.
    package var triesLeft: Int
    /// No try is taken for so long.
    package var wait: Duration?

    package init(answer: Answer, isPINSet: Bool, isUnlocked: Bool, triesLeft: Int, wait: Duration? = nil) {
        self.answer = answer
        self.isPINSet = isPINSet
        self.isUnlocked = isUnlocked
        self.triesLeft = triesLeft
        self.wait = wait
    }
}
