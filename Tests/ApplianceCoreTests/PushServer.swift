import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol

/// The push service's half of the exchange of docs/push.md A.3 and A.6, as small as it can be.
struct PushServer {
    enum Answer {
        case ack
        case silence
        case nack(String)
    }

    /// A message that the box has handed over.
    struct Push {
        var json: JSON
        var at: Moment
        var connection: ConnectionID
        /// Its row was on the disk by then.
        var wasStored: Bool

        var id: String { json["message_id"]?.stringValue ?? "" }
        var to: String { json["to"]?.stringValue ?? "" }
        var data: JSON { json["data"] ?? .null }
        var isSealed: Bool { data["e"] != nil }
        /// Sealed bytes.
        var bytes: [UInt8]? { data["e"]?.stringValue.flatMap { try? Base64URL.decode($0) } }
    }

    private struct Line {
        var id: ConnectionID
        var reader = XMLReader()
        var openings = 0
        var isReady = false
    }

    var isUp = true
    var answer = Answer.ack
    /// Tokens that nobody has any more.
    var unregistered: [String] = []
    var canonical: [(old: String, new: String)] = []
    /// Said at the next login, before the word that the session stands.
    var saysBeforeReady: [UInt8] = []
    /// In the order of the wire.
    private(set) var pushes: [Push] = []
    /// Ids of upstream messages that the box has acknowledged.
    private(set) var acknowledged: [String] = []
    private var lines: [Line] = []
    private(set) var logins = 0

    var current: ConnectionID? { lines.last { $0.isReady }?.id }

    private static let header =
        "<stream:stream from='gcm.googleapis.com' id='1' version='1.0' "
        + "xmlns:stream='\(XMPPNamespace.streams)' xmlns='\(XMPPNamespace.client)'>"
    private static let mechanisms =
        "<stream:features><mechanisms xmlns='\(XMPPNamespace.sasl)'><mechanism>PLAIN</mechanism></mechanisms>"
        + "</stream:features>"
    private static let features =
        "<stream:features><bind xmlns='\(XMPPNamespace.bind)'/><session xmlns='\(XMPPNamespace.session)'/>"
        + "</stream:features>"

    mutating func opened(_ id: ConnectionID) -> [Input] {
        guard isUp else { return [.closed(id, .refused)] }
        lines.append(Line(id: id))
        return [.connected(id)]
    }

    mutating func closed(_ id: ConnectionID) { lines.removeAll { $0.id == id } }

    /// Every connection ends: with a word, or like a cut cable.
    mutating func end(gracefully: Bool) -> [Input] {
        defer { lines = [] }
        return lines.flatMap { line -> [Input] in
            gracefully
                ? [.received(line.id, Array("</stream:stream>".utf8)), .closed(line.id, .finished)]
                : [.closed(line.id, .reset)]
        }
    }

    mutating func received(
        _ id: ConnectionID, _ bytes: [UInt8], at now: Moment, isStored: (String) -> Bool
    ) -> [Input] {
        guard let index = lines.firstIndex(where: { $0.id == id }) else { return [] }
        lines[index].reader.append(bytes)
        var text = ""
        while let event = lines[index].reader.next() {
            switch event {
            case .opened:
                lines[index].openings += 1
                text += Self.header + (lines[index].openings == 1 ? Self.mechanisms : Self.features)
            case .element(let element): text += reply(to: element, index, at: now, isStored)
            case .closed: text += "</stream:stream>"
            case .failed(let error): preconditionFailure("the box wrote what is no XML: \(error)")
            }
        }
        return text.isEmpty ? [] : [.received(id, Array(text.utf8))]
    }

    private mutating func reply(
        to element: XMLElement, _ index: Int, at now: Moment, _ isStored: (String) -> Bool
    ) -> String {
        if element.isNamed("auth", in: XMPPNamespace.sasl) {
            lines[index].reader.restart()
            return "<success xmlns='\(XMPPNamespace.sasl)'/>"
        }
        if element.isNamed("iq", in: XMPPNamespace.client) {
            let id = element["id"] ?? ""
            if element.child("bind", in: XMPPNamespace.bind) != nil {
                return "<iq id='\(id)' type='result'><bind xmlns='\(XMPPNamespace.bind)'>"
                    + "<jid>1@gcm.googleapis.com/R</jid></bind></iq>"
            }
            var early = ""
            if element.child("session", in: XMPPNamespace.session) != nil {
                lines[index].isReady = true
                logins += 1
                early = String(decoding: saysBeforeReady, as: UTF8.self)
                saysBeforeReady = []
            }
            return early + "<iq id='\(id)' type='result'/>"
        }
        guard let content = element.child("gcm", in: CCSStanza.namespace)?.text,
            let json = try? JSON(parsing: content)
        else { preconditionFailure("the box wrote something that the service does not know") }
        if json["message_type"]?.stringValue == "ack" {
            acknowledged.append(json["message_id"]?.stringValue ?? "")
            return ""
        }
        let push = Push(
            json: json, at: now, connection: lines[index].id,
            wasStored: isStored(json["message_id"]?.stringValue ?? ""))
        pushes.append(push)
        return verdict(on: push)
    }

    private func verdict(on push: Push) -> String {
        if unregistered.contains(push.to) { return Self.nack(push, "DEVICE_UNREGISTERED") }
        switch answer {
        case .silence: return ""
        case .nack(let error): return Self.nack(push, error)
        case .ack:
            return Self.message(
                .object([
                    "message_type": .string("ack"), "from": .string(push.to), "message_id": .string(push.id),
                    "registration_id": canonical.first { $0.old == push.to }.map { .string($0.new) },
                ]))
        }
    }

    private static func nack(_ push: Push, _ error: String) -> String {
        message(
            .object([
                "message_type": .string("nack"), "from": .string(push.to), "message_id": .string(push.id),
                "error": .string(error), "error_description": .string("why"),
            ]))
    }

    static func message(_ json: JSON) -> String {
        let content = XMLElement("gcm", namespace: CCSStanza.namespace, text: json.text)
        return String(
            decoding: XMPPStream.bytes(
                of: XMLElement("message", namespace: XMPPNamespace.client, children: [content])), as: UTF8.self)
    }

    /// What the service hands to the box for an app.
    static func upstream(_ id: String, from token: String, _ data: JSON) -> [UInt8] {
        Array(
            message(
                .object([
                    "category": .string("com.example"), "from": .string(token), "message_id": .string(id),
                    "data": data,
                ])
            ).utf8)
    }

    static func receipt(of message: String, token: String) -> [UInt8] {
        Array(
            Self.message(
                .object([
                    "message_type": .string("receipt"), "from": .string("gcm.googleapis.com"),
                    "message_id": .string("dr2:\(message)"), "category": .string("com.example"),
                    "data": .object([
                        "message_status": .string("MESSAGE_SENT_TO_DEVICE"),
                        "original_message_id": .string(message), "device_registration_id": .string(token),
                    ]),
                ])
            ).utf8)
    }
}
