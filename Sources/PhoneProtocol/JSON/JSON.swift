/// A JSON value (RFC 8259) that keeps the order of its members.
package enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent in the range of Int64.
    case integer(Int64)
    /// Any other number; finite when it was parsed.
    case number(Double)
    case string(String)
    case array([JSON])
    /// Members as they came; of equal keys the first counts.
    case object([Member])

    package struct Member: Equatable, Sendable {
        package var key: String
        package var value: JSON
        package init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// An object with these members in this order; members that are nil are left out.
    package static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        var kept: [Member] = []
        for (key, value) in members {
            if let value { kept.append(Member(key: key, value: value)) }
        }
        return .object(kept)
    }

    /// A number where Int64 can hold it, else a decimal string (readers that know only doubles would round it).
    package static func unsigned(_ value: UInt64) -> JSON {
        if let integer = Int64(exactly: value) { .integer(integer) } else { .string(String(value)) }
    }

    /// The first member with this key; nil when there is none or this is no object. Keys are compared byte by byte.
    package subscript(_ key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var integerValue: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// Any number, integers included.
    package var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    package var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var arrayValue: [JSON]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    package var objectValue: [Member]? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    package var isNull: Bool { self == .null }

    /// The word for what this is, for error texts.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer: "an integer"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
