package import AlarmModel
import CommandKit
package import PanelLink
package import PhoneProtocol

/// The session report in words and as JSON.
package enum PanelText {
    package static func word(_ phase: SessionReport.Phase) -> String {
        switch phase {
        case .idle: "not started"
        case .waiting: "down, waiting for the next attempt"
        case .connecting: "connecting"
        case .loggingIn: "logging in"
        case .resynchronising: "logged in, waiting for the panel's status report"
        case .up: "up"
        case .stopped: "stopped"
        }
    }

    package static func lines(_ report: SessionReport, now: BootTime) -> [String] {
        var lines = ["Session     " + word(report.phase) + (report.since.map { " for \(Text.span(now - $0))" } ?? "")]
        if let problem = report.problem {
            lines += Text.wrapped(Text.printable(problem), width: 80, label: "Problem     ")
        }
        if let next = report.nextAttempt { lines.append("Next try    in \(Text.span(next - now))") }
        lines.append("Last line   " + (report.lastLineAt.map { "\(Text.span(now - $0)) ago" } ?? "none yet"))
        if let last = report.answerLast, let mean = report.answerMean, let max = report.answerMax {
            lines.append(
                "Answers     last \(Text.milliseconds(last)), mean \(Text.milliseconds(mean)), longest "
                    + Text.milliseconds(max))
        } else {
            lines.append("Answers     none in this session")
        }
        lines.append("Waiting     " + Text.count(report.waitingOrders, "command"))
        let counters = counters(report.counters).filter { $0.count > 0 }
        if !counters.isEmpty { lines += ["", "Counted since the daemon started:"] }
        return lines + counters.map { "  \(Text.padded($0.words, to: 40))\(Text.rightAligned("\($0.count)", to: 12))" }
    }

    /// Keys: `phase`, `for_s`, `next_attempt_in_s`, `problem`, `last_line_ago_s`, `answer_ms` (`last`, `mean`, `max`),
    /// `waiting_commands`, `counters` (all of them, zero or not). What is not known is null.
    package static func json(_ report: SessionReport, now: BootTime) -> JSON {
        func seconds(_ span: Duration?) -> JSON { span.map { .integer($0.components.seconds) } ?? .null }
        func milliseconds(_ span: Duration?) -> JSON {
            span.map { .number(Double($0.nanoseconds / 1000) / 1000) } ?? .null
        }
        return .object([
            "phase": .string(report.phase.rawValue), "for_s": seconds(report.since.map { now - $0 }),
            "next_attempt_in_s": seconds(report.nextAttempt.map { $0 - now }),
            "problem": report.problem.map(JSON.string) ?? .null,
            "last_line_ago_s": seconds(report.lastLineAt.map { now - $0 }),
            "answer_ms": .object([
                "last": milliseconds(report.answerLast), "mean": milliseconds(report.answerMean),
                "max": milliseconds(report.answerMax),
            ]),
            "waiting_commands": .integer(Int64(report.waitingOrders)),
            "counters": .object(
                counters(report.counters).map { JSON.Member(key: $0.key, value: .unsigned($0.count)) }),
        ])
    }

    private struct Counter {
        var key: String
        var words: String
        var count: UInt64
    }

    private static func counters(_ counted: PanelCounters) -> [Counter] {
        [
            Counter(key: "sessions", words: "sessions", count: counted.sessions),
            Counter(key: "connects", words: "connections made", count: counted.connects),
            Counter(key: "connect_failures", words: "connections failed", count: counted.connectFailures),
            Counter(key: "lines_received", words: "lines received", count: counted.linesReceived),
            Counter(key: "lines_sent", words: "lines sent", count: counted.linesSent),
            Counter(key: "bytes_received", words: "bytes received", count: counted.bytesReceived),
            Counter(key: "bytes_sent", words: "bytes sent", count: counted.bytesSent),
            Counter(key: "bad_checksum", words: "lines with a wrong checksum", count: counted.badChecksum),
            Counter(key: "overlong", words: "lines too long", count: counted.overlong),
            Counter(key: "malformed", words: "lines that are none (malformed)", count: counted.malformed),
            Counter(key: "unknown_code", words: "lines with an unknown code", count: counted.unknownCode),
            Counter(key: "wrong_data", words: "lines with data that does not fit", count: counted.wrongData),
            Counter(key: "unexpected_ack", words: "answers to nothing that was asked", count: counted.unexpectedAck),
            Counter(key: "command_errors", words: "command errors (501)", count: counted.commandErrors),
            Counter(key: "system_errors", words: "system errors (502)", count: counted.systemErrors),
            Counter(key: "retries", words: "commands sent again", count: counted.retries),
            Counter(key: "missed_answers", words: "answers missed", count: counted.missedAnswers),
        ]
    }
}
