package import AlarmModel
import PhoneLink
import Uplinks

/// What `status` shows of telephone calls.
package struct CallsReport: Codable, Equatable, Sendable {
    /// The provider, without path and query, which are often secrets; or `the modem`.
    package var place: String
    /// Who is called, in the order of the configuration.
    package var names: [String]
    /// A pressed key is heard of.
    package var hasKeys: Bool
    /// Alarms that nobody has confirmed yet.
    package var waiting: Int
    /// When the provider took a call last.
    package var lastTaken: WallTime?
    /// Why the last call was not taken; nil: it was, or there was none.
    package var problem: String?

    package init(
        place: String, names: [String], hasKeys: Bool, waiting: Int = 0, lastTaken: WallTime? = nil,
        problem: String? = nil
    ) {
        self.place = place
        self.names = names
        self.hasKeys = hasKeys
        self.waiting = waiting
        self.lastTaken = lastTaken
        self.problem = problem
    }
}

extension LastResort {
    func callsReport(_ step: Step) -> CallsReport? {
        guard let settings = step.configuration.calls else { return nil }
        return CallsReport(
            place: settings.provider?.place ?? "the modem", names: settings.people.map(\.name),
            hasKeys: settings.hasKeys, waiting: waitingCount(.calls), lastTaken: lastCall,
            problem: callProblem)
    }
}
