import PhoneProtocol

extension JSON {
    /// The value of a key; all values of HA2 messages are strings.
    func text(_ key: String) -> String? { self[key]?.stringValue }

    func number(_ key: String) -> Int? { Decimal.read(text(key)).flatMap { Int(exactly: $0) } }
}

extension HouseEvent {
    /// nil when it is no event.
    init?(_ content: JSON) {
        guard let type = content.text("type"), let code = content.text("code"), let raw = content.text("raw"),
            let timestamp = Decimal.read(content.text("timestamp"))
        else { return nil }
        var position: LogPosition?
        if content["seq"] != nil {
            position = LogPosition(log: content.text("log"), seq: content.text("seq"))
            guard position != nil else { return nil }
        }
        self.init(
            position: position, mark: content.text("u"), type: type, code: code, raw: raw,
            message: content.text("message") ?? "", timestamp: timestamp, partition: content.number("part"),
            zone: content.number("zone"), zoneName: content.text("zn"), kind: content.text("kind"),
            state: content.text("st"), recovers: Decimal.read(content.text("re")), command: content.text("cmd"),
            isRepeat: content.text("rp") == "1")
    }
}

extension BoxStatus {
    /// A week; what is above makes no sense.
    private static let longestHeartbeat: Int64 = 604_800

    /// nil when it is no status.
    init?(_ content: JSON) {
        guard let position = LogPosition(log: content.text("log"), seq: content.text("seq")),
            let now = Decimal.read(content.text("now")), let boot = Decimal.read(content.text("boot")),
            let up = Decimal.read(content.text("up"))
        else { return nil }
        let heartbeat = Decimal.read(content.text("hb")).flatMap { (1...Self.longestHeartbeat).contains($0) ? $0 : nil }
        self.init(
            position: position, state: content.text("st"), partition: content.number("part"), now: now, boot: boot,
            up: up, isStartUnstored: content.text("unstored") == "1", oldestKept: Decimal.read(content.text("from")),
            heartbeat: heartbeat,
            isPushGone: content.text("push") == "gone")
    }
}
