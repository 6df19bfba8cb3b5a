/// How a command ended; one enum everywhere (docs/ARCHITECTURE.md 1.2).
package enum Outcome: Codable, Equatable, Sendable {
    /// It is as was wanted. At the panel that means: one of its lines says so, or said so before; but for keys and the
    /// clock, for which it has no line: of them it means no more than that the module took them.
    case done
    /// Not tried, or turned down before anything changed.
    case refused(Reason)
    /// Tried, and the panel or the box said no.
    case failed(Reason)
    /// Sent, and nothing confirmed it in time: it may have happened.
    case notConfirmed
    /// Too old to be carried out.
    case expired

    package var name: String {
        switch self {
        case .done: "done"
        case .refused: "refused"
        case .failed: "failed"
        case .notConfirmed: "notConfirmed"
        case .expired: "expired"
        }
    }

    package var reason: Reason? {
        switch self {
        case .refused(let reason), .failed(let reason): reason
        case .done, .notConfirmed, .expired: nil
        }
    }
}

/// Why a command was refused or failed. `description` says what happened and what to do next.
package enum Reason: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The zones that are open, ascending.
    case notReady(openZones: [Int])
    case alreadyArmed
    case wrongCode
    case noCode
    /// 658 or 502 016; no code is sent for the time named in the message.
    case lockedOut
    case installerMode
    case partitionBusy
    case keybusDown
    case panelStale
    case panelRefused(error: Int)
    case notSupported(String)
    case badRequest(String)
    case unknownZone(Int)
    case unknownPartition(Int)
    case bypassWhileArmed
    case bypassNeedsCode
    case storageFailed
    case queueFull
    case stopping
    /// The freshness of a phone's command cannot be proved any more (docs/pairing.md 7.2).
    case staleChallenge
    case notAllowed
    /// A verb or arguments that this box does not know.
    case unknownVerb(String)
    case tooManyCommands
    /// The partition was armed or disarmed since the phone saw its state; or a later disarm overtook this arm.
    case conditionChanged
    /// The panel asks for a code, and the owner's configuration keeps it from it.
    case codeWithheld

    package var description: String {
        switch self {
        case .notReady(let zones):
            zones.isEmpty
                ? "not ready: the panel does not say which zone is open; look at the keypad"
                : "not ready: open zones \(zones.map(String.init).joined(separator: ", ")); close or bypass them, or use --force"
        case .alreadyArmed: "already armed; disarm first to change the mode"
        case .wrongCode:
            "the panel does not know this code; type it once more, or correct code_master in the configuration if none "
                + "was typed"
        case .noCode: "the panel asks for a user code and none is configured; set code_master or give one"
        case .lockedOut: "the panel's keypads are locked out after wrong codes; wait a few minutes, then try again"
        case .installerMode: "the panel is in installer mode; leave it at the keypad, then try again"
        case .partitionBusy: "the partition is busy: somebody works at a keypad; try again"
        case .keybusDown: "the EnvisaLink module cannot reach the panel (keybus down); check its wiring and power"
        case .panelStale: "the state of the panel is not known yet; wait for the status report and try again"
        case .panelRefused(error: 23):
            "the panel says that it is not armed, and yet it is arming or in alarm; disarm or silence it at a keypad"
        case .panelRefused(let error): "the panel refused with error \(error)"
        case .notSupported(let what): "\(what) is not supported"
        case .badRequest(let what): what
        case .unknownZone(let zone): "there is no zone \(zone); DSC panels have zones 1 to 64"
        case .unknownPartition(let partition): "there is no partition \(partition) on this panel"
        case .bypassWhileArmed: "zones cannot be bypassed while the partition is armed; disarm it first"
        case .bypassNeedsCode:
            "the panel wants a user code to bypass a zone: give one with the order, or have the panel programmed not to "
                + "ask for it"
        case .storageFailed: "storage failed; see \(Hint.status.atBox)"
        case .queueFull: "too many commands wait for the panel; try again"
        case .stopping: "the daemon is stopping"
        case .staleChallenge: "the command came too late or from before a restart; try again"
        case .notAllowed: "this phone may not do that; change its roles with \(Hint.role.atBox)"
        case .unknownVerb(let verb): "'\(verb)' is not known here; update the app or the box"
        case .tooManyCommands: "too many commands from this phone; wait a minute"
        case .codeWithheld:
            "the panel asks for a code, and 'panel.code_on_request' does not let the box give it one: set it to "
                + "'always' ('outputs' is enough for outputs), or have the panel programmed not to ask"
        case .conditionChanged: "the partition was armed or disarmed meanwhile; look at its state, then repeat"
        }
    }
}
