/// An object that a Codable type writes member by member.
struct JSONKeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    let path: JSONPath

    var codingPath: [any CodingKey] { path.codingPath }

    private func put(_ json: JSON, _ key: Key) { node.set(.value(json), for: key.stringValue) }

    private func put(_ value: Double, _ key: Key) throws {
        node.set(try JSONTreeEncoder.slot(for: value, at: path.appending(key)), for: key.stringValue)
    }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) throws { try put(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try put(Double(value), key) }
    func encode(_ value: Int, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: Int8, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: Int16, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: Int32, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: Int64, forKey key: Key) { put(.integer(value), key) }
    func encode(_ value: UInt, forKey key: Key) { put(.unsigned(UInt64(value)), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(.integer(Int64(value)), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(.unsigned(value), key) }
    func encode(_ value: some Encodable, forKey key: Key) throws {
        node.set(try JSONTreeEncoder.slot(for: value, at: path.appending(key)), for: key.stringValue)
    }

    private func child(_ key: any CodingKey) -> JSONTreeEncoder {
        let encoder = JSONTreeEncoder(node: JSONNode(), path: path.appending(key))
        node.set(.node(encoder.node), for: key.stringValue)
        return encoder
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(key).container(keyedBy: keyType)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { child(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { child(JSONIndexKey.superclass) }
    func superEncoder(forKey key: Key) -> any Encoder { child(key) }
}
