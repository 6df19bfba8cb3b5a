import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

/// A transport, a clock and a scripted broker.
struct MQTTBench {
    static let settings = MQTTSettings(
        host: "broker.example", user: "alarm", password: Secret("s3cret"), site: "home", deviceName: "House")

    var transport: MQTTTransport
    var now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_700_000_000_000), isWallTrusted: true)
    var actions: [TransportAction] = []
    var connection = ConnectionID(1)
    /// What the broker speaks.
    var version = MQTTVersion.v5
    /// What the broker reads.
    private var ear = MQTTReader(version: .v5)

    init(_ settings: MQTTSettings = Self.settings) { transport = MQTTTransport(settings: settings, seed: 1) }

    /// Logged in, and nothing to be taken.
    static func ready(
        _ settings: MQTTSettings = Self.settings, house: HousePicture? = nil, version: MQTTVersion = .v5,
        _ connack: MQTTConnack = MQTTConnack(reason: 0)
    ) -> MQTTBench {
        var settings = settings
        settings.protocolVersion = version == .v5 ? .v5 : .v311
        var bench = MQTTBench(settings)
        bench.version = version
        if let house { bench.change(house) }
        bench.start()
        bench.connect()
        bench.say(.connack(connack))
        bench.acknowledgeAll()
        bench.wait(.seconds(2))
        bench.acknowledgeAll()
        bench.actions = []
        return bench
    }

    mutating func start() { transport.start(at: now, into: &actions) }

    mutating func connect() {
        ear = MQTTReader(version: version)
        transport.connected(connection, slot: DialSlot(0), at: now, into: &actions)
    }

    mutating func say(_ packets: MQTTPacket...) {
        for packet in packets { bytes(packet.bytes(version)) }
    }

    mutating func bytes(_ bytes: [UInt8]) { transport.received(connection, bytes, at: now, into: &actions) }

    mutating func change(_ house: HousePicture) { transport.houseChanged(house, at: now, into: &actions) }

    mutating func end(_ end: ConnectionEnd = .reset) {
        transport.closed(connection, end, at: now, into: &actions)
        connection = ConnectionID(connection.number + 1)
    }

    @discardableResult
    mutating func deliver(
        _ id: String, _ priority: PriorityClass = .alarm, timeToLive: Int = 0, isAnswer: Bool = false
    ) -> Bool {
        let delivery = Delivery(
            message: MessageID(id), address: DeliveryAddress(.house(.broker), "howalarming/home"),
            content: .event(.object(["id": .string(id)]), type: "alarm"), priority: priority, timeToLive: timeToLive,
            isAnswer: isAnswer)
        return transport.deliver(delivery, at: now, into: &actions)
    }

    /// Lets time pass, with the deadlines that fall into it.
    mutating func wait(_ span: Duration) {
        let end = now.boot + span
        var turns = 0
        while let next = transport.nextDeadline, next <= end, turns < 10_000 {
            turns += 1
            go(to: max(next, now.boot))
            transport.timerFired(at: now, into: &actions)
        }
        go(to: end)
    }

    private mutating func go(to boot: BootTime) {
        now.wall = now.wall + (boot - now.boot)
        now.boot = boot
    }

    /// The broker acknowledges all that it gets.
    @discardableResult
    mutating func acknowledgeAll() -> [MQTTPublish] {
        var out: [MQTTPublish] = []
        while true {
            let publishes = publishes()
            if publishes.isEmpty { return out }
            out += publishes
            for publish in publishes { if let id = publish.id { say(.puback(MQTTAnswer(id: id))) } }
        }
    }

    /// The same, as far as it is messages.
    mutating func publishes() -> [MQTTPublish] {
        packets().compactMap { packet in
            if case .publish(let publish) = packet { return publish } else { return nil }
        }
    }

    /// What the broker got since it was asked last.
    mutating func packets() -> [MQTTPacket] {
        var out: [MQTTPacket] = []
        for case .send(connection, let bytes) in actions {
            ear.append(bytes)
            while let event = ear.next() {
                if case .packet(let packet) = event {
                    out.append(packet)
                } else {
                    Issue.record("the broker read \(event)")
                }
            }
        }
        actions.removeAll { action in
            if case .send = action { return true }
            return false
        }
        return out
    }

    /// Everything but logs and what was sent, since it was taken last.
    mutating func take() -> [TransportAction] {
        defer { actions = [] }
        return actions.filter { action in
            switch action {
            case .log, .send: false
            default: true
            }
        }
    }

    mutating func logs() -> [String] {
        actions.compactMap { action in
            if case .log(let entry) = action { return entry.message } else { return nil }
        }
    }

    /// What is to be kept, as text; the broker acknowledges it.
    mutating func kept() -> [String: String] {
        var out: [String: String] = [:]
        for publish in acknowledgeAll() where publish.isRetained {
            out[publish.topic] = String(decoding: publish.payload, as: UTF8.self)
        }
        return out
    }
}
