/// How patient a client is and what it holds.
package struct HTTPClientSettings: Codable, Equatable, Sendable {
    /// From a request's being sent until its whole answer.
    package var deadline = Duration.seconds(15)
    /// For an attempt to connect; the dialer has shorter limits of its own.
    package var connectPatience = Duration.seconds(60)
    /// A connection that does nothing for so long is closed; servers do it after a minute or so.
    package var idleTime = Duration.seconds(50)
    /// Requests that wait or are under way.
    package var queueLimit = 32
    package var limits = HTTPResponseReader.Limits()

    package init() {}
}
