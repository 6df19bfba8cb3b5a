/// A machine of the core that has something to tell others.
protocol Machine {
    associatedtype Action
    /// What others have to do or to know, in order; empty between steps.
    var actions: [Action] { get set }
}

extension Machine {
    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }
}
