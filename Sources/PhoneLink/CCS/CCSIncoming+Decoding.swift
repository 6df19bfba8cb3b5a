import AlarmModel
package import PhoneProtocol

extension CCSIncoming {
    /// Longest address and id that are kept for an acknowledgement.
    static let addressBytes = 4096
    static let idBytes = 512
    /// Of the peer's words; whoever prints them cuts them further.
    static let textBytes = 2000

    package init(_ stanza: XMLElement) {
        guard stanza.isNamed("message", in: XMPPNamespace.client) else {
            self = .rejected(.foreignStanza)
            return
        }
        // Before the content: an error stanza repeats what we sent.
        if stanza["type"] == "error" {
            self = Self.errorStanza(stanza)
            return
        }
        guard let content = stanza.child("gcm", in: CCSStanza.namespace) else {
            self = .rejected(.foreignStanza)
            return
        }
        let json = try? JSON(parsing: content.text)
        guard let json, json.objectValue != nil else {
            self = .rejected(.notJSON)
            return
        }
        self.init(json)
    }

    /// The content: decided by its type alone, every other field may be missing.
    package init(_ json: JSON) {
        let id = Self.identifier(json["message_id"])
        switch json["message_type"]?.stringValue {
        case "ack":
            let canonical = json["registration_id"]?.stringValue
            self = .ack(id.map { MessageID($0) }, canonical: canonical.flatMap { Self.bounded($0, Self.addressBytes) })
        case "nack":
            let error = CCSError(code: json["error"]?.stringValue ?? "")
            let text = json["error_description"]?.stringValue ?? json["error"]?.stringValue ?? ""
            self = .nack(id.map { MessageID($0) }, error, text: PeerText.printable(text, limit: Self.textBytes))
        case "receipt": self = Self.receipt(json, id)
        case "control":
            let isDraining = json["control_type"]?.stringValue == "CONNECTION_DRAINING"
            self = isDraining ? .draining : .rejected(.unknownControl)
        case nil where json["message_type"] == nil: self = Self.inbound(json, id)
        default: self = .rejected(.unknownType)
        }
    }

    private static func inbound(_ json: JSON, _ id: String?) -> CCSIncoming {
        guard let id, let from = json["from"]?.stringValue.flatMap({ bounded($0, addressBytes) }) else {
            return .rejected(.missingField)
        }
        let category = json["category"]?.stringValue.flatMap { bounded($0, idBytes) }
        return .inbound(from: from, messageID: id, category: category, data: json["data"] ?? .object([]))
    }

    private static func receipt(_ json: JSON, _ id: String?) -> CCSIncoming {
        guard let id else { return .rejected(.missingField) }
        let data = json["data"] ?? .null
        var original = identifier(data["original_message_id"])
        if original == nil, id.hasPrefix("dr2:") { original = String(id.dropFirst(4)) }
        let token = data["device_registration_id"]?.stringValue.flatMap { bounded($0, addressBytes) }
        let from = json["from"]?.stringValue.flatMap { bounded($0, addressBytes) }
        return .receipt(
            CCSReceipt(
                from: from ?? CCSStanza.domain, messageID: id, original: original.map { MessageID($0) }, token: token))
    }

    private static func errorStanza(_ stanza: XMLElement) -> CCSIncoming {
        let error = stanza.child("error", in: XMPPNamespace.client)
        let text = error?.child("text", in: XMPPNamespace.stanzaErrors)?.text ?? XMPPStream.condition(of: stanza)
        let id = stanza["id"].flatMap { bounded($0, idBytes) }
        let code = CCSError(code: text)
        // "wait" is XMPP's word for "later", whatever the text says.
        let meaning: CCSError =
            error?["type"] == "wait" ? .serviceUnavailable : code == .invalidJSON ? .invalidJSON : .rejectedStanza
        return .errorStanza(
            id: id.map { MessageID($0) }, meaning, text: PeerText.printable(text, limit: textBytes))
    }

    /// Ids are strings; a sender that writes a number gets it back as one in a string.
    private static func identifier(_ value: JSON?) -> String? {
        if let number = value?.integerValue { return String(number) }
        return value?.stringValue.flatMap { bounded($0, idBytes) }
    }

    private static func bounded(_ text: String, _ limit: Int) -> String? {
        text.isEmpty || text.utf8.count > limit ? nil : text
    }
}
