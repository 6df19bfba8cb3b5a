package import AlarmModel

extension Session {
    /// What `howalarming panel` shows.
    package func report(at now: Moment) -> SessionReport {
        var report = SessionReport(phase: phase.reported, counters: counters, waitingOrders: queue.waitingOrders)
        report.since = phaseSince
        if case .waiting(let until) = phase { report.nextAttempt = until }
        report.problem = problem?.sentence
        report.answerLast = latency.last
        report.answerMean = latency.mean
        report.answerMax = latency.largest
        report.lastLineAt = lastLineAt
        return report
    }

    /// The report's `problem`, for somebody at a terminal who begins each try himself.
    package var problemOfOneTry: String? { problem?.sentenceOfOneTry }
}
