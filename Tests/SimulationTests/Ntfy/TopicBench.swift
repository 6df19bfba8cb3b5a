import AlarmModel
import PhoneLink
import PhoneProtocol
import Simulators

/// The transport and a simulated topic server on a network without delay, and a clock that goes by deadlines only.
final class TopicBench {
    var channel: NtfyTransport
    var server: NtfySimulator
    var now = Moment(boot: .zero + .seconds(1000), wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
    /// What the transport told; orders to the network left out.
    var told: [TransportAction] = []
    var orders: [TransportAction] = []
    private var open: [ConnectionID] = []
    private var nextConnection: UInt64 = 1
    private var listens = true
    /// Bytes from the server arrive in pieces of this size.
    var pieces = Int.max
    /// Connections are answered, or nothing happens.
    var dials = true

    init(_ settings: NtfySettings = NtfySettings(host: "topics.test"), seed: UInt64 = 1) {
        channel = NtfyTransport(settings: settings, seed: seed)
        server = NtfySimulator(seed: seed)
    }

    func step(_ body: (inout NtfyTransport, Moment, inout [TransportAction]) -> Void) {
        var actions: [TransportAction] = []
        body(&channel, now, &actions)
        carryOut(actions)
    }

    func serve(_ body: (inout NtfySimulator, Moment, inout [HTTPServiceAction]) -> Void) {
        var actions: [HTTPServiceAction] = []
        body(&server, now, &actions)
        for action in actions { carryOut(action) }
    }

    func perform(_ stimulus: NtfyStimulus) { serve { $0.perform(stimulus, at: $1, into: &$2) } }

    func start(listeningTo topics: [String] = []) {
        step { $0.start(at: $1, into: &$2) }
        if !topics.isEmpty { listen(topics) }
    }

    func listen(_ topics: [String]) { step { $0.listen(to: topics, at: $1, into: &$2) } }

    @discardableResult func deliver(_ delivery: Delivery) -> Bool {
        var isTaken = false
        step { isTaken = $0.deliver(delivery, at: $1, into: &$2) }
        return isTaken
    }

    private func carryOut(_ actions: [TransportAction]) {
        for action in actions {
            switch action {
            case .connect(let slot, _):
                orders.append(action)
                guard dials else { continue }
                guard listens else {
                    step { $0.connectFailed(.dial(.unreachable(.refused)), slot: slot, at: $1, into: &$2) }
                    continue
                }
                let id = ConnectionID(nextConnection)
                nextConnection += 1
                open.append(id)
                serve { $0.accepted(id, at: $1, into: &$2) }
                step { $0.connected(id, slot: slot, at: $1, into: &$2) }
            case .send(let id, let bytes):
                orders.append(action)
                if open.contains(id) { serve { $0.received(id, bytes, at: $1, into: &$2) } }
            case .close(let id):
                open.removeAll { $0 == id }
                serve { $0.closed(id, at: $1, into: &$2) }
            case .cancelConnect: orders.append(action)
            default: told.append(action)
            }
        }
    }

    private func carryOut(_ action: HTTPServiceAction) {
        switch action {
        case .send(let id, let bytes):
            var rest = bytes[...]
            while !rest.isEmpty, open.contains(id) {
                let piece = Array(rest.prefix(pieces))
                rest = rest.dropFirst(piece.count)
                step { $0.received(id, piece, at: $1, into: &$2) }
            }
        case .close(let id): end(id, .finished)
        case .reset(let id): end(id, .reset)
        case .listen(let isOn): listens = isOn
        case .certificate, .trace: break
        }
    }

    private func end(_ id: ConnectionID, _ end: ConnectionEnd) {
        guard open.contains(id) else { return }
        open.removeAll { $0 == id }
        step { $0.closed(id, end, at: $1, into: &$2) }
    }

    /// Lets time pass, from deadline to deadline.
    func pass(_ span: Duration) {
        let goal = now.boot + span
        while let due = [channel.nextDeadline, server.nextDeadline].compactMap({ $0 }).min(), due <= goal {
            advance(to: max(due, now.boot))
            if let due = channel.nextDeadline, due <= now.boot { step { $0.timerFired(at: $1, into: &$2) } }
            if let due = server.nextDeadline, due <= now.boot { serve { $0.timerFired(at: $1, into: &$2) } }
        }
        advance(to: goal)
    }

    private func advance(to boot: BootTime) {
        now.wall = now.wall + (boot - now.boot)
        now.boot = boot
    }

    // MARK: What was told

    var inbound: [InboundMessage] {
        told.compactMap {
            if case .inbound(let message) = $0 { return message }
            return nil
        }
    }
    var accepted: [String] {
        told.compactMap {
            if case .accepted(let id, _) = $0 { return id.text }
            return nil
        }
    }
    var returned: [String] {
        told.flatMap { action -> [String] in
            if case .returned(let ids) = action { return ids.map(\.text) }
            return []
        }
    }
    var refusals: [Refusal] {
        told.compactMap {
            if case .refused(_, let refusal) = $0 { return refusal }
            return nil
        }
    }
    var problem: String { channel.health.problem?.description ?? "" }
}

extension Delivery {
    static func words(
        _ id: String, topic: String = "topics.test/alerts", text: String = "Window kitchen", title: String = "Alarm",
        subject: NoticeSubject = .otherAlarm, priority: PriorityClass = .alarm, buttons: [Notice.Button] = [],
        commandToken: Secret? = nil
    ) -> Delivery {
        let notice = Notice(
            title: title, text: text, subject: subject, time: WallTime(milliseconds: 0), buttons: buttons)
        let address = DeliveryAddress(
            .phone(.topic), topic, commandTopic: "topics.test/commands", commandToken: commandToken)
        return Delivery(
            message: MessageID(id), address: address, content: .words(notice), priority: priority, timeToLive: 3600)
    }
}
