import AlarmModel
import PhoneLink

extension NtfySettings {
    /// A server that wants a token.
    static let testing = NtfySettings(host: "t.test", access: .token(Secret("tk_secret")))
}

extension Delivery {
    static func topic(
        _ id: String, at topic: String = "t.test/alerts", content: DeliveryContent? = nil,
        priority: PriorityClass = .alarm
    ) -> Delivery {
        let notice = Notice(title: "Alarm", text: "Hall", subject: .otherAlarm, time: WallTime(milliseconds: 0))
        return Delivery(
            message: MessageID(id), address: DeliveryAddress(.phone(.topic), topic), content: content ?? .words(notice),
            priority: priority, timeToLive: 60)
    }
}

extension ChannelBench where Channel == NtfyTransport {
    static var streamSlot: Int { 1 }

    convenience init(_ settings: NtfySettings) { self.init(NtfyTransport(settings: settings, seed: 1)) }

    /// It takes messages, over the first connection; what was ordered until then is forgotten.
    static func ready(_ settings: NtfySettings = .testing) -> ChannelBench {
        let bench = ChannelBench(settings)
        bench.start()
        bench.connect()
        bench.answer(200, "{\"healthy\":true}")
        _ = bench.take()
        return bench
    }

    /// The stream stands, too, on the newest connection.
    static func listening(to topics: [String], date: String? = nil) -> ChannelBench {
        let bench = ready()
        bench.listen(topics)
        bench.connect(slot: streamSlot)
        bench.say("HTTP/1.1 200 OK\r\n" + (date.map { "Date: \($0)\r\n" } ?? "") + "\r\n")
        _ = bench.take()
        return bench
    }

    /// On the newest connection unless another is named.
    func answer(_ status: Int, _ body: String = "", fields: [String] = [], on id: ConnectionID? = nil) {
        let more = fields.map { "\($0)\r\n" }.joined()
        say("HTTP/1.1 \(status) Word\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)", on: id)
    }

    func listen(_ topics: [String]) { channel.listen(to: topics, at: now, into: &actions) }

    func line(_ text: String) { say(text + "\n") }

    func line(_ id: String, time: Int, topic: String = "commands", text: String) {
        line("{\"id\":\"\(id)\",\"time\":\(time),\"event\":\"message\",\"topic\":\"\(topic)\",\"message\":\"\(text)\"}")
    }
}

extension [TransportAction] {
    var inboundTexts: [String] {
        compactMap { action in
            if case .inbound(let message) = action, case .text(let text) = message.body { text } else { nil }
        }
    }
    var logWords: [String] { compactMap { if case .log(let entry) = $0 { entry.message } else { nil } } }
    /// The slots for which a connection was ordered.
    var dialed: [Int] { compactMap { if case .connect(let slot, _) = $0 { slot.number } else { nil } } }
}
