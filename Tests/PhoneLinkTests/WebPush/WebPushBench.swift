import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

/// The channel to push services with a shell that computes what a test says.
final class WebPushBench {
    let bench: ChannelBench<WebPushTransport>
    static let key = [4] + [UInt8](repeating: 7, count: 64)
    static let point = Base64URL.encode([4] + [UInt8](repeating: 5, count: 64))
    static let secret = Base64URL.encode([UInt8](repeating: 3, count: 16))

    static func subscription(_ endpoint: String = "https://fcm.googleapis.com/fcm/send/abc:def") -> String {
        #"{"endpoint":"\#(endpoint)","p256dh":"\#(point)","auth":"\#(secret)"}"#
    }

    static var settings: WebPushSettings {
        var settings = WebPushSettings(
            contact: "mailto:anna@example.org", appURL: try? HTTPURL("https://alarm.example.org/app/"))
        settings.laboratory = [.init(host: "localhost", port: 8443)]
        return settings
    }

    init(_ settings: WebPushSettings = WebPushBench.settings, isReady: Bool = true) {
        bench = ChannelBench(WebPushTransport(settings: settings, seed: 1))
        bench.start()
        guard isReady else { return }
        computed(1, .bytes(Self.key))
        _ = bench.take()
    }

    func computed(_ job: UInt64, _ answer: TransportAnswer) {
        bench.channel.computed(TransportJobID(job), answer, at: bench.now, into: &bench.actions)
    }

    static func notice(_ text: String = "Kitchen window: Ground floor, armed away.") -> ShownWords {
        ShownWords(
            Notice(
                title: "Mill: ALARM", text: text, subject: .burglary, time: WallTime(milliseconds: 1_795_262_400_000)),
            in: .german)
    }

    static func delivery(
        _ id: String, to address: String = subscription(), _ priority: PriorityClass = .alarm,
        _ words: ShownWords? = notice(), envelope: Int = 512, timeToLive: Int = 3600
    ) -> Delivery {
        var delivery = Delivery(
            message: MessageID(id), address: DeliveryAddress(.phone(.webPush), address),
            content: .sealed([UInt8](repeating: 2, count: envelope)), priority: priority, timeToLive: timeToLive)
        delivery.shown = words
        return delivery
    }

    /// Answers whatever is computed, the way it is asked for.
    func compute() {
        while true {
            let jobs = bench.actions.compactMap { action -> (TransportJobID, TransportJob)? in
                if case .compute(let id, let job) = action { (id, job) } else { nil }
            }
            bench.actions.removeAll { if case .compute = $0 { true } else { false } }
            if jobs.isEmpty { return }
            for (id, job) in jobs {
                switch job {
                case .sealPush(_, _, _, let size): computed(id.number, .bytes([UInt8](repeating: 0x78, count: size)))
                case .signPush: computed(id.number, .bytes([UInt8](repeating: 9, count: 64)))
                default: computed(id.number, .failed("not asked for"))
                }
            }
        }
    }

    /// Taken, computed, and on its way over a connection that stands.
    func send(_ delivery: Delivery, slot: Int = 0) -> String {
        #expect(bench.deliver(delivery))
        compute()
        if bench.actions.connects > 0 { bench.connect(slot: slot) }
        return bench.take().text
    }

    func answer(_ status: Int, _ fields: String = "") {
        bench.say("HTTP/1.1 \(status) X\r\n\(fields)Content-Length: 0\r\n\r\n")
    }
}
