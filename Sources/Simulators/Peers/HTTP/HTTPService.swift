package import AlarmModel

/// A simulated service that speaks HTTP: a machine without I/O, which a mount gives connections, bytes and time.
package protocol HTTPService: Sendable {
    var nextDeadline: BootTime? { get }
    mutating func accepted(
        _ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction])
    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [HTTPServiceAction])
    mutating func closed(_ id: ConnectionID, at now: Moment, into actions: inout [HTTPServiceAction])
    mutating func timerFired(at now: Moment, into actions: inout [HTTPServiceAction])
}

/// What a simulated service orders.
package enum HTTPServiceAction: Equatable, Sendable {
    case send(ConnectionID, [UInt8])
    /// An end in good order, after what was sent.
    case close(ConnectionID)
    case reset(ConnectionID)
    /// Whether newcomers are accepted or refused by the machine's port.
    case listen(Bool)
    /// What newcomers are shown in TLS handshakes.
    case certificate(PushSimulator.Certificate)
    /// For a trace: a line about what happened, without secrets.
    case trace(String)
}
