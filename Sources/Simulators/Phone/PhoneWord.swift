package import Companion

/// What can be told to the virtual phone, one per line.
package enum PhoneWord: Codable, Equatable, Sendable {
    case pair(String)
    /// Nothing to type at the phone: it shows the digits again.
    case digits
    case ping, sync, snapshot, log, state, offline, online, quit
    /// The button of a command is on the screen: the phone gets a challenge from the box, and prints `prepared`.
    case prepare
    case command(HouseCommand)
    case list(BoxList.Name)
    /// The newest alarm of the log.
    case seen
    /// Nothing further is done until a line with this text is printed.
    case waitFor(String)

    package static let list =
        "pair CODE, digits, ping, sync, snapshot, prepare, arm [away|stay|zero-entry], disarm, bypass ZONE [off], "
        + "panic fire|ambulance|police, output N, seen, leave, list names|phones|channels, log, state, offline, "
        + "online, wait-for TEXT, quit"

    /// nil when it is none of them. An empty line is none.
    package init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        guard let verb = words.first else { return nil }
        let rest = Array(words.dropFirst())
        switch (verb, rest.count) {
        case ("pair", 1...): self = .pair(rest.joined())
        case ("wait-for", 1...): self = .waitFor(rest.joined(separator: " "))
        case ("digits", 0): self = .digits
        case ("ping", 0): self = .ping
        case ("sync", 0): self = .sync
        case ("prepare", 0): self = .prepare
        case ("snapshot", 0): self = .snapshot
        case ("log", 0): self = .log
        case ("state", 0): self = .state
        case ("offline", 0): self = .offline
        case ("online", 0): self = .online
        case ("quit", 0): self = .quit
        case ("seen", 0): self = .seen
        case ("list", 1):
            guard let name = BoxList.Name(rawValue: rest[0]) else { return nil }
            self = .list(name)
        case ("leave", 0): self = .command(.leave)
        case ("disarm", 0): self = .command(.disarm(partition: 1))
        case ("arm", 0): self = .command(.arm(partition: 1, mode: .away, force: false))
        case ("arm", 1):
            guard let mode = HouseCommand.ArmMode(rawValue: rest[0]) else { return nil }
            self = .command(.arm(partition: 1, mode: mode, force: false))
        case ("bypass", 1...2):
            guard let zone = Int(rest[0]), (1...64).contains(zone), rest.count == 1 || rest[1] == "off" else {
                return nil
            }
            self = .command(.bypass(zone: zone, on: rest.count == 1))
        case ("panic", 1):
            guard let kind = HouseCommand.Panic(rawValue: rest[0]) else { return nil }
            self = .command(.panic(kind))
        case ("output", 1):
            guard let number = Int(rest[0]), (1...4).contains(number) else { return nil }
            self = .command(.output(partition: 1, number: number))
        case _: return nil
        }
    }
}
