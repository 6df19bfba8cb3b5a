import AlarmModel

/// What a message stanza means to the box.
enum XMPPIncoming: Codable, Equatable, Sendable {
    case text(Text)
    case receipt(from: String, id: String)
    case error(from: String?, id: String, condition: String, type: String)
    /// Rooms, headlines, copies of what others sent, our own, nothing to read.
    case ignored

    struct Text: Codable, Equatable, Sendable {
        var from: XMPPAddress
        /// As it came: an answer goes to the device that asked.
        var fullFrom: String
        var id: String?
        var body: String
        var wantsReceipt: Bool
        var delay: Delay?
    }

    enum Delay: Codable, Equatable, Sendable {
        case since(WallTime)
        /// The stamp cannot be read.
        case unknown
    }

    static let bodyLimit = 4096
    static let idLimit = 512

    init(_ message: XMLElement, own: String) {
        self = .ignored
        let type = message["type"] ?? "normal"
        if type == "error" {
            guard let id = message["id"] else { return }
            let error = message.child("error", in: XMPPNamespace.client)
            self = .error(
                from: message["from"].flatMap(XMPPAddress.init)?.bare, id: id,
                condition: XMPPStream.condition(of: message),
                type: error?["type"] ?? "")
            return
        }
        guard type == "chat" || type == "normal", let full = message["from"], let from = XMPPAddress(full),
            from.bare != own, !message.children.contains(where: { $0.namespace == XMPPNamespace.carbons }),
            (message["id"]?.utf8.count ?? 0) <= Self.idLimit
        else { return }
        if let received = message.child("received", in: XMPPNamespace.receipts), let id = received["id"] {
            self = .receipt(from: from.bare, id: id)
            return
        }
        guard let body = message.child("body", in: XMPPNamespace.client)?.text, !body.isEmpty,
            body.utf8.count <= Self.bodyLimit
        else { return }
        let delay = message.child("delay", in: XMPPNamespace.delay).map { delay in
            delay["stamp"].flatMap(XMPPStamp.time).map(Delay.since) ?? .unknown
        }
        self = .text(
            Text(
                from: from, fullFrom: full, id: message["id"], body: body,
                wantsReceipt: message.child("request", in: XMPPNamespace.receipts) != nil, delay: delay))
    }
}

/// Times as XMPP writes them (XEP-0082).
enum XMPPStamp {
    /// `2026-11-21T12:00:00.123Z`, or with an offset; nil for anything else.
    static func time(_ text: String) -> WallTime? {
        let bytes = Array(text.utf8)
        func number(_ start: Int, _ count: Int) -> Int? {
            guard start + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[start..<start + count] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 0x30)
            }
            return value
        }
        func stands(_ characters: String, at place: Int) -> Bool {
            place < bytes.count && characters.utf8.contains(bytes[place])
        }
        guard bytes.count <= 40, let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
            let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2), stands("-", at: 4),
            stands("-", at: 7), stands("Tt", at: 10), stands(":", at: 13), stands(":", at: 16),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var place = 19
        if stands(".", at: place) {
            place += 1
            while stands("0123456789", at: place) { place += 1 }
        }
        var offset = 0
        if stands("+-", at: place), stands(":", at: place + 3), let hours = number(place + 1, 2),
            let minutes = number(place + 4, 2), hours < 24, minutes < 60, place + 6 == bytes.count
        {
            offset = (hours * 60 + minutes) * (bytes[place] == UInt8(ascii: "-") ? -60 : 60)
        } else if !stands("Zz", at: place) || place + 1 != bytes.count {
            return nil
        }
        let days = days(year, month, day)
        return WallTime(milliseconds: Int64(days * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1000)
    }

    /// Since 1970-01-01, by the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years from March make the leap day the last.
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        let leaps = (years + 400) / 4 - (years + 400) / 100 + (years + 400) / 400
        return 365 * (years + 400) + leaps + (153 * months + 2) / 5 + day - 1 - 865_565
    }
}
