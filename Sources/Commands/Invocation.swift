package import AlarmModel
package import ApplianceCore
package import Card
package import Daemon

/// A command line that was understood: what is to be done, as a value.
package enum Invocation: Hashable, Sendable {
    case run(configurationFile: String, stateDirectory: String)
    case check(file: String, json: Bool)
    case status(stateDirectory: String, json: Bool)
    case events(EventsSelection, stateDirectory: String, json: Bool)
    case panel(stateDirectory: String, json: Bool)
    case links(LinksCommand.Part, stateDirectory: String, json: Bool)
    case trace(stateDirectory: String, json: Bool)
    case order(PanelCommand, code: CodeSource, stateDirectory: String)
    case keys(KeysSource, partition: Int, allowInstaller: Bool, stateDirectory: String)
    /// nil asks only.
    case maintenance(on: Bool?, stateDirectory: String)
    /// `showsAll`: with the marks of duress contacts.
    case people(PeopleRequest, showsAll: Bool, stateDirectory: String, json: Bool)
    case phones(PhonesRequest, stateDirectory: String, json: Bool)
    /// The six digits are asked for.
    case confirmPairing(stateDirectory: String)
    case selfTest(SelfTestCommand)
    case support(SupportCommand)
    case replay(ReplayCommand)
    case reboot(stateDirectory: String)
    case update(UpdateCommand)
    case slot(SlotCommand)
    case bundle(BundleCommand)
    case backup(file: String, passphraseFile: String?, replace: Bool, stateDirectory: String)
    case restore(file: String, passphraseFile: String?, replace: Bool, stateDirectory: String)
    case card(CardCommand)
    /// `listen` nil: one request from standard input.
    case runHook(directory: String, listen: String?)
    case runModemNetwork
    /// `device` nil: the terminal in which it is typed.
    case console(device: String?, stateDirectory: String)
    case version(json: Bool)
    /// nil is the overview.
    case help(command: String?)

    /// Where a user code comes from; never from the arguments, which every user of the machine can read.
    package enum CodeSource: Hashable, Sendable {
        /// The daemon takes the one of its configuration.
        case configured
        case terminal
        case file(String)
    }

    package enum KeysSource: Hashable, Sendable {
        /// Asked for without echo.
        case terminal
        case standardInput
    }
}

/// Which events `events` shows.
package struct EventsSelection: Hashable, Sendable {
    package var follow = false
    package var since: SinceText?
    package var types: [EventType] = []
    package var zone: Int?
    package var partition: Int?
    /// 1…1000; nil is 50 without `since` and everything with it.
    package var limit: Int?

    package init() {}

    package func query(now: WallTime, in rules: TimeZoneRules) -> EventQuery {
        var query = EventQuery(types: types, zone: zone, partition: partition)
        query.since = since.map { $0.time(now: now, in: rules) }
        if limit == nil && since != nil {
            query.order = .oldestFirst
            query.limit = 1_000_000
        } else {
            query.order = .newest
            query.limit = limit ?? 50
        }
        return query
    }
}
