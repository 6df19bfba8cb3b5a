import AlarmModel

/// Who sees the status of the box is what its server has written down: somebody who was taken from the list while there
/// was no connection is still there.
extension XMPPTransport {
    /// After a connection is ready, so that nothing else has to wait for it.
    static var rosterDelay: Duration { .seconds(5) }
    /// Others are found in the next session.
    private static var watcherLimit: Int { 200 }

    mutating func askForRoster(at now: Moment, into actions: inout [TransportAction]) {
        connection?.hasAskedForRoster = true
        drive(at: now, into: &actions) { stream, orders in stream.askForRoster(into: &orders) }
    }

    mutating func receivedRoster(_ answer: XMLElement, at now: Moment, into actions: inout [TransportAction]) {
        guard isRosterDue, answer["type"] == "result" else { return }
        isRosterDue = false
        let items = answer.child("query", in: XMPPNamespace.roster)?.children ?? []
        let theirs = items.filter { item in
            let subscription = item["subscription"]
            return subscription == "from" || subscription == "both"
        }
        watchers = theirs.prefix(Self.watcherLimit).compactMap { $0["jid"].flatMap(XMPPAddress.init)?.bare }
        shutOut(at: now, into: &actions)
    }

    /// Once it is known who may see the box, nobody else does.
    mutating func shutOut(at now: Moment, into actions: inout [TransportAction]) {
        guard let admitted else { return }
        let strangers = watchers.filter { !admitted.contains($0) }
        watchers = []
        for jid in strangers { send(XMPPStanza.presence(type: "unsubscribed", to: jid), at: now, into: &actions) }
    }
}
