package import AlarmModel
import PhoneProtocol

/// What the serial console asks for itself. A console that has said `begin` may look at everything, and change
/// something only while it is unlocked.
package enum ConsoleRequest: Codable, Hashable, Sendable {
    /// From now on this client is a console.
    case begin
    case state
    case unlock(pin: Secret)
    case lock
    /// `old` is needed once a PIN is set.
    case setPIN(old: Secret?, new: Secret)

    private enum CodingKeys: String, CodingKey {
        case begin = "begin", state = "state", unlock = "unlock", lock = "lock", setPIN = "setPIN"
    }
    private enum UnlockCodingKeys: String, CodingKey {
        case pin = "pin"
    }
    private enum SetPINCodingKeys: String, CodingKey {
        case old = "old", new = "new"
    }
}

/// What a console is told about its lock.
package struct ConsoleReport: Codable, Hashable, Sendable {
    /// What came of the request.
    package enum Answer: String, Codable, Hashable, Sendable {
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

    private enum CodingKeys: String, CodingKey {
        case answer = "answer", isPINSet = "isPINSet", isUnlocked = "isUnlocked", triesLeft = "triesLeft",
            wait = "wait"
    }

    package init(answer: Answer, isPINSet: Bool, isUnlocked: Bool, triesLeft: Int, wait: Duration? = nil) {
        self.answer = answer
        self.isPINSet = isPINSet
        self.isUnlocked = isUnlocked
        self.triesLeft = triesLeft
        self.wait = wait
    }
}

extension ConsoleRequest {
    var json: JSON {
        switch self {
        case .begin: Self.json("begin")
        case .state: Self.json("state")
        case .lock: Self.json("lock")
        case .unlock(let pin): Self.json("unlock", pin: pin)
        case .setPIN(let old, let new): Self.json("set_pin", pin: new, old: old)
        }
    }

    private static func json(_ what: String, pin: Secret? = nil, old: Secret? = nil) -> JSON {
        .object([
            "request": .string("console"), "do": .string(what), "pin": pin.map { .string($0.revealed) },
            "old": old.map { .string($0.revealed) },
        ])
    }
}

extension RequestMembers {
    func consoleRequest() throws(ControlRequestError) -> ConsoleRequest {
        let what = document["do"]?.stringValue
        switch what {
        case "begin", "state", "lock":
            guard try pin("pin") == nil, try pin("old") == nil else {
                throw ControlRequestError("members 'pin' and 'old' belong to 'unlock' and 'set_pin'")
            }
            return what == "begin" ? .begin : what == "state" ? .state : .lock
        case "unlock":
            guard let pin = try pin("pin"), try self.pin("old") == nil else {
                throw ControlRequestError("member 'pin' is missing, or 'old' is there")
            }
            return .unlock(pin: pin)
        case "set_pin":
            guard let pin = try pin("pin") else { throw ControlRequestError("member 'pin' is missing") }
            return .setPIN(old: try self.pin("old"), new: pin)
        default: throw ControlRequestError("member 'do' may be begin, state, unlock, lock or set_pin")
        }
    }

    /// Never repeated in an error.
    private func pin(_ key: String) throws(ControlRequestError) -> Secret? {
        guard let value = document[key], value != .null else { return nil }
        guard let text = value.stringValue, (1...64).contains(text.utf8.count) else {
            throw ControlRequestError("member '\(key)' is not a text of 1 to 64 bytes")
        }
        return Secret(text)
    }
}
