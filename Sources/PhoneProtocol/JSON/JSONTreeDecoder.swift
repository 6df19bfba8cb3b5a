/// Codable's `Decoder` over a `JSON`; also its single-value container.
struct JSONTreeDecoder: Decoder, SingleValueDecodingContainer {
    let json: JSON
    let path: JSONPath

    var codingPath: [any CodingKey] { path.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private func mismatch(_ wanted: String) -> JSONError {
        .decoding(path: JSONPath.text(codingPath), reason: "\(wanted) is needed, \(json.kind) was found")
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = json else { throw mismatch("an object") }
        return KeyedDecodingContainer(JSONKeyedDecoding<Key>(members: members, path: path))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = json else { throw mismatch("an array") }
        return JSONUnkeyedDecoding(elements: elements, path: path)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        switch json {
        case .integer(let integer):
            guard let value = T(exactly: integer) else {
                throw JSONError.decoding(path: JSONPath.text(codingPath), reason: "\(integer) is out of range")
            }
            return value
        case .string(let text):
            // What `JSON.unsigned` writes, and only that: smaller numbers are never strings.
            guard let large = UInt64(text), large > UInt64(Int64.max), String(large) == text,
                let value = T(exactly: large)
            else { throw mismatch("an integer") }
            return value
        case .null, .bool, .number, .array, .object: throw mismatch("an integer")
        }
    }

    func decodeNil() -> Bool { json.isNull }
    func decode(_ type: Bool.Type) throws -> Bool {
        guard let value = json.boolValue else { throw mismatch("a boolean") }
        return value
    }
    func decode(_ type: String.Type) throws -> String {
        guard let value = json.stringValue else { throw mismatch("a string") }
        return value
    }
    func decode(_ type: Double.Type) throws -> Double {
        guard let value = json.numberValue else { throw mismatch("a number") }
        return value
    }
    func decode(_ type: Float.Type) throws -> Float {
        guard let value = json.numberValue else { throw mismatch("a number") }
        let float = Float(value)
        guard float.isFinite else {
            throw JSONError.decoding(path: JSONPath.text(codingPath), reason: "\(value) is out of range")
        }
        return float
    }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if type == [UInt8].self, case .string(let text) = json, let bytes = BytesAsText.decode(text) as? T {
            return bytes
        }
        return try T(from: self)
    }
}

struct JSONKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [JSON.Member]
    let path: JSONPath

    var codingPath: [any CodingKey] { path.codingPath }
    var allKeys: [Key] { members.compactMap { Key(stringValue: $0.key) } }

    private func find(_ key: any CodingKey) -> JSON? {
        let wanted = key.stringValue
        return members.first { $0.key.utf8.elementsEqual(wanted.utf8) }?.value
    }

    private func decoder(_ key: any CodingKey) throws -> JSONTreeDecoder {
        guard let json = find(key) else {
            throw JSONError.decoding(path: JSONPath.text(codingPath), reason: "'\(key.stringValue)' is missing")
        }
        return JSONTreeDecoder(json: json, path: path.appending(key))
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder(key).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try decoder(key).decode(type) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(key).container(keyedBy: type)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { try decoder(JSONIndexKey.superclass) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

struct JSONUnkeyedDecoding: UnkeyedDecodingContainer {
    let elements: [JSON]
    let path: JSONPath
    private(set) var currentIndex = 0

    init(elements: [JSON], path: JSONPath) {
        self.elements = elements
        self.path = path
    }

    var codingPath: [any CodingKey] { path.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func decoder() throws -> JSONTreeDecoder {
        guard !isAtEnd else {
            throw JSONError.decoding(
                path: JSONPath.text(codingPath), reason: "more than \(elements.count) elements are needed")
        }
        return JSONTreeDecoder(json: elements[currentIndex], path: path.appending(currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
        guard try decoder().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let value = try decoder().decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let container = try decoder().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder()
        currentIndex += 1
        return decoder
    }
}
