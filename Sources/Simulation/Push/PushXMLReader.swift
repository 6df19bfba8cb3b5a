/// An element that the client of a simulated push service sent.
struct PushElement: Hashable, Sendable {
    struct Attribute: Hashable, Sendable {
        /// As written, with its prefix if it has one.
        var name: String
        var value: String
    }

    var namespace: String
    var name: String
    var attributes: [Attribute]
    var children: [PushElement] = []
    /// All character data directly inside, joined.
    var text = ""

    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }

    func child(_ name: String, in namespace: String) -> PushElement? {
        children.first { $0.name == name && $0.namespace == namespace }
    }
}

/// What a client's stream may look like (RFC 6120 11), read strictly: UTF-8, namespaces, no comments, no processing
/// instructions, no DTD, no CDATA, five entities and numeric references.
struct PushXMLReader: Sendable {
    enum Item: Hashable, Sendable {
        /// `<stream:stream …>`; its children are the items that follow.
        case header(PushElement)
        case element(PushElement)
        /// `</stream:stream>`
        case end
    }

    enum Problem: Error, Hashable, Sendable {
        case notWellFormed
        case restricted
        case tooLarge
        case tooDeep
    }

    private struct Open {
        var element: PushElement
        var qualifiedName: String
        var namespaces: [(prefix: String, uri: String)]
    }

    static let largestItem = 65_536
    static let deepest = 32

    private var buffer: [UInt8] = []
    /// Before this the buffer was read.
    private var start = 0
    /// The item that is being read began with these bytes.
    private var raw: [UInt8] = []
    private var open: [Open] = []
    private var isAtBeginning = true
    private var isEnded = false

    mutating func append(_ bytes: [UInt8]) {
        buffer.removeFirst(start)
        start = 0
        buffer += bytes
    }

    /// A new stream begins on the same connection; what was received already belongs to it.
    mutating func restart() {
        open = []
        raw = []
        isAtBeginning = true
    }

    /// The next item and its bytes as they came; nil when more has to arrive.
    mutating func next() throws(Problem) -> (item: Item, raw: [UInt8])? {
        while start < buffer.count {
            if isEnded { throw .notWellFormed }
            if buffer[start] == UInt8(ascii: "<") {
                guard let end = try endOfTag() else { return nil }
                let tag = Array(buffer[start...end])
                start = end + 1
                raw += tag
                if let item = try take(tag) {
                    defer { raw = [] }
                    return (item, raw)
                }
            } else {
                let end = buffer[start...].firstIndex(of: UInt8(ascii: "<")) ?? buffer.count
                if open.count < 2 {
                    // Between stanzas: whitespace keeps connections alive.
                    guard buffer[start..<end].allSatisfy(Self.isSpace) else { throw .notWellFormed }
                    start = end
                    continue
                }
                guard raw.count + end - start <= Self.largestItem else { throw .tooLarge }
                guard end < buffer.count else { return nil }
                let bytes = Array(buffer[start..<end])
                raw += bytes
                start = end
                guard let text = try Self.text(bytes, inAttribute: false) else { throw .notWellFormed }
                open[open.count - 1].element.text += text
            }
        }
        return nil
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 10 || byte == 13 }

    // MARK: Tags

    /// Where the tag that starts here ends; `>` inside quotes is none.
    private func endOfTag() throws(Problem) -> Int? {
        var quote: UInt8?
        for index in start..<buffer.count {
            let byte = buffer[index]
            if let mark = quote {
                if byte == mark { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
            // What a tag cannot hold is seen before its end comes.
            if index > start, quote == nil, byte == UInt8(ascii: "<") { throw .notWellFormed }
            if index == start + 1, byte == UInt8(ascii: "!") { throw .restricted }
        }
        guard raw.count + buffer.count - start <= Self.largestItem else { throw .tooLarge }
        return nil
    }

    private mutating func take(_ tag: [UInt8]) throws(Problem) -> Item? {
        guard raw.count <= Self.largestItem else { throw .tooLarge }
        guard let body = String(validating: tag.dropFirst().dropLast(), as: UTF8.self) else { throw .notWellFormed }
        if body.hasPrefix("?") {
            guard isAtBeginning, open.isEmpty, body.hasPrefix("?xml "), body.hasSuffix("?") else { throw .restricted }
            isAtBeginning = false
            raw = []
            return nil
        }
        isAtBeginning = false
        if body.hasPrefix("/") { return try close(String(body.dropFirst())) }
        let isEmpty = body.hasSuffix("/")
        var cursor = PushTagCursor(isEmpty ? String(body.dropLast()) : body)
        guard let name = cursor.name() else { throw .notWellFormed }
        guard let attributes = try cursor.attributes() else { throw .notWellFormed }
        guard open.count < Self.deepest else { throw .tooDeep }
        open.append(try element(name, attributes))
        if open.count == 1 {
            // A stream that ends where it begins says nothing.
            guard !isEmpty else { throw .notWellFormed }
            return .header(open[0].element)
        }
        return isEmpty ? finish() : nil
    }

    private mutating func close(_ text: String) throws(Problem) -> Item? {
        let name = text.reversed().drop(while: \.isWhitespace).reversed()
        guard let last = open.last, last.qualifiedName == String(name) else { throw .notWellFormed }
        guard open.count > 1 else {
            isEnded = true
            return .end
        }
        return finish()
    }

    private mutating func finish() -> Item? {
        let element = open.removeLast().element
        guard open.count > 1 else { return .element(element) }
        open[open.count - 1].element.children.append(element)
        return nil
    }

    private func element(_ name: String, _ attributes: [PushElement.Attribute]) throws(Problem) -> Open {
        var namespaces: [(prefix: String, uri: String)] = []
        var kept: [PushElement.Attribute] = []
        for attribute in attributes {
            if attribute.name == "xmlns" {
                namespaces.append(("", attribute.value))
            } else if attribute.name.hasPrefix("xmlns:") {
                guard !attribute.value.isEmpty else { throw .notWellFormed }
                namespaces.append((String(attribute.name.dropFirst(6)), attribute.value))
            } else {
                kept.append(attribute)
            }
        }
        for attribute in kept where attribute.name.contains(":") {
            guard namespace(of: attribute.name, namespaces) != nil else { throw .notWellFormed }
        }
        guard let uri = namespace(of: name, namespaces) else { throw .notWellFormed }
        let local = name.split(separator: ":").last.map(String.init) ?? name
        return Open(
            element: PushElement(namespace: uri, name: local, attributes: kept), qualifiedName: name,
            namespaces: namespaces)
    }

    /// nil: the prefix was not declared.
    private func namespace(of name: String, _ own: [(prefix: String, uri: String)]) -> String? {
        let parts = name.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        let prefix = parts.count == 2 ? String(parts[0]) : ""
        if prefix == "xml" { return "http://www.w3.org/XML/1998/namespace" }
        if let found = own.last(where: { $0.prefix == prefix }) { return found.uri }
        for element in open.reversed() {
            if let found = element.namespaces.last(where: { $0.prefix == prefix }) { return found.uri }
        }
        return prefix.isEmpty ? "" : nil
    }
}
