package import AlarmModel

/// What happens to a simulated panel, as text: one statement per line.
///
///     # remark
///     AT 10s open 3            ten seconds after the start
///     IN 2s close 3            two seconds after the statement above
///     keypad 1 arm away user 40      at the time of the statement above
///
/// The verbs without a time are what a control port takes (`parseStimulus`).
package struct PanelScript: Codable, Equatable, Sendable {
    package struct Statement: Codable, Equatable, Sendable {
        /// Since the start of the script.
        package var time: Duration
        package var stimulus: PanelSimulator.Stimulus
        /// In the text, from 1.
        package var line: Int
    }

    /// In time order; at the same time in the order of the text.
    package let statements: [Statement]

    package init(parsing text: String) throws(ScriptError) {
        var found: [Statement] = []
        var time = Duration.zero
        var number = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            var words = ScriptWords(line, line: number)
            guard let first = words.next?.lowercased() else { continue }
            if first == "at" || first == "in" {
                words.skip()
                let span = try words.duration()
                guard span >= .zero else { throw words.error(.notDuration("\(line)")) }
                time = first == "at" ? span : time + span
            }
            let stimulus = try Self.stimulus(&words)
            found.append(Statement(time: time, stimulus: stimulus, line: number))
        }
        statements = found.sorted { ($0.time, $0.line) < ($1.time, $1.line) }
    }

    /// One verb with its words, without a time.
    package static func parseStimulus(_ line: String) throws(ScriptError) -> PanelSimulator.Stimulus {
        var words = ScriptWords(line[...], line: 1)
        return try stimulus(&words)
    }

    /// A script on its way; the mount performs what is due.
    package struct Run: Codable, Equatable, Sendable {
        private let start: BootTime
        private var remaining: [Statement]

        package init(_ script: PanelScript, start: BootTime) {
            self.start = start
            remaining = script.statements.reversed()
        }

        /// nil: the script is at its end.
        package var nextDeadline: BootTime? { remaining.last.map { start + $0.time } }

        /// The statements whose time has come, each once.
        package mutating func due(at time: BootTime) -> [Statement] {
            var result: [Statement] = []
            while let statement = remaining.last, start + statement.time <= time {
                result.append(statement)
                remaining.removeLast()
            }
            return result
        }
    }
}
