package import AlarmModel

/// What the dialer orders or reports.
package enum DialAction: Codable, Equatable, Sendable {
    /// Ask the name servers of this link; answered by `resolved`.
    case resolve(ResolveID, name: String, Link)
    /// Answered by `opened` or `openFailed`.
    case open(ConnectionID, Endpoint, Link)
    /// Give up the attempt; nothing that is heard of it later counts.
    case close(ConnectionID)
    /// Keep it for when DNS is dead: of this name the last good address.
    case remember(RememberedAddress)
    /// The dial is over; the connection belongs to who dialed.
    case connected(ConnectionID)
    /// The dial is over without a connection.
    case failed(DialFailure)
}
