import AlarmModel

/// One line for the service manager, told when it changes.
struct StatusLine: Codable, Equatable, Sendable {
    struct Facts {
        var panel: PanelLinkState
        /// nil: the store works.
        var storeProblem: String?
        /// Events that wait for a store that fails.
        var unstored: Int
        /// False: the operating system chooses the link.
        var hasLinks: Bool
        /// The one that carries.
        var activeLink: String?
        /// nil: none are configured.
        var areChannelsReady: Bool?
        /// Messages that wait.
        var unsent: Int
    }

    private var last = ""

    mutating func announce(_ facts: Facts, _ step: inout Step) {
        let panel =
            switch facts.panel {
            case .up: "panel up"
            case .resynchronising: "panel resynchronising"
            case .down: "panel down, its state is stale"
            }
        let storage = facts.storeProblem.map { "storage: \($0)" } ?? "storage good"
        let out = facts.hasLinks ? facts.activeLink.map { "; out by \($0)" } ?? "; NO LINK WORKS" : ""
        let phones = facts.areChannelsReady.map { $0 ? "; phones connected" : "; phones not connected" } ?? ""
        let line =
            "\(panel); \(storage)\(backlog(facts.unstored, "events are not stored"))\(out)\(phones)"
            + backlog(facts.unsent, "messages wait")
        guard line != last else { return }
        last = line
        step.effects.append(.notify(.status(line)))
    }

    /// In steps of ten, so that a busy hour does not fill the service manager's log.
    private func backlog(_ count: Int, _ what: String) -> String {
        switch count {
        case ..<10: ""
        case ..<100: "; more than 10 \(what)"
        case ..<1000: "; more than 100 \(what)"
        case _: "; more than 1000 \(what)"
        }
    }
}
