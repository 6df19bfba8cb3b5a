package import AlarmModel

/// What a program on this machine may ask of the daemon: one JSON object in one line.
///
/// Written by hand rather than derived, because the line carries codes while the recorded form of a `Secret` hides them.
package enum ControlRequest: Codable, Equatable, Sendable {
    case status
    /// `follow`: go on with new events until the client leaves.
    case events(EventQuery, follow: Bool)
    case panel
    /// `isTest`: probe all links now; the answer is how they were before.
    case links(isTest: Bool)
    /// Live lines of the panel link, redacted.
    case trace
    case command(PanelCommand, code: Secret?)
    /// nil asks only.
    case maintenance(on: Bool?)
    case people(PeopleRequest)
    case phones(PhonesRequest)
    /// Restart the machine.
    case reboot
    /// Install the version of this bundle. `isOlderConfirmed`: also an older one.
    case update(bundle: String, isOlderConfirmed: Bool)
    /// Something with the host that offers newer versions.
    case updates(UpdatesRequest)
    /// Delete all pictures of cameras.
    case forgetPictures
    /// Do something with a USB stick.
    case stick(StickRequest)
    case console(ConsoleRequest)
}

/// A line that is not a request; says where and why.
package struct ControlRequestError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
    package var description: String { reason }
}
