import AlarmModel

/// One probing of a link: a question to its name servers and a connect to each target, side by side. The first target
/// that answers decides it as good; no target by the deadline, or all refused before, as failed.
struct ProbePass: Codable, Equatable, Sendable {
    enum Names: Codable, Equatable, Sendable {
        case notAsked, waiting, answered, silent
    }

    var start: BootTime
    var deadline: BootTime
    /// Connects that are under way.
    var connects: [ConnectionID] = []
    var asked = 0
    var answered = 0
    var question: ResolveID?
    var names = Names.notAsked
    /// Its result is counted; what is still under way is only waited for to tell which target is silent.
    var isDecided = false

    var isOver: Bool { isDecided && connects.isEmpty && names != .waiting }
}
