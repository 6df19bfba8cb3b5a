import AlarmModel

/// Why there is no session with the panel. The sentence says what to do.
enum LinkProblem: Codable, Equatable, Sendable {
    case unresolved(ResolveFailure)
    /// No answer to the connection attempt.
    case connectTimedOut
    /// RST or FIN at connect, before the module greeted.
    case slotTaken
    case unreachable(ConnectionEnd)
    case noGreeting
    /// 5050
    case wrongPassword(length: Int)
    /// 5052 after our 005, or no answer to it at all.
    case mutePassword(length: Int)
    /// 5052 before 005.
    case loginTimedOut
    /// `Login:` instead of 5053.
    case otherFirmware
    case closedAtLogin(ConnectionEnd)
    case closed(ConnectionEnd)
    /// Two polls without an answer.
    case silent
    /// 505 in the middle of a session.
    case restarted
    case unconfirmed

    /// Only a person can change it.
    var isRefusal: Bool {
        switch self {
        case .wrongPassword, .otherFirmware: true
        case .unresolved, .connectTimedOut, .slotTaken, .unreachable, .noGreeting, .mutePassword, .loginTimedOut,
            .closedAtLogin, .closed, .silent, .restarted, .unconfirmed:
            false
        }
    }

    var isSlotTaken: Bool {
        if case .slotTaken = self { return true }
        return false
    }

    /// For a session that goes on trying by itself.
    var sentence: String { cause + (goesOn ?? "") }

    /// For somebody who tries it once, at a terminal.
    var sentenceOfOneTry: String {
        cause + (goesOn == nil ? "" : "; wait a minute, then type the module's address once more")
    }

    private var cause: String {
        switch self {
        case .unresolved(let why):
            "the name of the module cannot be resolved (\(why)); check its host name in the configuration, "
                + "or give its address"
        case .connectTimedOut:
            "no answer to the connection attempt; check the module's address and power. From another subnet the "
                + "module answers only after the password of its user 'user' was changed from the default, and a "
                + "firewall may drop port 4025"
        case .slotTaken:
            "the module refuses the connection: another client holds its only session, or it still holds our old "
                + "one, or its address or port (4025) is another; end other clients of the module and check both"
        case .unreachable(let end):
            "the module cannot be reached (\(end)); check the network cable and its address"
        case .noGreeting:
            "connected, but nothing that greets like an EnvisaLink module; check address and port (4025)"
        case .wrongPassword(let length):
            "the module refused the password; use the one of its local web page\(Self.hint(length))"
        case .mutePassword(let length):
            length > 6
                ? "the module did not answer the login: the password is possibly too long\(Self.hint(length))"
                : "the module did not answer the login; check the password, and power-cycle the module if this goes on"
        case .loginTimedOut: "the module ended the login before the password was sent"
        case .otherFirmware:
            "the module greets like Honeywell or Uno firmware, which is not supported yet; only DSC is"
        case .closedAtLogin(let end): "the module ended the connection during the login (\(end))"
        case .closed(let end): "the connection to the module was lost (\(end))"
        case .silent: "the module stopped answering"
        case .restarted: "the module started a new login in the middle of the session"
        case .unconfirmed: "the panel did not confirm a disarm, so the connection is not to be trusted"
        }
    }

    /// What the session does about it.
    private var goesOn: String? {
        switch self {
        case .slotTaken: ", we try again"
        case .loginTimedOut, .closedAtLogin: "; we try again"
        case .closed, .silent, .restarted, .unconfirmed: "; we connect again"
        case .unresolved, .connectTimedOut, .unreachable, .noGreeting, .wrongPassword, .mutePassword, .otherFirmware:
            nil
        }
    }

    private static func hint(_ length: Int) -> String {
        if length > 10 { return ", and make it shorter: EVL-4 takes at most 10 characters, EVL-3 6" }
        if length > 6 { return ", and make it shorter: EVL-3 takes at most 6 characters" }
        return ""
    }
}
