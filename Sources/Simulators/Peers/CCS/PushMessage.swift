import AlarmModel
import PhoneProtocol

/// A message of a client that is as it has to be (docs/push.md A.5).
struct PushMessage: Equatable, Sendable {
    var messageID: String
    /// A token, or the topic.
    var to: String
    /// Seconds; zero: now or never.
    var ttl: Int64
    var wantsReceipt: Bool
    var wakesApp: Bool
    var delivery: PushDelivery

    /// The only one at which somebody listens: each phone with Android.
    static let topic = "/topics/newclient"
    private static let largestOnTopic = 2048

    /// Why a message is refused.
    struct Refusal: Error, Equatable, Sendable {
        /// `PushErrorCode`, or what a script wants.
        var code: String
        var detail: String

        init(_ code: PushErrorCode, _ detail: String) { self.init(code: code.rawValue, detail) }

        init(code: String, _ detail: String) {
            self.code = code
            self.detail = detail
        }
    }

    init(messageID: String, checking json: JSON) throws(Refusal) {
        self.messageID = messageID
        try Self.checkTypes(json)
        wantsReceipt = json["delivery_receipt_requested"]?.boolValue ?? false
        wakesApp = json["content_available"]?.boolValue ?? false
        to = try Self.target(json)
        ttl = json["time_to_live"]?.integerValue ?? PushSettings.longestTTL
        guard (0...PushSettings.longestTTL).contains(ttl) else {
            throw Self.invalid(
                "INVALID_TTL : Invalid value (\(ttl)) for \"time_to_live\": must be between 0 and 2419200")
        }
        let data = json["data"]?.objectValue ?? []
        for member in data where Self.isReserved(member.key) {
            throw Self.invalid("INVALID_DATA_KEY : \"\(member.key)\" is reserved")
        }
        let notification = json["notification"]
        let limit = to == Self.topic ? Self.largestOnTopic : PushSettings.largestPayload
        let size = Self.size(data) + Self.size(notification?.objectValue ?? [])
        guard size <= limit else {
            throw Self.invalid("MESSAGE_TOO_BIG : \(size) bytes of payload, allowed are \(limit)")
        }
        let priority = json["priority"]?.stringValue ?? (notification == nil ? "normal" : "high")
        delivery = PushDelivery(data: .object(data), notification: notification, priority: priority)
    }

    private static func invalid(_ detail: String) -> Refusal { Refusal(.invalidJSON, detail) }

    private static func checkTypes(_ json: JSON) throws(Refusal) {
        for key in ["to", "priority"] {
            if let value = json[key], value.stringValue == nil {
                throw invalid("JSON_TYPE_ERROR : Field \"\(key)\" must be a JSON string")
            }
        }
        for key in ["delivery_receipt_requested", "content_available", "mutable_content"] {
            if let value = json[key], value.boolValue == nil {
                throw invalid("JSON_TYPE_ERROR : Field \"\(key)\" must be a JSON boolean")
            }
        }
        for key in ["data", "notification"] {
            if let value = json[key], value.objectValue == nil {
                throw invalid("JSON_TYPE_ERROR : Field \"\(key)\" must be a JSON object")
            }
        }
        if let value = json["time_to_live"], value.integerValue == nil {
            throw invalid("JSON_TYPE_ERROR : Field \"time_to_live\" must be a JSON number: \(value.text)")
        }
        for key in ["registration_ids", "condition", "collapse_key", "dry_run"] where json[key] != nil {
            throw invalid("JSON_TYPE_ERROR : Field \"\(key)\" is not supported here")
        }
        if let type = json["message_type"] {
            throw invalid("JSON_TYPE_ERROR : Field \"message_type\" cannot be \(type.text)")
        }
        if let priority = json["priority"]?.stringValue, priority != "normal", priority != "high" {
            throw invalid("JSON_TYPE_ERROR : Field \"priority\" must be \"normal\" or \"high\"")
        }
        for member in json["data"]?.objectValue ?? [] where member.value.stringValue == nil {
            throw invalid("JSON_TYPE_ERROR : Field \"\(member.key)\" of \"data\" must be a JSON string")
        }
    }

    private static func target(_ json: JSON) throws(Refusal) -> String {
        guard let to = json["to"]?.stringValue else {
            throw invalid("MISSING_REGISTRATION : Missing Required Field: to")
        }
        guard to.hasPrefix("/topics/") else { return to }
        // What a topic carries is half of what a token does, and nobody confirms it.
        guard to == topic else { throw invalid("INVALID_TOPIC : nobody listens at \(to)") }
        guard json["delivery_receipt_requested"] == nil else {
            throw invalid("INVALID_TOPIC : a topic has no receipts")
        }
        return to
    }

    private static func isReserved(_ key: String) -> Bool {
        ["from", "message_type", "gcm"].contains(key) || key.hasPrefix("google") || key.hasPrefix("gcm.notification.")
    }

    /// Keys and values.
    private static func size(_ members: [JSON.Member]) -> Int {
        var total = 0
        for member in members {
            total += member.key.utf8.count + (member.value.stringValue?.utf8.count ?? member.value.utf8.count)
        }
        return total
    }
}
