import AlarmModel

/// How fast the demo's day goes. The daemon's clock is the real one: only delays and polls are shorter than in life.
struct DemoPace: Equatable, Sendable {
    /// Between two things that happen, so that people can follow.
    var rest: Duration
    var exitDelay: Duration
    /// Nothing waits for its end: long enough for a disarming in time even on a busy machine.
    var entryDelay: Duration
    var pollInterval: Duration
    var answerDeadline: Duration
    var reconnect: Duration

    /// Longer than anybody is given to disarm: no alarm of the demo ends by itself.
    static let bellTime = Duration.minutes(6)

    static let leisurely = DemoPace(
        rest: .milliseconds(1100), exitDelay: .seconds(3), entryDelay: .seconds(30),
        pollInterval: .seconds(2), answerDeadline: .seconds(1), reconnect: .milliseconds(500))
    static let fast = DemoPace(
        rest: .milliseconds(60), exitDelay: .seconds(2), entryDelay: .seconds(30),
        pollInterval: .seconds(1), answerDeadline: .milliseconds(500),
        reconnect: .milliseconds(200))

    /// `3`, `0.4`
    static func seconds(_ span: Duration) -> String {
        let tenths = span.milliseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
