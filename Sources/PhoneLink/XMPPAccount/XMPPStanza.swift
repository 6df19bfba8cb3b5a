import AlarmModel
import PhoneProtocol

/// What the box says on its account.
enum XMPPStanza {
    /// A message for a person or an app of ours; nil for what the channel does not carry.
    static func message(_ delivery: Delivery, to address: XMPPAddress) -> XMLElement? {
        let body: String
        switch delivery.content {
        case .words(let notice):
            body = notice.text.isEmpty ? notice.title : notice.title + "\n" + notice.text
        case .sealed(let bytes), .frame(let bytes): body = Base64URL.encode(bytes)
        case .legacy, .event, .report: return nil
        }
        let id = delivery.message.text
        var children = [
            XMLElement("body", namespace: XMPPNamespace.client, text: body),
            XMLElement("origin-id", namespace: XMPPNamespace.stanzaIDs, attributes: [XMLAttribute("id", id)]),
            XMLElement(delivery.timeToLive > 0 ? "store" : "no-store", namespace: XMPPNamespace.hints),
        ]
        if delivery.wantsReceipt { children.append(XMLElement("request", namespace: XMPPNamespace.receipts)) }
        return chat(to: address.bare, id: id, children)
    }

    static func receipt(for id: String, to: String, own: String) -> XMLElement {
        let received = XMLElement("received", namespace: XMPPNamespace.receipts, attributes: [XMLAttribute("id", id)])
        return chat(to: to, id: own, [received])
    }

    static func presence(_ status: String) -> XMLElement {
        XMLElement(
            "presence", namespace: XMPPNamespace.client,
            children: [XMLElement("status", namespace: XMPPNamespace.client, text: status)])
    }

    static func presence(type: String, to: String? = nil) -> XMLElement {
        var attributes = [XMLAttribute("type", type)]
        if let to { attributes.insert(XMLAttribute("to", to), at: 0) }
        return XMLElement("presence", namespace: XMPPNamespace.client, attributes: attributes)
    }

    private static func chat(to: String, id: String, _ children: [XMLElement]) -> XMLElement {
        XMLElement(
            "message", namespace: XMPPNamespace.client,
            attributes: [XMLAttribute("to", to), XMLAttribute("id", id), XMLAttribute("type", "chat")],
            children: children)
    }

    /// What contacts see beside the box's name. Who is away is told only if that is wanted; duress never is.
    static func status(_ house: HousePicture, showsArming: Bool) -> String {
        guard house.state.link != .down else { return "no connection to the alarm panel" }
        var alarms: [String] = []
        var states: [String] = []
        for number in house.partitions {
            guard let status = house.state.partition(number)?.shownStatus.current else { continue }
            let name = house.names.partition(number) ?? "partition \(number)"
            if case .alarm = status { alarms.append(name) }
            if let word = word(status) { states.append("\(name): \(word)") }
        }
        if !alarms.isEmpty { return bounded("ALARM: " + alarms.joined(separator: ", ")) }
        return showsArming && !states.isEmpty ? bounded(states.joined(separator: ", ")) : "watching"
    }

    private static func word(_ status: PartitionStatus) -> String? {
        switch status {
        case .disarmed, .ready, .readyForce: "disarmed"
        case .notReady: "not ready"
        case .exitDelay: "exit delay"
        case .armed(let mode): mode == .stay || mode == .zeroEntryStay ? "armed stay" : "armed"
        case .entryDelay: "entry delay"
        case .alarm: "ALARM"
        case .notEnabled: nil
        }
    }

    private static func bounded(_ text: String) -> String { text.count > 200 ? text.prefix(200) + "…" : text }
}
