import AlarmModel

/// What was told last about what is wrong with a way.
struct ToldProblem: Codable, Hashable, Sendable {
    private(set) var current: TransportProblem?

    /// A problem that changed is told, and logged unless the owner does it.
    mutating func tell(
        _ problem: TransportProblem?, isLogged: Bool = true, into actions: inout [TransportAction]
    ) {
        guard problem != current else { return }
        current = problem
        actions.append(.problem(problem))
        if isLogged, let problem { actions.append(.log(LogEntry(.warning, problem.description))) }
    }
}
