import AlarmModel
import PhoneProtocol

/// A message as the server keeps it.
struct NtfyStored: Equatable, Sendable {
    struct Button: Equatable, Sendable {
        var action: String
        var label: String
        var url: String
        var method: String
        var headers: [JSON.Member]
        var body: String
        var clear: Bool
    }
    var id: String
    /// Seconds since 1970.
    var time: Int64
    var topic: String
    var title = ""
    var message = ""
    var priority = 0
    var tags: [String] = []
    var click = ""
    var buttons: [Button] = []
    var sequence = ""
    /// Bytes of a message that became a file.
    var attachmentSize: Int?
    var isKept = true

    /// As it is answered and streamed.
    func json(expires: Int64?) -> JSON {
        .object([
            "id": .string(id), "time": .integer(time), "expires": expires.map { .integer($0) },
            "event": .string("message"), "topic": .string(topic),
            "sequence_id": sequence.isEmpty ? nil : .string(sequence),
            "title": title.isEmpty ? nil : .string(title),
            "message": .string(attachmentSize == nil ? message : "You received a file: attachment.txt"),
            "priority": priority == 0 ? nil : .integer(Int64(priority)),
            "tags": tags.isEmpty ? nil : .array(tags.map { .string($0) }),
            "click": click.isEmpty ? nil : .string(click),
            "actions": buttons.isEmpty
                ? nil : .array(buttons.indices.map { Self.json(buttons[$0], number: $0) }),
            "attachment": attachmentSize.map {
                .object([
                    "name": .string("attachment.txt"), "type": .string("text/plain; charset=utf-8"),
                    "size": .integer(Int64($0)), "url": .string("https://localhost/file/\(id).txt"),
                ])
            },
        ])
    }

    private static func json(_ button: Button, number: Int) -> JSON {
        .object([
            "id": .string("action\(number)"), "action": .string(button.action),
            "label": .string(button.label),
            "clear": .bool(button.clear), "url": .string(button.url),
            "method": button.method.isEmpty ? nil : .string(button.method),
            "headers": button.headers.isEmpty ? nil : .object(button.headers),
            "body": button.body.isEmpty ? nil : .string(button.body),
        ])
    }

    /// A button as JSON has it; nil when it is none.
    static func button(_ json: JSON) -> Button? {
        guard let action = json["action"]?.stringValue,
            ["http", "view", "broadcast", "copy"].contains(action),
            let label = json["label"]?.stringValue, !label.isEmpty
        else { return nil }
        let url = json["url"]?.stringValue ?? ""
        if action == "http" || action == "view" { guard !url.isEmpty else { return nil } }
        return Button(
            action: action, label: label, url: url, method: json["method"]?.stringValue ?? "",
            headers: json["headers"]?.objectValue ?? [], body: json["body"]?.stringValue ?? "",
            clear: json["clear"]?.boolValue ?? false)
    }
}

/// A stream or a look at what there is.
struct NtfySubscriber: Equatable, Sendable {
    enum Format: String, Hashable, Sendable { case json, sse, raw }
    var connection: ConnectionID
    var topics: [String]
    var format: Format
    var nextKeepalive: BootTime
}
