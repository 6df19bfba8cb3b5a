import AlarmModel
import ApplianceCore
import CommandKit
import Daemon
import EventStore
import Glibc
import PhoneProtocol
import Reports

/// `people`: who is told.
struct PeopleCommand: Command, Equatable {
    var request: PeopleRequest
    /// With the marks of duress contacts.
    var showsAll = false
    var stateDirectory: String
    var json = false

    func run(on console: Console) -> Int32 {
        do throws(DaemonLinkError) {
            let reply = try CoreQuestion.ask(.people(request), in: stateDirectory)
            if case .people(let people) = reply {
                let text = PeopleText(people: people, showsDuress: showsAll)
                console.print(json ? text.json : text.lines)
            } else if case .changed(let what) = reply {
                console.print([Text.printable(what)])
            } else {
                throw reply.misfit
            }
            return ExitStatus.done
        } catch {
            console.complain(error.description)
            return error.status
        }
    }
}

extension PeopleCommand {
    private static let whileStopped = " Works while the daemon is stopped, too."
    private static let options = """
        --receives CLASS,…  alarm, fault, state, info
        --language LL       en (English) or de (German)
        --duress yes|no     is told of duress, as nobody else is
        """

    static let entry = CommandEntry(
        "people", in: .phones, brief: "who is told",
        """
        The people of the house: who they are, in which language they are told, and of what. Alarms go to everybody.

        howalarming people add Anna
        howalarming people list
        """,
        parts: [
            part(
                "people list", brief: "everybody, and their phones",
                """
                Lists the people with their phones. With --all it shows a mark for whoever is told of duress; nothing
                else in the house does.\(whileStopped)

                \(CommandSyntax.json)
                --all  with the marks of duress contacts

                howalarming people list
                """
            ) { _ in .list },
            part(
                "people add", "NAME", brief: "a person",
                """
                Adds a person, who is told of alarms, faults and arming, in English, unless said
                otherwise.\(whileStopped)

                \(options)

                howalarming people add Anna --language de
                """
            ) { given throws(UsageError) in .add(name: try given.name(0), try change(given)) },
            part(
                "people set", "NAME", brief: "what a person is told",
                """
                Changes what a person is told, and in which language. Alarms go to everybody.\(whileStopped)

                \(options)

                howalarming people set Anna --receives alarm,fault
                """
            ) { given throws(UsageError) in
                let change = try change(given)
                guard change != PersonChange() else {
                    throw given.misuse("nothing is to be changed: give --receives, --language or --duress")
                }
                return .set(name: try given.name(0), change)
            },
            part(
                "people rename", "OLD NEW", brief: "another name",
                """
                Gives a person another name.\(whileStopped)

                howalarming people rename Ana Anna
                """
            ) { given throws(UsageError) in .rename(from: try given.name(0), to: try given.name(1)) },
            part(
                "people remove", "NAME", brief: "a person without phones",
                """
                Removes a person. Revoke the person's phones first.\(whileStopped)

                howalarming people remove Ben
                """
            ) { given throws(UsageError) in .remove(name: try given.name(0)) },
        ])

    private static func part(
        _ name: String, _ operands: String = "", brief: String, _ text: String,
        request: @escaping @Sendable (ParsedArguments) throws(UsageError) -> PeopleRequest
    ) -> CommandEntry {
        CommandEntry(name, operands, in: .phones, brief: brief, text) { given throws(UsageError) in
            PeopleCommand(
                request: try request(given), showsAll: given.has("--all"), stateDirectory: given.stateDirectory,
                json: given.json)
        }
    }

    private static func change(_ given: ParsedArguments) throws(UsageError) -> PersonChange {
        let language = try given.read("--language", "en or de") { NoticeLanguage(rawValue: $0)?.rawValue }
        let isDuressContact = try given.read("--duress", "yes or no") { ["yes": true, "no": false][$0] }
        let receives = try given.value("--receives").map { text throws(UsageError) in
            let known = PriorityClass.allCases.map(\.name)
            let chosen = try given.words(text, of: "option '--receives'", known: known)
            return PriorityClass.withAlarm(PriorityClass.allCases.filter { chosen.contains($0.name) })
        }
        return PersonChange(language: language, isDuressContact: isDuressContact, receives: receives)
    }
}

/// A question that the core answers whether a daemon runs or not.
enum CoreQuestion {
    static func ask(_ request: ControlRequest, in stateDirectory: String) throws(DaemonLinkError) -> ControlReply {
        do throws(DaemonLinkError) {
            return try DaemonLink.ask(request, in: stateDirectory)
        } catch {
            guard error.isNoDaemon, !needsDaemon(request) else { throw error }
            // A look makes no state where there is none: what it showed would be another house, and empty.
            let isThere = access("\(stateDirectory)/\(Journal.fileName)", F_OK) == 0
            guard isThere || !isLook(request) else {
                return .error(
                    "there is no state in \(stateDirectory); name that of your daemon with --state DIR, or set "
                        + "HOWALARMING_STATE")
            }
            do {
                return try OfflineCore.answer(request, stateDirectory: stateDirectory)
            } catch let failure {
                return .error("\(failure)")
            }
        }
    }

    private static func isLook(_ request: ControlRequest) -> Bool {
        switch request {
        case .people(.list), .phones(.list): true
        case .people, .phones, .status, .events, .panel, .links, .trace, .command, .maintenance, .console, .reboot,
            .update, .updates, .stick, .forgetPictures:
            false
        }
    }

    /// What is more than a change of the phone book, or a look at it.
    static func needsDaemon(_ request: ControlRequest) -> Bool {
        switch request {
        case .people: false
        case .phones(let request):
            switch request {
            case .list, .rename, .role, .revoke, .lift, .codesOff, .approve, .disapprove: false
            case .pair, .pairContact, .codes, .allow, .confirm, .cancelPairing, .test, .testAlarm, .dead, .seen: true
            }
        case .status, .events, .panel, .links, .trace, .command, .maintenance, .console, .reboot, .update, .updates,
            .stick, .forgetPictures:
            true
        }
    }
}
