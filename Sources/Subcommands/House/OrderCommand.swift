import AlarmModel
import ApplianceCore
import CommandKit
import Reports

/// The commands that act on the house: `arm`, `disarm` … An order is sent, and its outcome waited for.
struct OrderCommand: Command, Equatable {
    /// With number 1 where a name stands for it.
    var order: PanelCommand
    var zone: HouseName?
    var partition: HouseName?
    var code = CodeSource.configured
    var stateDirectory: String

    /// Where a user code comes from; never from the arguments, which every user of the machine can read.
    enum CodeSource: Equatable, Sendable {
        /// The daemon takes the one of its configuration.
        case configured
        case terminal
        case file(String)
    }

    /// The daemon's own deadlines end every command long before.
    private static let patience = Duration.minutes(5)
    /// After it, a person is told what is waited for.
    private static let quiet = Duration.seconds(3)

    func run(on console: Console) -> Int32 {
        do {
            return Self.send(try named(), code: try asked(), in: stateDirectory, on: console)
        } catch let error as DaemonLinkError {
            console.complain(error.description)
            return error.status
        } catch {
            console.complain("\(error)")
            return ExitStatus.failed
        }
    }

    /// The order with numbers in the place of names, which the daemon knows.
    private func named() throws -> PanelCommand {
        guard [zone, partition].contains(where: { if case .name? = $0 { true } else { false } }) else { return order }
        let panel: PanelState = try DaemonLink.ask(.status, in: stateDirectory).answer {
            if case .status(let report) = $0 { report.panel } else { nil }
        }
        var order = order
        if let zone {
            let known = panel.zones.compactMap { zone in zone.name.map { (zone.number, $0) } }
            order = order.of(zone: try zone.number("zone", among: known))
        }
        if let partition {
            let known = panel.partitions.compactMap { partition in partition.name.map { (partition.number, $0) } }
            order = order.of(partition: try partition.number("partition", among: known))
        }
        return order
    }

    private func asked() throws(CodeError) -> Secret? {
        let given: Secret
        do throws(SecretInputError) {
            switch code {
            case .configured: return nil
            case .terminal: given = try SecretInput.terminal("User code")
            case .file(let path): given = try SecretInput.file(path)
            }
        } catch {
            throw .input(error)
        }
        let digits = given.revealed.utf8
        guard (4...6).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }) else { throw .notACode }
        return given
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

    static func send(
        _ command: PanelCommand, code: Secret?, in stateDirectory: String, on console: Console
    ) -> Int32 {
        let link: DaemonLink
        do throws(DaemonLinkError) {
            link = try DaemonLink(stateDirectory: stateDirectory)
        } catch {
            console.complain(error.description)
            return error.status
        }
        do throws(DaemonLinkError) {
            try link.send(.command(command, code: code))
            let reply = try answer(from: link, in: stateDirectory, on: console)
            guard case .outcome(let outcome, let stored) = reply else {
                guard case .error(let why) = reply else { throw .unexpected }
                console.complain(Text.printable(why))
                return ExitStatus.failed
            }
            let panel = panel(after: outcome, of: command, link)
            console.print([OutcomeText.line(outcome, of: command, zones: panel?.zones ?? [])])
            if let more = OutcomeText.afterwards(outcome, of: command, panel) { console.print([more]) }
            if !stored { console.complain(OutcomeText.notStored) }
            return OutcomeText.status(outcome)
        } catch {
            // The request may have arrived: nobody knows what became of it.
            console.complain("\(error); the command may have been carried out, look with 'howalarming status'")
            return ExitStatus.notConfirmed
        }
    }

    private static func answer(
        from link: DaemonLink, in stateDirectory: String, on console: Console
    ) throws(DaemonLinkError) -> ControlReply {
        do throws(DaemonLinkError) {
            return try link.receive(within: quiet)
        } catch {
            guard error.isTimeOut else { throw error }
            // On a connection of its own: on this one the outcome comes.
            var status: StatusReport?
            if case .status(let report)? = try? DaemonLink.ask(.status, in: stateDirectory) { status = report }
            console.complain(waiting(status?.panel.link ?? .up, problem: status?.panelProblem))
            return try link.receive(within: patience)
        }
    }

    /// What somebody reads who has waited for a while.
    static func waiting(_ link: PanelLinkState, problem: String?) -> String {
        let end = "(Ctrl-C ends the waiting, not the command)"
        switch link {
        case .up, .resynchronising: return "waiting for the panel \(end)"
        case .down:
            let why = problem.map { ": \(Text.printable($0))" } ?? ""
            return "the panel is not connected\(why). The order waits a little for it \(end)"
        }
    }

    /// How the house is, where the outcome tells only numbers of zones, or not what comes next.
    private static func panel(after outcome: Outcome, of command: PanelCommand, _ link: DaemonLink) -> PanelState? {
        let isAsked: Bool
        if case .notReady? = outcome.reason {
            isAsked = true
        } else if case .arm = command {
            isAsked = true
        } else {
            isAsked = false
        }
        guard isAsked, case .status(let report)? = try? link.ask(.status) else { return nil }
        return report.panel
    }
}

extension OrderCommand.CodeSource {
    init(_ given: ParsedArguments) throws(UsageError) {
        switch (given.value("--code-file"), given.has("--ask-code")) {
        case (.some, true): throw given.misuse("choose one of --ask-code and --code-file")
        case (.some(let file), false): self = .file(file)
        case (nil, true): self = .terminal
        case (nil, false): self = .configured
        }
    }
}

extension CommandSyntax {
    static let partition = "--partition N  partition 1 to 8, or its name (1)"
}
