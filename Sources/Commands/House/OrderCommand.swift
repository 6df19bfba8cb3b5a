import AlarmModel
import ApplianceCore
import CommandKit
import Reports

/// The commands that act on the house.
struct OrderCommand {
    var stateDirectory: String

    /// The daemon's own deadlines end every command long before.
    private static let patience = Duration.minutes(5)
    /// After it, a person is told what is waited for.
    private static let silence = Duration.seconds(3)

    func run(_ command: PanelCommand, code source: Invocation.CodeSource, on console: Console) -> Int32 {
        do {
            let code = try code(from: source)
            return send(command, code: code, on: console)
        } catch {
            console.complain(error.description)
            return ExitStatus.failed
        }
    }

    func runKeys(
        from source: Invocation.KeysSource, partition: Int, allowInstaller: Bool, on console: Console
    ) -> Int32 {
        do throws(SecretInputError) {
            let keys =
                switch source {
                case .terminal: try SecretInput.terminal("Keys")
                case .standardInput: try SecretInput.standardInput()
                }
            guard Self.areKeys(keys) else {
                console.complain("keys are 1 to 64 of 0-9 * #; nothing was sent")
                return ExitStatus.failed
            }
            return send(
                .keys(partition: partition, keys: keys, allowInstaller: allowInstaller), code: nil, on: console)
        } catch {
            console.complain(error.description)
            return ExitStatus.failed
        }
    }

    static func areKeys(_ keys: Secret) -> Bool {
        let bytes = keys.revealed.utf8
        return (1...64).contains(bytes.count)
            && bytes.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "#") }
    }

    private func code(from source: Invocation.CodeSource) throws(CodeError) -> Secret? {
        let code: Secret
        do throws(SecretInputError) {
            switch source {
            case .configured: return nil
            case .terminal: code = try SecretInput.terminal("User code")
            case .file(let path): code = try SecretInput.file(path)
            }
        } catch {
            throw .input(error)
        }
        let digits = code.revealed.utf8
        guard (4...6).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else { throw .notACode }
        return code
    }

    private enum CodeError: Error, CustomStringConvertible {
        case input(SecretInputError)
        case notACode

        var description: String {
            switch self {
            case .input(let error): error.description
            case .notACode: "a user code has 4 to 6 digits; nothing was sent"
            }
        }
    }

    private func send(_ command: PanelCommand, code: Secret?, on console: Console) -> Int32 {
        let link: DaemonLink
        do throws(DaemonLinkError) {
            link = try DaemonLink(stateDirectory: stateDirectory)
        } catch {
            console.complain(error.description)
            return error.status
        }
        do throws(DaemonLinkError) {
            try link.send(.command(command, code: code))
            let reply = try answer(from: link, on: console)
            guard case .outcome(let outcome, let stored) = reply else {
                guard case .error(let why) = reply else { throw .unexpected }
                console.complain(Text.printable(why))
                return ExitStatus.failed
            }
            console.print([OutcomeText.line(outcome, of: command, zones: zones(for: outcome, link))])
            if !stored { console.complain(OutcomeText.notStored) }
            return OutcomeText.status(outcome)
        } catch {
            // The request may have arrived: nobody knows what became of it.
            console.complain("\(error); the command may have been carried out, look with 'howalarming status'")
            return ExitStatus.notConfirmed
        }
    }

    private func answer(from link: DaemonLink, on console: Console) throws(DaemonLinkError) -> ControlReply {
        do throws(DaemonLinkError) {
            return try link.receive(within: Self.silence)
        } catch {
            guard error.isTimeOut else { throw error }
            console.complain("waiting for the panel (Ctrl-C ends the waiting, not the command)")
            return try link.receive(within: Self.patience)
        }
    }

    /// The zones with their names, where the outcome tells only numbers.
    private func zones(for outcome: Outcome, _ link: DaemonLink) -> [ZoneState] {
        guard case .notReady? = outcome.reason, case .status(let report)? = try? link.ask(.status) else { return [] }
        return report.panel.zones
    }
}
