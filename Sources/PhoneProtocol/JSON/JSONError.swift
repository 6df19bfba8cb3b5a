/// What was wrong with a JSON text, or between a JSON value and a Swift type.
package enum JSONError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// The text is not JSON, or beyond our limits; `offset` counts bytes from 0.
    case syntax(offset: Int, Reason)
    /// The value does not have the shape that the type needs; `path` is like `zones[3].name`, empty for the whole.
    case decoding(path: String, reason: String)
    /// The Swift value has no JSON form.
    case encoding(path: String, reason: String)

    package enum Reason: String, Codable, Hashable, Sendable, CaseIterable {
        case tooLong = "the text is longer than allowed"
        case tooDeep = "values are nested deeper than allowed"
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "a byte that cannot stand here"
        case trailingBytes = "something follows after the value"
        case controlCharacter = "a control character in a string must be escaped"
        case badEscape = "not an escape sequence"
        case loneSurrogate = "half of a surrogate pair"
        case invalidUTF8 = "a string is not UTF-8"
        case badNumber = "not a number"
        case numberOutOfRange = "the number is too large"
    }

    package var description: String {
        switch self {
        case .syntax(let offset, let reason): "not valid JSON at byte \(offset): \(reason.rawValue)"
        case .decoding(let path, let reason): path.isEmpty ? reason : "\(path): \(reason)"
        case .encoding(let path, let reason):
            "cannot be written as JSON: " + (path.isEmpty ? reason : "\(path): \(reason)")
        }
    }
}
