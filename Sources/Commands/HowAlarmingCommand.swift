import AlarmModel
import ApplianceCore
import Card
import CommandKit
import Daemon
import Glibc
import SerialConsole

/// The command line `howalarming …`.
package enum HowAlarmingCommand {
    /// Carries out a command line (without the program's name) and gives the exit status.
    package static func main(_ arguments: [String]) -> Int32 {
        // A reader that went away is an error of `write`, not the end of the process in the middle of something.
        signal(SIGPIPE, SIG_IGN)
        let console = Console()
        do {
            return perform(try parse(arguments), on: console)
        } catch {
            console.complain(error.description)
            return ExitStatus.usage
        }
    }

    private static func perform(_ invocation: Invocation, on console: Console) -> Int32 {
        switch invocation {
        case .run(let file, let state): return RunCommand(configurationFile: file, stateDirectory: state).run()
        case .check(let file, let json):
            let report = CheckCommand.report(file: file, format: json ? .json : .text)
            console.print(report.lines)
            return report.exitStatus
        case .status(let state, let json): return StatusCommand(stateDirectory: state, json: json).run(on: console)
        case .events(let selection, let state, let json):
            return EventsCommand(selection: selection, stateDirectory: state, json: json).run(on: console)
        case .panel(let state, let json): return PanelReportCommand(stateDirectory: state, json: json).run(on: console)
        case .links(let part, let state, let json):
            return LinksCommand(part: part, stateDirectory: state, json: json).run(on: console)
        case .trace(let state, let json): return TraceCommand(stateDirectory: state, json: json).run(on: console)
        case .order(let command, let code, let state):
            return OrderCommand(stateDirectory: state).run(command, code: code, on: console)
        case .keys(let source, let partition, let allowInstaller, let state):
            return OrderCommand(stateDirectory: state).runKeys(
                from: source, partition: partition, allowInstaller: allowInstaller, on: console)
        case .maintenance(let on, let state): return MaintenanceCommand(stateDirectory: state).run(on, on: console)
        case .people(let request, let showsAll, let state, let json):
            return PeopleCommand(stateDirectory: state, showsAll: showsAll, json: json).run(request, on: console)
        case .phones(.pair(let person, let roles, let noPresence), let state, _):
            return PairCommand(
                request: .pair(person: person, roles: roles, noPresence: noPresence), person: person,
                may: roles.names, stateDirectory: state
            ).run(on: console)
        case .phones(.pairContact(let request), let state, _):
            return PairCommand(
                request: .pairContact(request), person: request.person, may: request.allowed.map(\.rawValue),
                stateDirectory: state
            ).run(on: console)
        case .phones(.codes(let person), let state, _):
            return PairCommand(request: .codes(person: person), person: person, may: [], stateDirectory: state)
                .run(on: console)
        case .phones(let request, let state, let json):
            return PhonesCommand(stateDirectory: state, json: json).run(request, on: console)
        case .confirmPairing(let state):
            return PhonesCommand(stateDirectory: state, json: false).confirm(on: console)
        case .selfTest(let command): return command.run(on: console)
        case .support(let command): return command.run(on: console)
        case .replay(let command): return command.run(on: console)
        case .reboot(let state): return RebootCommand(stateDirectory: state).run(on: console)
        case .update(let command): return command.run(on: console)
        case .slot(let command): return command.run(on: console)
        case .bundle(let command): return command.run(on: console)
        case .backup(let file, let passphraseFile, let replace, let state):
            return BackupCommand(file: file, passphraseFile: passphraseFile, stateDirectory: state, replace: replace)
                .run(on: console)
        case .restore(let file, let passphraseFile, let replace, let state):
            return RestoreCommand(file: file, passphraseFile: passphraseFile, stateDirectory: state, replace: replace)
                .run(on: console)
        case .card(let command):
            let (lines, status) = command.run()
            console.print(lines)
            return status
        case .runHook(let directory, let listen):
            return HookCommand(directory: directory, listen: listen).run { console.complain($0) }
        case .runModemNetwork: return ModemNetworkCommand().run { console.complain($0) }
        case .console(let device, let state):
            return ConsoleCommand(device: device, stateDirectory: state).run(on: console)
        case .version(let json):
            console.print([VersionText.line(json: json)])
            return ExitStatus.done
        case .help(nil):
            console.print(HelpText.overview(CommandTable.all))
            return ExitStatus.done
        case .help(.some(let name)):
            guard let syntax = CommandTable.syntax(name) else { return ExitStatus.usage }
            console.print(HelpText.of(syntax))
            return ExitStatus.done
        }
    }
}
