package import AlarmModel
import CommandKit

/// How a command ended, in words and as an exit status.
package enum OutcomeText {
    package static let notStored =
        "the record of this is not stored yet, because the store is failing; see \(Hint.status)"

    /// - Parameters:
    ///   - zones: give names to the open zones of "not ready"
    ///   - remedy: what to do about these; nil: what a shell can do
    package static func line(
        _ outcome: Outcome, of command: PanelCommand, zones: [ZoneState] = [], whenNotReady remedy: String? = nil
    ) -> String {
        let remedy = remedy ?? shellRemedy(command)
        return switch outcome {
        case .done: "done: \(command.summary)"
        case .refused(let reason): "refused: \(text(reason, zones, remedy))"
        case .failed(let reason): "failed: \(text(reason, zones, remedy))"
        case .notConfirmed:
            "not confirmed: the panel did not say that it did it; it may have happened, look with \(Hint.status)"
        case .expired: "expired: the panel could not be asked in time; nothing was done, try again"
        }
    }

    private static func shellRemedy(_ command: PanelCommand) -> String {
        guard case .arm(_, _, force: true) = command else { return "close or bypass them, or use --force" }
        return "the panel does not arm by force with these open: close them, or leave each out with "
            + "'howalarming bypass ZONE'"
    }

    /// What is so after an order that was done; nil where its line says it all.
    ///
    /// - Parameter panel: as it is then
    package static func afterwards(_ outcome: Outcome, of command: PanelCommand, _ panel: PanelState?) -> String? {
        guard case .done = outcome else { return nil }
        switch command {
        case .arm(let number, let mode, _):
            guard let partition = panel?.partitions.first(where: { $0.number == number }) else { return nil }
            let name = partition.name.map(Text.printable) ?? "Partition \(number)"
            var text = "\(name) is now: \(PartitionText.state(partition))"
            if mode == .away, case .exitDelay? = partition.status.current {
                text += ". Leave the house before it ends."
            }
            return text
        case .timers: return "'howalarming zones' shows what the module's timers prove of open and closed zones"
        case .disarm, .bypass, .panic, .output, .chime, .silence, .smokeReset, .setClock, .keys, .refresh: return nil
        }
    }

    private static func text(_ reason: Reason, _ zones: [ZoneState], _ remedy: String) -> String {
        guard case .notReady(let open) = reason, !open.isEmpty else { return Text.printable(reason.description) }
        let named = open.map { number in
            let name = zones.first { $0.number == number }?.name
            return name.map { "\(number) (\(Text.printable($0)))" } ?? "\(number)"
        }
        return "not ready: open zones \(named.joined(separator: ", ")); \(remedy)"
    }

    package static func status(_ outcome: Outcome) -> Int32 {
        switch outcome {
        case .done: ExitStatus.done
        case .refused, .failed, .expired: ExitStatus.failed
        case .notConfirmed: ExitStatus.notConfirmed
        }
    }
}
