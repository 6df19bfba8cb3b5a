import ApplianceCore
import CommandKit
import Daemon
import PhoneProtocol
import Reports

/// `people`: who is told.
struct PeopleCommand {
    var stateDirectory: String
    var showsAll: Bool
    var json: Bool

    func run(_ request: PeopleRequest, on console: Console) -> Int32 {
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

/// A question that the core answers whether a daemon runs or not.
enum CoreQuestion {
    static func ask(_ request: ControlRequest, in stateDirectory: String) throws(DaemonLinkError) -> ControlReply {
        do throws(DaemonLinkError) {
            return try DaemonLink.ask(request, in: stateDirectory)
        } catch {
            guard error.isNoDaemon, !needsDaemon(request) else { throw error }
            do {
                return try OfflineCore.answer(request, stateDirectory: stateDirectory)
            } catch let failure {
                return .error("\(failure)")
            }
        }
    }

    /// What is more than a change of the phone book, or a look at it.
    static func needsDaemon(_ request: ControlRequest) -> Bool {
        switch request {
        case .people: false
        case .phones(let request):
            switch request {
            case .list, .rename, .role, .revoke, .lift, .codesOff, .approve, .disapprove: false
            case .pair, .pairContact, .codes, .allow, .confirm, .cancelPairing, .test, .dead, .seen: true
            }
        case .status, .events, .panel, .links, .trace, .command, .maintenance, .console, .reboot, .update: true
        }
    }
}
