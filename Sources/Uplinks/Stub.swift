package import AlarmModel
package struct Dialer: Codable, Hashable, Sendable {
    package enum Action { case resolve(ResolveID, String, Link), open(ConnectionID, Endpoint, Link), close(ConnectionID), connected(ConnectionID), failed(DialFailure), remember(RememberedAddress) }
    package init(seed: UInt64) {}
    package var nextDeadline: BootTime? { nil }
    package mutating func dial(name: String, port: UInt16, link: Link, remembered: [RememberedAddress], at now: Moment, into: inout [Action]) {}
    package mutating func cancel(at now: Moment, into: inout [Action]) {}
    package mutating func resolved(_ id: ResolveID, _ r: Resolution, at now: Moment, into: inout [Action]) {}
    package mutating func opened(_ c: ConnectionID, at now: Moment, into: inout [Action]) {}
    package mutating func openFailed(_ c: ConnectionID, _ e: ConnectionEnd, at now: Moment, into: inout [Action]) {}
    package mutating func timerFired(at now: Moment, into: inout [Action]) {}
}
