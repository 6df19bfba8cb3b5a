/// A value as it travels over the bus (D-Bus specification, "Type system").
package indirect enum BusValue: Equatable, Sendable {
    case bool(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// `of` is the elements' type, which an empty array has as well.
    case array(of: String, [BusValue])
    /// `a{…}`; the order is kept.
    case dictionary(key: String, value: String, [Entry])
    case tuple([BusValue])
    case variant(BusValue)
    /// A file descriptor or another thing that we have no use for.
    case unread(String)

    package struct Entry: Equatable, Sendable {
        package var key: BusValue
        package var value: BusValue
        package init(_ key: BusValue, _ value: BusValue) {
            self.key = key
            self.value = value
        }
    }

    /// `a{sv}` in the given order.
    package static func properties(_ members: KeyValuePairs<String, BusValue?>) -> BusValue {
        .dictionary(
            key: "s", value: "v",
            members.compactMap { key, value in value.map { Entry(.string(key), .variant($0)) } })
    }

    /// As a signature.
    package var type: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .array(let element, _): "a\(element)"
        case .dictionary(let key, let value, _): "a{\(key)\(value)}"
        case .tuple(let members): "(\(members.map(\.type).joined()))"
        case .variant: "v"
        case .unread(let type): type
        }
    }

    // MARK: Reading, with or without a variant around it

    package var plain: BusValue { if case .variant(let inner) = self { inner.plain } else { self } }
    package var boolValue: Bool? { if case .bool(let value) = plain { value } else { nil } }
    /// Of a string, an object path or a signature.
    package var text: String? {
        switch plain {
        case .string(let text), .objectPath(let text), .signature(let text): text
        case .bool, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .array, .dictionary, .tuple,
            .variant, .unread:
            nil
        }
    }
    package var integer: Int? {
        switch plain {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        case .bool, .double, .string, .objectPath, .signature, .array, .dictionary, .tuple, .variant, .unread: nil
        }
    }
    /// Of an array or a tuple.
    package var elements: [BusValue]? {
        switch plain {
        case .array(_, let elements), .tuple(let elements): elements
        case .bool, .byte, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature, .dictionary, .variant, .unread:
            nil
        }
    }
    package var entries: [Entry]? { if case .dictionary(_, _, let entries) = plain { entries } else { nil } }
    package subscript(_ key: String) -> BusValue? { entries?.first { $0.key.text == key }?.value.plain }
}
