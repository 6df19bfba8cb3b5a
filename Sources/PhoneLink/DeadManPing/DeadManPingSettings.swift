import AlarmModel

/// A service outside that raises an alert when it is not asked for in time.
package struct DeadManPingSettings: Codable, Equatable, Sendable {
    /// Who is asked.
    package let origin: HTTPOrigin
    /// Path and query: whoever knows them can speak for this box.
    let target: Secret
    package var interval: Duration
    package var client = HTTPClientSettings()
    /// Between attempts while none succeeds; doubles up to the interval.
    package var retryAfter = Duration.seconds(60)

    package init(_ url: HTTPURL, every interval: Duration, authorityFile: String? = nil) {
        origin = url.origin(authorityFile: authorityFile)
        target = Secret(url.target)
        self.interval = interval
    }

    /// For problems and logs: without path and query.
    package var place: String { PeerText.printable(origin.description, limit: 100) }
}
