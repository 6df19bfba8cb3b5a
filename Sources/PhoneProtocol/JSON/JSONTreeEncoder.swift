/// What one encoder has written so far.
enum JSONSlot {
    case value(JSON)
    case node(JSONNode)

    var json: JSON {
        switch self {
        case .value(let value): value
        case .node(let node): node.json
        }
    }
}

/// An array or object under construction; a class, because containers of Codable share what they write to.
final class JSONNode {
    enum Content {
        case empty
        case single(JSONSlot)
        case array([JSONSlot])
        case object([(key: String, slot: JSONSlot)])
    }

    var content: Content = .empty

    var json: JSON {
        switch content {
        case .empty: .object([])
        case .single(let slot): slot.json
        case .array(let slots): .array(slots.map(\.json))
        case .object(let members): .object(members.map { JSON.Member(key: $0.key, value: $0.slot.json) })
        }
    }

    func beginObject() {
        switch content {
        case .empty: content = .object([])
        case .object: break
        case .single, .array: preconditionFailure("a value is encoded into one kind of container only")
        }
    }

    func beginArray() {
        switch content {
        case .empty: content = .array([])
        case .array: break
        case .single, .object: preconditionFailure("a value is encoded into one kind of container only")
        }
    }

    func set(_ slot: JSONSlot, for key: String) {
        guard case .object(var members) = content else { return }
        // Taken out while it changes, so that the array is not copied.
        content = .empty
        if let index = members.firstIndex(where: { $0.key.utf8.elementsEqual(key.utf8) }) {
            members[index].slot = slot
        } else {
            members.append((key, slot))
        }
        content = .object(members)
    }

    func append(_ slot: JSONSlot) {
        guard case .array(var slots) = content else { return }
        content = .empty
        slots.append(slot)
        content = .array(slots)
    }

    var count: Int {
        guard case .array(let slots) = content else { return 0 }
        return slots.count
    }
}

/// Bytes as a string: the character of each has its number (ISO 8859-1).
enum BytesAsText {
    static func encode(_ bytes: [UInt8]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.lazy.map { Unicode.Scalar($0) })
        return text
    }

    /// nil: a character is none of a byte.
    static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }
}

/// Codable's `Encoder` that builds a `JSON`.
struct JSONTreeEncoder: Encoder {
    let node: JSONNode
    let path: JSONPath

    var codingPath: [any CodingKey] { path.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { path.userInfo }

    static func slot<Value: Encodable>(for value: Value, at path: JSONPath) throws -> JSONSlot {
        if path.bytesAsText, Value.self == [UInt8].self, let bytes = value as? [UInt8] {
            return .value(.string(BytesAsText.encode(bytes)))
        }
        let node = JSONNode()
        try value.encode(to: JSONTreeEncoder(node: node, path: path))
        if case .single(let slot) = node.content { return slot }
        return .node(node)
    }

    static func slot(for value: Double, at path: JSONPath) throws -> JSONSlot {
        guard value.isFinite else {
            throw JSONError.encoding(path: JSONPath.text(path.codingPath), reason: "\(value) is not a finite number")
        }
        return .value(.number(value))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginObject()
        return KeyedEncodingContainer(JSONKeyedEncoding<Key>(node: node, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return JSONUnkeyedEncoding(node: node, path: path)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleEncoding(node: node, path: path) }
}

struct JSONSingleEncoding: SingleValueEncodingContainer {
    let node: JSONNode
    let path: JSONPath

    var codingPath: [any CodingKey] { path.codingPath }

    private func put(_ slot: JSONSlot) { node.content = .single(slot) }

    func encodeNil() { put(.value(.null)) }
    func encode(_ value: Bool) { put(.value(.bool(value))) }
    func encode(_ value: String) { put(.value(.string(value))) }
    func encode(_ value: Double) throws { put(try JSONTreeEncoder.slot(for: value, at: path)) }
    func encode(_ value: Float) throws { put(try JSONTreeEncoder.slot(for: Double(value), at: path)) }
    func encode(_ value: Int) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: Int8) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: Int16) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: Int32) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: Int64) { put(.value(.integer(value))) }
    func encode(_ value: UInt) { put(.value(.unsigned(UInt64(value)))) }
    func encode(_ value: UInt8) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: UInt16) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: UInt32) { put(.value(.integer(Int64(value)))) }
    func encode(_ value: UInt64) { put(.value(.unsigned(value))) }
    func encode(_ value: some Encodable) throws { put(try JSONTreeEncoder.slot(for: value, at: path)) }
}

struct JSONUnkeyedEncoding: UnkeyedEncodingContainer {
    let node: JSONNode
    let path: JSONPath

    var codingPath: [any CodingKey] { path.codingPath }
    var count: Int { node.count }
    private var here: JSONPath { path.appending(count) }

    func encodeNil() { node.append(.value(.null)) }
    func encode(_ value: Bool) { node.append(.value(.bool(value))) }
    func encode(_ value: String) { node.append(.value(.string(value))) }
    func encode(_ value: Double) throws { node.append(try JSONTreeEncoder.slot(for: value, at: here)) }
    func encode(_ value: Float) throws { node.append(try JSONTreeEncoder.slot(for: Double(value), at: here)) }
    func encode(_ value: Int) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: Int8) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: Int16) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: Int32) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: Int64) { node.append(.value(.integer(value))) }
    func encode(_ value: UInt) { node.append(.value(.unsigned(UInt64(value)))) }
    func encode(_ value: UInt8) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: UInt16) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: UInt32) { node.append(.value(.integer(Int64(value)))) }
    func encode(_ value: UInt64) { node.append(.value(.unsigned(value))) }
    func encode(_ value: some Encodable) throws { node.append(try JSONTreeEncoder.slot(for: value, at: here)) }

    private func child() -> JSONTreeEncoder {
        let encoder = JSONTreeEncoder(node: JSONNode(), path: here)
        node.append(.node(encoder.node))
        return encoder
    }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
    func superEncoder() -> any Encoder { child() }
}
