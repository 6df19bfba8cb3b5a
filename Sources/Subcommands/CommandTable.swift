import Card
import CommandKit
import Daemon
import SerialConsole

/// Every command, by purpose, in the order of the overview.
enum CommandTable {
    static let all: [CommandEntry] = [
        RunCommand.entry, SetupCommand.entry, CheckCommand.entry, HookCommand.entry, FetchCommand.entry,
        PictureCommand.entry, HistoryCommand.entry, SpeechCommand.entry, VersionCommand.entry,
        HelpCommand.entry, StatusCommand.entry, ZonesCommand.entry, EventsCommand.entry, ReportCommand.entry,
        PanelReportCommand.entry,
        LinksCommand.entry,
        ReplayCommand.entry,
        ConsoleCommand.entry, OrderCommand.arm, OrderCommand.disarm, OrderCommand.bypass, OrderCommand.silence,
        OrderCommand.panic, OrderCommand.output, OrderCommand.chime, OrderCommand.smokeReset, OrderCommand.clock,
        KeysCommand.entry, OrderCommand.refresh, OrderCommand.timers, MaintenanceCommand.entry, PeopleCommand.entry,
        PhonesCommand.entry, SelfTestCommand.entry, SupportCommand.entry, CardCommand.entry, RebootCommand.entry,
        BackupCommand.entry, RestoreCommand.entry, UpdateCommand.entry, SlotCommand.entry, BundleCommand.entry,
        StickCommand.entry,
    ]

    /// A command, or a part of one: `phones pair`.
    static func entry(_ name: String) -> CommandEntry? {
        all.first { $0.syntax.name == name } ?? all.lazy.flatMap(\.parts).first { $0.syntax.name == name }
    }
    /// What somebody may be told that he meant: nothing that acts on the house, its keeping or its software.
    static let harmlessNames = [
        "check", "console", "events", "help", "links", "panel", "people", "phones", "report", "self-test", "status",
        "support", "version", "zones",
    ]
    /// Words of other programs, and what they are called here.
    static let otherWords: [String: String] = [
        "pair": "howalarming phones pair", "revoke": "howalarming phones revoke", "log": "howalarming events",
        "logs": "howalarming events", "journal": "howalarming events", "zone": "howalarming zones",
        "start": "systemctl start howalarming", "stop": "systemctl stop howalarming",
        "restart": "systemctl restart howalarming", "person": "howalarming people", "phone": "howalarming phones",
        "test": "howalarming self-test", "lock": "howalarming arm", "unlock": "howalarming disarm",
    ]
    /// The same for the parts of a command: the first that it has.
    static let otherParts: [String: [String]] = [
        "ls": ["list"], "show": ["list"], "add": ["pair"], "new": ["add", "pair"], "remove": ["revoke"],
        "rm": ["remove", "revoke"], "delete": ["remove", "revoke"],
    ]
    /// Of those in the overview.
    static var names: [String] { all.map(\.syntax).filter(\.isListed).map(\.name) }
    static var overview: [String] { HelpText.overview(all.map(\.syntax)) }
}
