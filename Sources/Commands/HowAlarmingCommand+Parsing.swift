import AlarmModel
import Card
package import CommandKit
import Daemon

extension HowAlarmingCommand {
    /// Words of the other program (`Sources/Laboratory`).
    private static let laboratoryCommands = ["demo", "simulate"]

    /// Understands a command line without doing anything.
    package static func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
        var rest = arguments[...]
        var leading: [String] = []
        while let first = rest.first, first.hasPrefix("-") {
            rest = rest.dropFirst()
            switch first {
            case "-h", "--help": return .help(command: nil)
            case "--version": return .version(json: false)
            case "--state":
                guard let value = rest.popFirst(), !value.hasPrefix("-") else {
                    throw UsageError("option '--state' needs a value: --state DIR")
                }
                leading = ["--state=\(value)"]
            default:
                guard first.hasPrefix("--state=") else {
                    let name = first.prefix { $0 != "=" }
                    let known = ["--state", "--help", "--version"]
                    throw UsageError(
                        "unknown option '\(name)'\(UsageError.suggestion(for: String(name), among: known))")
                }
                leading = [first]
            }
        }
        guard let name = rest.popFirst() else { throw UsageError("no command is given") }
        if laboratoryCommands.contains(name) {
            throw UsageError(
                "the simulators and the demo are a program of their own, which is not on the box: 'howalarming-lab \(name) "
                    + "…'; tools/demo builds and starts it")
        }
        guard let syntax = CommandTable.syntax(name) else {
            let shown = Text.printable(String(name.prefix(40)))
            throw UsageError("unknown command '\(shown)'\(UsageError.suggestion(for: name, among: CommandTable.names))")
        }
        if !syntax.parts.isEmpty { return try part(of: syntax, leading: leading, rest) }
        let parsed = try ParsedArguments(leading + rest, syntax: syntax)
        return parsed.wantsHelp ? .help(command: name) : try invocation(parsed)
    }

    private static func invocation(_ given: ParsedArguments) throws(UsageError) -> Invocation {
        let state = given.stateDirectory
        let json = given.has("--json")
        switch given.command {
        case "run":
            if given.has("--modem-network") {
                guard given.value("--config") == nil else {
                    throw UsageError("--modem-network takes no configuration", command: given.command)
                }
                return .runModemNetwork
            }
            guard let file = given.value("--config") else {
                throw UsageError("option '--config FILE' is missing", command: given.command)
            }
            return .run(configurationFile: file, stateDirectory: state)
        case "check": return .check(file: given.operands[0], json: json)
        case "status": return .status(stateDirectory: state, json: json)
        case "events": return .events(try selection(given), stateDirectory: state, json: json)
        case "panel":
            let part: PanelPart? = try given.choice(0, what: "the part of 'panel'")
            return part == .trace
                ? .trace(stateDirectory: state, json: json) : .panel(stateDirectory: state, json: json)
        case "links":
            let part: LinksCommand.Part? = try given.choice(0, what: "the part of 'links'")
            return .links(part ?? .show, stateDirectory: state, json: json)
        case "keys":
            if let operand = given.operand(0), operand != "-" {
                throw UsageError(
                    "keys may hold a code and are never taken from the command line, because everybody on this machine "
                        + "can read it there; type them when asked, or give '-' and pipe them in", command: "keys")
            }
            return .keys(
                given.operand(0) == nil ? .terminal : .standardInput, partition: try partition(given),
                allowInstaller: given.has("--allow-installer"), stateDirectory: state)
        case "maintenance":
            let word: Switch? = try given.choice(0, what: "maintenance")
            return .maintenance(on: word.map { $0 == .on }, stateDirectory: state)
        case "self-test":
            return .selfTest(
                SelfTestCommand(
                    stateDirectory: state, configurationFile: given.value("--config"),
                    sendsPush: !given.has("--no-push"),
                    json: json))
        case "support":
            return .support(
                SupportCommand(
                    file: given.operand(0), configurationFile: given.value("--config"), replace: given.has("--replace"),
                    stateDirectory: state))
        case "replay":
            return .replay(
                ReplayCommand(
                    path: given.operand(0), stateDirectory: state, showsSteps: given.has("--step"),
                    showsState: given.has("--show-state"),
                    first: try given.number("--from", in: 1...Int.max).map(UInt64.init),
                    last: try given.number("--to", in: 1...Int.max).map(UInt64.init)))
        case "reboot":
            guard given.has("--yes") else {
                throw UsageError(
                    "this restarts the machine, and for a minute nobody watches the panel; add --yes if you mean it",
                    command: given.command)
            }
            return .reboot(stateDirectory: state)
        case "update": return try update(given)
        case "slot": return try slot(given)
        case "backup", "restore":
            let file = given.operands[0]
            let passphraseFile = given.value("--passphrase-file")
            let replace = given.has("--replace")
            return given.command == "backup"
                ? .backup(file: file, passphraseFile: passphraseFile, replace: replace, stateDirectory: state)
                : .restore(file: file, passphraseFile: passphraseFile, replace: replace, stateDirectory: state)
        case "card":
            guard let card = given.value("--card"), let data = given.value("--data"),
                let network = given.value("--network-out")
            else { throw UsageError("--card, --data and --network-out are needed", command: given.command) }
            return .card(
                CardCommand(
                    card: card, data: data, network: network, template: given.value("--template"),
                    remounts: !given.has("--no-remount"), namesMachine: given.has("--set-hostname")))
        case "run-hook":
            return .runHook(
                directory: given.value("--directory") ?? HookCommand.directory, listen: given.value("--listen"))
        case "console": return .console(device: given.value("--tty"), stateDirectory: state)
        case "version": return .version(json: json)
        case "help":
            guard let topic = given.operand(0) else { return .help(command: nil) }
            guard CommandTable.syntax(topic) != nil else {
                throw UsageError(
                    "there is no such command\(UsageError.suggestion(for: topic, among: CommandTable.names))")
            }
            guard let part = given.operand(1) else { return .help(command: topic) }
            guard let syntax = CommandTable.syntax(topic), CommandTable.syntax("\(topic) \(part)") != nil else {
                let known = (CommandTable.syntax(topic)?.parts ?? []).map { String($0.name.dropFirst(topic.count + 1)) }
                throw UsageError(
                    "'\(topic)' has no such part\(UsageError.suggestion(for: part, among: known))", command: topic)
            }
            return .help(command: "\(syntax.name) \(part)")
        default: return .order(try order(given), code: try codeSource(given), stateDirectory: state)
        }
    }

    private enum PanelPart: String, CaseIterable { case trace }
    private enum Switch: String, CaseIterable { case on, off }

    private static func order(_ given: ParsedArguments) throws(UsageError) -> PanelCommand {
        let command = given.command
        switch command {
        case "arm":
            let mode: PanelCommand.ArmRequest? = try given.choice(0, what: "the mode")
            return .arm(partition: try partition(given), mode: mode ?? .away, force: given.has("--force"))
        case "disarm": return .disarm(partition: try partition(given))
        case "bypass":
            let zone = try ParsedArguments.number(given.operands[0], name: "ZONE", in: 1...64, command: command)
            return .bypass(zone: zone, bypassed: !given.has("--off"))
        case "panic":
            guard let kind: PanelCommand.Panic = try given.choice(0, what: "the kind of panic") else {
                throw UsageError("the kind of panic is missing", command: command)
            }
            guard given.has("--yes") else {
                throw UsageError(
                    "this raises a \(kind.rawValue) alarm at once; add --yes if you mean it", command: command)
            }
            return .panic(kind)
        case "output":
            let output = try ParsedArguments.number(given.operands[0], name: "N", in: 1...4, command: command)
            return .output(partition: try partition(given), output: output)
        case "chime":
            let word: Switch? = try given.choice(0, what: "chime")
            return .chime(partition: try partition(given), on: word == .on)
        case "silence": return .silence(partition: try partition(given))
        case "smoke-reset": return .smokeReset(partition: try partition(given))
        case "clock": return .setClock
        case "refresh": return .refresh
        case "timers": return .timers
        default: throw UsageError("'\(command)' is not built in", command: nil)
        }
    }

    private static func partition(_ given: ParsedArguments) throws(UsageError) -> Int {
        try given.number("--partition", in: 1...8) ?? 1
    }

    private static func codeSource(_ given: ParsedArguments) throws(UsageError) -> Invocation.CodeSource {
        switch (given.value("--code-file"), given.has("--ask-code")) {
        case (.some, true): throw UsageError("choose one of --ask-code and --code-file", command: given.command)
        case (.some(let file), false): return .file(file)
        case (nil, true): return .terminal
        case (nil, false): return .configured
        }
    }

    private static func selection(_ given: ParsedArguments) throws(UsageError) -> EventsSelection {
        var selection = EventsSelection()
        selection.follow = given.has("--follow")
        if let text = given.value("--since") {
            guard let since = SinceText(text) else {
                throw UsageError(
                    "option '--since' takes 2h, 30min, 3d, 2026-11-21, 2026-11-21T06:00 or seconds since 1970",
                    command: given.command)
            }
            selection.since = since
        }
        if let text = given.value("--type") {
            for name in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let type = EventType(rawValue: String(name)) else {
                    let known = EventType.allCases.map(\.rawValue)
                    throw UsageError(
                        "option '--type' takes \(known.joined(separator: ", "))"
                            + UsageError.suggestion(for: String(name), among: known), command: given.command)
                }
                if !selection.types.contains(type) { selection.types.append(type) }
            }
        }
        selection.zone = try given.number("--zone", in: 1...64)
        selection.partition = try given.number("--partition", in: 1...8)
        selection.limit = try given.number("--limit", in: 1...1000)
        return selection
    }
}
