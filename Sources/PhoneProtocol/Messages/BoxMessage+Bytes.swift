extension BoxMessage {
    /// kind ‖ rid ‖ lp16(JSON), at most as long as the biggest body.
    package func bytes() throws(FormatError) -> [UInt8] {
        guard Self.isContent(content) else { throw .value("the content") }
        let text = content.utf8
        guard text.count <= Self.contentLimit else { throw .tooLong("the content") }
        let rid = rid ?? Self.noRequest
        guard rid.count == 8 else { throw .value("the request's id") }
        var writer = ByteWriter([kind.rawValue])
        writer.raw(rid)
        try writer.lp16(text, "the content")
        return writer.bytes
    }

    /// Reads exactly these bytes.
    package init(bytes: [UInt8]) throws(FormatError) {
        var reader = ByteReader(bytes)
        guard let kind = Kind(rawValue: try reader.byte()) else { throw .value("the kind") }
        let rid = try reader.take(8)
        let text = try reader.lp16()
        try reader.end()
        guard text.count <= Self.contentLimit else { throw .tooLong("the content") }
        guard let content = try? JSON(parsing: text), Self.isContent(content) else { throw .value("the content") }
        self.init(kind, rid: rid == Self.noRequest ? nil : rid, content: content)
    }

    /// An object whose values are all strings, each key once.
    private static func isContent(_ json: JSON) -> Bool {
        guard case .object(let members) = json else { return false }
        let keys = members.map { $0.key }.sorted()
        guard zip(keys, keys.dropFirst()).allSatisfy({ $0 != $1 }) else { return false }
        return members.allSatisfy { $0.value.stringValue != nil }
    }

    private static let noRequest = [UInt8](repeating: 0, count: 8)
}
