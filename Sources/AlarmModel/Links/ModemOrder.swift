/// What the modem is to do. Each is answered by `ModemFact.done` or `failed` with its task, a text by `textSent` or
/// `textFailed`, a call by `call`; several tasks may be under way.
package enum ModemOrder: Codable, Equatable, Sendable {
    /// Tell the status of what is there now, and look again for modems that have not shown themselves.
    case find
    /// Opens the SIM. A wrong PIN costs one of three tries.
    case unlock(pin: Secret)
    /// Switches the radio on, so that the modem registers; text messages need no more.
    case enable
    case connect(ModemSubscription)
    /// Ends every data connection.
    case disconnect
    /// Restarts the modem; it goes away and comes back.
    case reset
    case sendText(TextMessage)
    /// Dials this number, as with `TextMessage`. One call at a time.
    case call(CallID, number: String)
    /// Speaks to whoever has taken the call, again and again until it is over. Answered only where that fails.
    /// - `socket`: of the process that speaks
    case speak(CallID, SpokenWords, socket: String)
    /// Sends a tone to whoever has taken the call: a digit, `*`, `#` or A to D. Answered only where that fails.
    case sendTone(CallID, String)
    /// Not answered. One that is over already is passed over.
    case hangUp(CallID)

    /// nil for a text and a call, which have names of their own.
    package var task: ModemTask? {
        switch self {
        case .find: .find
        case .unlock: .unlock
        case .enable: .enable
        case .connect: .connect
        case .disconnect: .disconnect
        case .reset: .reset
        case .sendText, .call, .speak, .sendTone, .hangUp: nil
        }
    }
}

/// A kind of order.
package enum ModemTask: String, Codable, Hashable, Sendable {
    case find, unlock, enable, connect, disconnect, reset
}

/// What the provider wants to hear before it carries data.
package struct ModemSubscription: Codable, Equatable, Sendable {
    package enum IPType: String, Codable, Hashable, Sendable, CaseIterable {
        case ipv4, ipv6
        /// Both over one connection.
        case both = "ipv4v6"
    }

    /// The access point's name.
    package var apn: String
    package var user: String?
    package var password: Secret?
    package var ipType: IPType
    package var allowsRoaming: Bool

    package init(
        apn: String, user: String? = nil, password: Secret? = nil, ipType: IPType = .both, allowsRoaming: Bool = false
    ) {
        self.apn = apn
        self.user = user
        self.password = password
        self.ipType = ipType
        self.allowsRoaming = allowsRoaming
    }
}

/// Names a text message that is being sent.
package struct TextID: Codable, Equatable, Comparable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) { self.number = number }
    package static func < (a: TextID, b: TextID) -> Bool { a.number < b.number }
}

package struct TextMessage: Codable, Equatable, Sendable {
    package var id: TextID
    /// As one dials it, best with + and the country's code.
    package var number: String
    package var text: String

    package init(id: TextID, number: String, text: String) {
        self.id = id
        self.number = number
        self.text = text
    }
}
