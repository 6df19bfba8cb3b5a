import AlarmModel
import PhoneLink
import PhoneProtocol

/// A way for tests of the runner: a line with the message's id goes out, the same line comes back.
struct EchoTransport: Transport {
    var target: DialTarget
    /// Asks for encryption after the greeting.
    var upgradesAs: String?
    var authorityFile: String?
    var connection: ConnectionID?
    var isReady = false
    var underWay: [MessageID] = []
    var deadline: BootTime?
    var ticks = 0
    var input = ""
    var answer: TransportAnswer?

    var room: TransportRoom { isReady ? TransportRoom(alarm: 10, other: 10) : .none }
    var health: TransportHealth { TransportHealth(phase: isReady ? .ready : .connecting, underWay: underWay.count) }
    var nextDeadline: BootTime? { deadline }

    mutating func start(at now: Moment, into actions: inout [TransportAction]) {
        deadline = now.boot + .milliseconds(30)
        actions.append(.compute(TransportJobID(1), .random(4)))
        actions.append(.connect(DialSlot(0), target))
    }
    mutating func stop(at now: Moment, into actions: inout [TransportAction]) {
        if let connection { actions.append(.close(connection)) }
        actions.append(.returned(underWay))
        underWay = []
        isReady = false
    }
    mutating func deliver(_ delivery: Delivery, at now: Moment, into actions: inout [TransportAction]) -> Bool {
        guard isReady, let connection else { return false }
        underWay.append(delivery.message)
        actions.append(.send(connection, Array("\(delivery.message)\n".utf8)))
        return true
    }
    mutating func connected(
        _ connection: ConnectionID, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        self.connection = connection
        if let upgradesAs {
            actions.append(.upgrade(connection, serverName: upgradesAs, authorityFile: authorityFile))
        } else {
            ready(&actions)
        }
    }
    mutating func secured(_ connection: ConnectionID, at now: Moment, into actions: inout [TransportAction]) {
        ready(&actions)
    }
    private mutating func ready(_ actions: inout [TransportAction]) {
        isReady = true
        actions.append(.ready)
    }
    mutating func connectFailed(
        _ failure: ConnectFailure, slot: DialSlot, at now: Moment, into actions: inout [TransportAction]
    ) {
        actions.append(.problem(TransportProblem(.unreachable, "\(failure)")))
    }
    mutating func received(
        _ connection: ConnectionID, _ bytes: [UInt8], at now: Moment, into actions: inout [TransportAction]
    ) {
        input += String(decoding: bytes, as: UTF8.self)
        while let end = input.firstIndex(of: "\n") {
            let line = String(input[..<end])
            input.removeSubrange(...end)
            if let index = underWay.firstIndex(of: MessageID(line)) {
                actions.append(.accepted(underWay.remove(at: index), canonical: nil))
            } else {
                actions.append(.inbound(InboundMessage(channel: .ntfy, from: "peer", id: line, body: .text(line))))
            }
        }
    }
    mutating func closed(
        _ connection: ConnectionID, _ end: ConnectionEnd, at now: Moment, into actions: inout [TransportAction]
    ) {
        isReady = false
        self.connection = nil
        if !underWay.isEmpty { actions.append(.returned(underWay)) }
        underWay = []
        actions.append(.problem(TransportProblem(.lost(nil), "\(end)")))
    }
    mutating func computed(
        _ job: TransportJobID, _ answer: TransportAnswer, at now: Moment, into actions: inout [TransportAction]
    ) { self.answer = answer }
    mutating func timerFired(at now: Moment, into actions: inout [TransportAction]) {
        ticks += 1
        deadline = nil
    }
    mutating func setUrgent(_ isUrgent: Bool, at now: Moment) {}
    mutating func networkChanged(at now: Moment, into actions: inout [TransportAction]) {}
}
