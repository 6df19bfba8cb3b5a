package import AlarmModel
package import Simulators

/// What a `PanelServer` mounts: a panel that lives, or a recorded session that is played.
package enum PanelMachine: Sendable {
    case panel(PanelSimulator)
    case transcript(TranscriptPlayer)

    package var nextDeadline: BootTime? {
        switch self {
        case .panel(let panel): panel.nextDeadline
        case .transcript(let player): player.nextDeadline
        }
    }

    mutating func accepted(
        _ client: ConnectionID, at now: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        change {
            $0.accepted(client, at: now, into: &actions)
        } player: {
            $0.accepted(client, at: now, into: &actions)
        }
    }

    mutating func received(
        _ client: ConnectionID, _ bytes: [UInt8], at now: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        change {
            $0.received(client, bytes, at: now, into: &actions)
        } player: {
            $0.received(client, bytes, at: now, into: &actions)
        }
    }

    mutating func closed(
        _ client: ConnectionID, why: ConnectionEnd, at now: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        change {
            $0.closed(client, why: why, at: now, into: &actions)
        } player: {
            $0.closed(client, at: now, into: &actions)
        }
    }

    mutating func timerFired(at now: BootTime, into actions: inout [PanelSimulator.Action]) {
        change {
            $0.timerFired(at: now, into: &actions)
        } player: {
            $0.timerFired(at: now, into: &actions)
        }
    }

    /// Nothing happens to a transcript but what it says.
    mutating func perform(
        _ stimulus: PanelSimulator.Stimulus, at now: BootTime, into actions: inout [PanelSimulator.Action]
    ) {
        change {
            $0.perform(stimulus, at: now, into: &actions)
        } player: { _ in
        }
    }

    private mutating func change(
        _ panel: (inout PanelSimulator) -> Void, player: (inout TranscriptPlayer) -> Void
    ) {
        switch self {
        case .panel(var machine):
            // The machine is moved out and in again, so that it is not copied.
            self = .transcript(Self.nothing)
            panel(&machine)
            self = .panel(machine)
        case .transcript(var machine):
            player(&machine)
            self = .transcript(machine)
        }
    }

    private static let nothing: TranscriptPlayer = {
        do throws(TranscriptError) {
            return TranscriptPlayer(try Transcript(parsing: ""))
        } catch {
            preconditionFailure("an empty text is a transcript without steps")
        }
    }()
}
