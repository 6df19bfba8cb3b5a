package import AlarmModel
package struct Session: Codable, Hashable, Sendable {
    package init(settings: PanelSettings, known: PanelState, seed: UInt64) { state = known }
    package var state: PanelState
    package var nextDeadline: BootTime? { nil }
    package func report(at now: Moment) -> SessionReport { SessionReport(phase: .idle, counters: PanelCounters(), waitingOrders: 0) }
    package mutating func start(at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func stop(at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func connected(at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func connectFailed(_ f: DialFailure, at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func received(_ b: [UInt8], at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func closed(_ e: ConnectionEnd, at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func timerFired(at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func submit(_ o: PanelOrder, at now: Moment, into actions: inout [PanelAction]) {}
    package mutating func reconfigure(_ s: PanelSettings, at now: Moment, into actions: inout [PanelAction]) {}
}
