import AlarmModel
package import PhoneProtocol

/// An event of the Realtime Database's stream (docs/push.md C.5), read for a place whose children are messages.
package enum DatabaseChange: Equatable, Sendable {
    /// Children that are there now, in the order in which they came.
    case children([Child])
    /// Members of one child that have changed: the whole of it only if there was nothing before.
    case part(Child)
    case keepAlive
    /// The rules do not let us read any more.
    case cancelled
    case authRevoked
    /// It is none of these; for the log.
    case meaningless(String)

    package struct Child: Equatable, Sendable {
        package var key: String
        /// nil: what is there is no message.
        package var data: JSON?
    }

    package static let keyLimit = 768

    /// Which children a change begins with that was cut off because it is too long.
    package enum CutChange: Equatable, Sendable {
        /// It is one child.
        case child(String)
        /// It is several, and that is the first of them.
        case first(String)
    }

    /// - Parameter beginning: of the event's data
    /// - Returns: nil where it cannot be read
    package static func cut(_ beginning: String) -> CutChange? {
        var rest = Array(beginning.utf8)[...]
        guard let path = string(after: #"{"path":"#, in: &rest) else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        if let key = parts.first { return isKey(key) ? .child(key) : nil }
        guard let key = string(after: #","data":{"#, in: &rest), isKey(key) else { return nil }
        return .first(key)
    }

    private static func string(after word: String, in rest: inout ArraySlice<UInt8>) -> String? {
        for byte in word.utf8 {
            rest = rest.drop { $0 == 0x20 }
            guard rest.popFirst() == byte else { return nil }
        }
        rest = rest.drop { $0 == 0x20 }
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var isEscaped = false
        let end = rest.indices.dropFirst().first { index in
            if isEscaped {
                isEscaped = false
                return false
            }
            isEscaped = rest[index] == UInt8(ascii: "\\")
            return rest[index] == UInt8(ascii: "\"")
        }
        guard let end else { return nil }
        defer { rest = rest[(end + 1)...] }
        return (try? JSON(parsing: Array(rest[...end])))?.stringValue
    }

    /// - event: name of the server-sent event
    package init(event: String, data: String) {
        switch event {
        case "put", "patch":
            guard let json = try? JSON(parsing: data, limits: JSON.Limits(depth: 8, bytes: 1 << 20)),
                let path = json["path"]?.stringValue, let value = json["data"], path.hasPrefix("/")
            else {
                self = .meaningless("a change that cannot be read")
                return
            }
            self = Self.change(path, value, isPatch: event == "patch")
        case "keep-alive": self = .keepAlive
        case "cancel": self = .cancelled
        case "auth_revoked": self = .authRevoked
        default: self = .meaningless("event \(PeerText.printable(event, limit: 40))")
        }
    }

    private static func change(_ path: String, _ value: JSON, isPatch: Bool) -> DatabaseChange {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        switch parts.count {
        case 0:
            if value.isNull { return .children([]) }
            guard let members = value.objectValue else { return .meaningless("a place that is no list of messages") }
            return .children(members.compactMap { child($0.key, $0.value) })
        case 1:
            guard let child = child(parts[0], value) else { return .children([]) }
            return isPatch ? .part(child) : .children([child])
        // Somebody changes a message in parts: what it is in the end comes with the next connection.
        default: return .meaningless("a change inside a message")
        }
    }

    /// nil for one that was removed, and for a key that the database cannot have.
    private static func child(_ key: String, _ value: JSON) -> Child? {
        guard !value.isNull, isKey(key) else { return nil }
        guard let members = value.objectValue, !members.isEmpty,
            members.allSatisfy({ $0.value.stringValue != nil })
        else { return Child(key: key, data: nil) }
        return Child(key: key, data: value)
    }

    private static func isKey(_ key: String) -> Bool {
        (1...keyLimit).contains(key.utf8.count)
            && key.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !".$#[]/".utf8.contains($0) }
    }
}
