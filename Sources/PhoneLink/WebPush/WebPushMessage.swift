import AlarmModel
import PhoneProtocol

/// What a browser's push carries inside its encryption: a notice that the system shows by itself (Declarative Web Push),
/// and beside it the sealed envelope, of which the app makes its own. The push service reads neither; it sees one size
/// for everything.
enum WebPushMessage {
    /// Of the whole body, encrypted. The smallest limit among the push services is 2 744 (Firefox on Android).
    static let size = 2700
    /// Salt, record size, key, the mark of the last record, tag (RFC 8188 2, RFC 8291 4).
    static let overhead = 16 + 4 + 1 + 65 + 1 + 16
    private static let titleLimit = 150
    private static let textLimit = 1000

    /// The magic number of RFC 8030, by which browsers know such a message.
    private static let magic: Int64 = 8030

    /// nil: the envelope is no envelope of ours, for it is too long.
    static func content(_ envelope: [UInt8], _ words: ShownWords, _ delivery: Delivery, _ app: HTTPURL?) -> [UInt8]? {
        let sealed = Base64URL.encode(envelope)
        var text = NtfyPublication.cut(words.notice.text, textLimit)
        func json() -> [UInt8] {
            let notification = JSON.object([
                "title": .string(NtfyPublication.cut(words.notice.title, titleLimit)), "body": .string(text),
                "navigate": app.map { .string($0.description) }, "lang": .string(words.language.rawValue),
                // A second copy takes the place of the first; that of an alarm rings again.
                "tag": .string(delivery.message.text), "renotify": delivery.isAlarm ? .bool(true) : nil,
            ])
            return JSON.object([
                "web_push": .integer(magic), "notification": notification, "mutable": .bool(true),
                "ha2": .string(sealed),
            ]).utf8
        }
        var bytes = json()
        // Escapes make an object longer than its text.
        while bytes.count > size - overhead, !text.isEmpty {
            let excess = (bytes.count - (size - overhead)) * text.utf8.count / bytes.count
            text = NtfyPublication.cut(text, max(0, text.utf8.count - max(8, excess)))
            if text == "…" { text = "" }
            bytes = json()
        }
        return bytes.count <= size - overhead ? bytes : nil
    }

    /// What the service may know (RFC 8030 5): the same for duress as for any alarm.
    static func fields(for delivery: Delivery) -> [HTTPField] {
        var fields = [
            HTTPField("TTL", "\(min(max(0, delivery.timeToLive), longestLife))"),
            // Without it Apple's service does not wake a phone.
            HTTPField("Urgency", "high"),
            HTTPField("Content-Encoding", "aes128gcm"), HTTPField("Content-Type", "application/octet-stream"),
        ]
        // A newer state takes the place of one that was not delivered yet. Nothing else ever does.
        if delivery.priority == .state, !delivery.isAnswer { fields.append(HTTPField("Topic", "state")) }
        return fields
    }

    /// Four weeks: push services keep nothing longer.
    private static let longestLife = 2_419_200
}
