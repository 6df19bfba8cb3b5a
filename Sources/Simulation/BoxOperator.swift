import AlarmModel
import ApplianceCore

/// Somebody at the box: follows the events, types commands, and remembers what he was told.
struct BoxOperator: Equatable, Sendable {
    struct OpenRequest: Equatable, Sendable {
        var client: ConnectionID
        var request: ControlRequest
        var since: BootTime
        var outcome: Outcome?
    }

    static let follower = Appliance.firstClient
    private(set) var seen = SequenceNumber.zero
    private(set) var openRequests: [OpenRequest] = []
    private var nextClient = Appliance.firstClient.number + 1
    private var heardCount: [UInt64] = [0]

    /// The daemon is new: what it owed us is lost with it.
    mutating func reconnect(run: Int) {
        openRequests.removeAll { $0.outcome == nil }
        heardCount = [0]
        nextClient = Appliance.firstClient.number + 1
    }

    mutating func begin(_ request: ControlRequest, at now: BootTime) -> ConnectionID? {
        let client = ConnectionID(nextClient)
        nextClient += 1
        heardCount.append(0)
        openRequests.append(OpenRequest(client: client, request: request, since: now))
        if openRequests.count > 64 { openRequests.removeFirst() }
        return client
    }

    mutating func heard(_ reply: ControlReply, on client: ConnectionID) -> UInt64 {
        let index = Int(client.number - Self.follower.number)
        guard heardCount.indices.contains(index) else { return 0 }
        heardCount[index] += 1
        if case .maintenance = reply { openRequests.removeAll { $0.client == client } }
        if Self.isFinal(reply) { openRequests.removeAll { $0.client == client } }
        return heardCount[index]
    }

    /// The request has its answer.
    static func isFinal(_ reply: ControlReply) -> Bool {
        switch reply {
        case .error, .changed, .people, .phones, .deadMessages, .console: true
        case .pairing(let progress):
            switch progress {
            case .paired, .codesOn, .ended: true
            case .ready, .subscribe, .codeSent, .heard, .wrongCode, .codesReady: false
            }
        case .status, .events, .endOfEvents, .unstored, .panel, .links, .trace, .outcome, .maintenance: false
        }
    }

    /// What the follower is shown is on the disk, in order and without gaps.
    mutating func followed(_ events: [StoredEvent], disk: SimulatedDisk, from here: Standpoint) throws(Violation) {
        for event in events {
            let firstKept = disk.rows.first?.seq ?? seen.next
            let expected = max(seen.next, seen < firstKept ? min(firstKept, event.seq) : seen.next)
            guard event.seq == expected || event.seq > seen.next && event.seq <= firstKept else {
                throw here.broken(.numbersHaveNoGaps, "follower saw \(event.seq.number) after \(seen.number)")
            }
            seen = event.seq
        }
    }

    mutating func ended(
        _ client: ConnectionID, _ outcome: Outcome, stored: Bool, from here: Standpoint
    ) throws(Violation) {
        guard let index = openRequests.firstIndex(where: { $0.client == client }) else {
            throw here.broken(.oneOutcome, "outcome \(outcome) on client \(client.number) that asked nothing")
        }
        guard openRequests[index].outcome == nil else {
            throw here.broken(.oneOutcome, "second outcome \(outcome) of \(openRequests[index].request)")
        }
        openRequests[index].outcome = outcome
        openRequests.remove(at: index)
    }
}
