import AlarmModel
import PhoneProtocol

/// A message of a client that is as it has to be (docs/push.md A.5).
struct PushMessage: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case token(String)
        /// One of these.
        case topics([String])
        /// All of these.
        case allTopics([String])
    }

    var messageID: String
    var target: Target
    /// Seconds; zero: now or never.
    var ttl: Int64
    var collapseKey: String?
    var wantsReceipt: Bool
    var wakesApp: Bool
    var isDryRun: Bool
    var delivery: PushDelivery

    /// Why a message is refused.
    struct Refusal: Error, Hashable, Sendable {
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
        collapseKey = json["collapse_key"]?.stringValue
        wantsReceipt = json["delivery_receipt_requested"]?.boolValue ?? false
        wakesApp = json["content_available"]?.boolValue ?? false
        isDryRun = json["dry_run"]?.boolValue ?? false
        target = try Self.target(json)
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
        let isTopic =
            switch target {
            case .token: false
            case .topics, .allTopics: true
            }
        let limit = isTopic ? PushSettings.largestTopicPayload : PushSettings.largestPayload
        let size = Self.size(data) + Self.size(notification?.objectValue ?? [])
        guard size <= limit else {
            throw Self.invalid("MESSAGE_TOO_BIG : \(size) bytes of payload, allowed are \(limit)")
        }
        let priority = json["priority"]?.stringValue ?? (notification == nil ? "normal" : "high")
        delivery = PushDelivery(data: .object(data), notification: notification, priority: priority)
    }

    private static func invalid(_ detail: String) -> Refusal { Refusal(.invalidJSON, detail) }

    private static func checkTypes(_ json: JSON) throws(Refusal) {
        for key in ["to", "condition", "collapse_key", "priority", "restricted_package_name"] {
            if let value = json[key], value.stringValue == nil {
                throw invalid("JSON_TYPE_ERROR : Field \"\(key)\" must be a JSON string")
            }
        }
        for key in [
            "delivery_receipt_requested", "content_available", "mutable_content", "dry_run", "delay_while_idle",
        ] {
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
        if json["registration_ids"] != nil {
            throw invalid("JSON_TYPE_ERROR : Field \"registration_ids\" is not supported here; use \"to\"")
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

    private static func target(_ json: JSON) throws(Refusal) -> Target {
        let to = json["to"]?.stringValue
        let condition = json["condition"]?.stringValue
        switch (to, condition) {
        case (nil, nil): throw invalid("MISSING_REGISTRATION : Missing Required Field: to")
        case (_?, _?): throw invalid("Only one of \"to\" and \"condition\" can be there")
        case (let to?, nil):
            guard to.hasPrefix("/topics/") else { return .token(to) }
            let topic = String(to.dropFirst(8))
            guard isTopic(topic) else { throw invalid("INVALID_TOPIC : \"\(to)\" is not a topic") }
            return .topics([topic])
        case (nil, let condition?):
            guard let target = parsed(condition: condition) else {
                throw invalid("INVALID_CONDITION : \"\(condition)\" is not a condition")
            }
            return target
        }
    }

    /// `'a' in topics && 'b' in topics`, up to two operators of one kind; parentheses are passed over.
    private static func parsed(condition: String) -> Target? {
        let words = condition.filter { $0 != "(" && $0 != ")" }.split(separator: " ")
        var topics: [String] = []
        var operators: [Substring] = []
        var rest = words[...]
        while rest.count >= 3 {
            let name = rest[rest.startIndex]
            guard name.count > 2, name.first == "'", name.last == "'", rest[rest.startIndex + 1] == "in",
                rest[rest.startIndex + 2] == "topics"
            else { return nil }
            topics.append(String(name.dropFirst().dropLast()))
            rest = rest.dropFirst(3)
            if let word = rest.popFirst() { operators.append(word) }
        }
        guard rest.isEmpty, !topics.isEmpty, topics.allSatisfy(isTopic), operators.count == topics.count - 1,
            operators.count <= 2
        else { return nil }
        if operators.allSatisfy({ $0 == "||" }) { return .topics(topics) }
        return operators.allSatisfy { $0 == "&&" } ? .allTopics(topics) : nil
    }

    private static func isTopic(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "A"..."Z", "a"..."z", "0"..."9", "-", "_", ".", "~", "%": true
                default: false
                }
            }
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
