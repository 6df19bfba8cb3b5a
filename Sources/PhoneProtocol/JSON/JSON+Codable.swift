package import AlarmModel

extension JSON {
    /// The JSON form of a value: members in the order in which the type encodes them. Integers beyond Int64 become
    /// decimal strings; a double that is not finite is an error.
    ///
    /// - Parameters:
    ///   - placeholder: what is written for secrets; nil: stars
    ///   - bytesAsText: bytes become a string with one character for each, not a list of numbers, which takes fifty
    ///     times the room in memory
    package static func encoding(
        _ value: some Encodable, placeholder: SecretPlaceholder? = nil, bytesAsText: Bool = false
    ) throws(JSONError) -> JSON {
        do {
            var path = JSONPath()
            path.placeholder = placeholder
            path.bytesAsText = bytesAsText
            return try JSONTreeEncoder.slot(for: value, at: path).json
        } catch let error as JSONError {
            throw error
        } catch let error as EncodingError {
            switch error {
            case .invalidValue(_, let context):
                throw .encoding(path: JSONPath.text(context.codingPath), reason: context.debugDescription)
            @unknown default: throw .encoding(path: "", reason: "\(error)")
            }
        } catch {
            throw .encoding(path: "", reason: "\(error)")
        }
    }

    /// The value of this type that `encoding` wrote so. Unknown members are passed over.
    package func decoding<T: Decodable>(_ type: T.Type) throws(JSONError) -> T {
        do {
            return try JSONTreeDecoder(json: self, path: JSONPath()).decode(type)
        } catch let error as JSONError {
            throw error
        } catch let error as DecodingError {
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                throw .decoding(path: JSONPath.text(context.codingPath), reason: context.debugDescription)
            case .keyNotFound(let key, let context):
                throw .decoding(path: JSONPath.text(context.codingPath), reason: "'\(key.stringValue)' is missing")
            @unknown default: throw .decoding(path: "", reason: "\(error)")
            }
        } catch {
            throw .decoding(path: "", reason: "\(error)")
        }
    }
}

/// Where in a document a coder stands; a chain, so that going down costs one link instead of a copy.
struct JSONPath {
    private final class Link {
        let key: any CodingKey
        let parent: Link?
        init(key: any CodingKey, parent: Link?) {
            self.key = key
            self.parent = parent
        }
    }

    private var last: Link?
    /// Both go wherever a coder goes.
    var placeholder: SecretPlaceholder?
    var bytesAsText = false

    init() {}

    var userInfo: [CodingUserInfoKey: Any] {
        guard let placeholder, let key = SecretPlaceholder.key else { return [:] }
        return [key: placeholder]
    }

    func appending(_ key: any CodingKey) -> JSONPath {
        var path = self
        path.last = Link(key: key, parent: last)
        return path
    }

    func appending(_ index: Int) -> JSONPath { appending(JSONIndexKey(index)) }

    var codingPath: [any CodingKey] {
        var keys: [any CodingKey] = []
        var link = last
        while let current = link {
            keys.append(current.key)
            link = current.parent
        }
        return keys.reversed()
    }

    /// `zones[3].name`
    static func text(_ path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text
    }
}

/// The place of an element in an array, or the key under which a superclass is kept.
struct JSONIndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = String(index)
        intValue = index
    }
    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }
    init?(intValue: Int) { self.init(intValue) }

    static let superclass = JSONIndexKey(stringValue: "super")
}
