import AlarmModel

/// A connection between the box and a peer in the simulated network. TCP keeps the order: nothing arrives before what was
/// sent before.
struct SimulatedWire: Equatable, Sendable {
    /// The core's name of it, and of which run.
    var connection: ConnectionID
    var run: Int
    /// The peer's name of it, unique over all runs.
    var peer: ConnectionID
    var isOpen = false
    var isPaused = false
    var held: [[UInt8]] = []
    var lastToPeer = BootTime.zero
    var lastToBox = BootTime.zero
    /// When its encryption stood.
    var since = BootTime.zero
}
