extension XMLReader {
    /// The token is a complete start tag.
    mutating func startElement() throws(XMLFault) -> Event? {
        if passed == nil {
            do throws(XMLFault) {
                return try keepElement()
            } catch {
                guard limits.passesOver, frames.count > 1, error.reason.isOfSize else { throw error }
                passed = 0
            }
        }
        if token.last != UInt8(ascii: "/") { passed = (passed ?? 0) + 1 }
        return nil
    }

    private mutating func keepElement() throws(XMLFault) -> Event? {
        let tag = try XMLTag(token, limits: limits)
        guard frames.count <= limits.depth else { throw XMLFault(index: 0, reason: .tooDeep) }
        elements += 1
        guard elements <= limits.elements else { throw XMLFault(index: 0, reason: .tooManyElements) }

        let declarations = try Self.declarations(of: tag)
        let inner = Scope(declarations: declarations, frames: frames)
        guard let namespace = inner.namespace(of: tag.name.prefix) else {
            throw XMLFault(index: 0, reason: .unknownPrefix)
        }
        var element = XMLElement(tag.name.localText, namespace: namespace)
        element.attributes = try Self.attributes(of: tag, in: inner)
        frames.append(Frame(name: tag.name, element: element, declarations: declarations))
        guard frames.count == 1 else { return tag.isEmpty ? finishElement() : nil }
        if tag.isEmpty {
            _ = finishElement()
            alsoClosed()
        }
        return .opened(element)
    }

    /// The token is what stands between `</` and `>`.
    mutating func endElement() throws(XMLFault) -> Event? {
        if let open = passed, open > 0 {
            passed = open - 1
            return nil
        }
        let (name, end) = try XMLName.qualified(token, from: 0, limit: limits.nameBytes)
        guard token[end...].allSatisfy(XMLName.isSpace) else { throw XMLFault(index: end, reason: .badTag) }
        guard let frame = frames.last, frame.name == name else { throw XMLFault(index: 0, reason: .wrongEndTag) }
        return finishElement()
    }

    private mutating func finishElement() -> Event? {
        guard var frame = frames.popLast() else { return nil }
        guard !frames.isEmpty else {
            isOver = true
            return .closed
        }
        frame.element.text = String(decoding: frame.text, as: UTF8.self)
        if frames.count == 1 {
            if passed != nil { (frame.element.text, frame.element.children) = ("", []) }
            passed = nil
            return .element(frame.element)
        }
        frames[frames.count - 1].element.children.append(frame.element)
        return nil
    }

    private static func declarations(of tag: XMLTag) throws(XMLFault) -> [Declaration] {
        var declarations: [Declaration] = []
        for attribute in tag.attributes {
            let isDefault = attribute.name.prefix.isEmpty && attribute.name.local == xmlns
            guard isDefault || attribute.name.prefix == xmlns else { continue }
            let prefix = isDefault ? [] : attribute.name.local
            let namespace = String(decoding: attribute.value, as: UTF8.self)
            let isReserved = namespace == XMLName.xmlNamespace || namespace == XMLName.xmlnsNamespace
            let isXML = prefix == xml && namespace == XMLName.xmlNamespace
            guard isXML || !isReserved && prefix != xml && prefix != xmlns && (isDefault || !namespace.isEmpty) else {
                throw XMLFault(index: attribute.index, reason: .badNamespace)
            }
            guard !declarations.contains(where: { $0.prefix == prefix }) else {
                throw XMLFault(index: attribute.index, reason: .duplicateAttribute)
            }
            declarations.append(Declaration(prefix: prefix, namespace: namespace))
        }
        return declarations
    }

    private static func attributes(of tag: XMLTag, in scope: Scope) throws(XMLFault) -> [XMLAttribute] {
        var attributes: [XMLAttribute] = []
        for attribute in tag.attributes {
            let prefix = attribute.name.prefix
            if prefix == xmlns || prefix.isEmpty && attribute.name.local == xmlns { continue }
            // The default namespace is not that of attributes.
            guard let namespace = prefix.isEmpty ? "" : scope.namespace(of: prefix) else {
                throw XMLFault(index: attribute.index, reason: .unknownPrefix)
            }
            let isTwice = attributes.contains {
                $0.name.utf8.elementsEqual(attribute.name.local) && $0.namespace.utf8.elementsEqual(namespace.utf8)
            }
            guard !isTwice else { throw XMLFault(index: attribute.index, reason: .duplicateAttribute) }
            let value = String(decoding: attribute.value, as: UTF8.self)
            attributes.append(XMLAttribute(attribute.name.localText, value, namespace: namespace))
        }
        return attributes
    }

    private struct Scope {
        var declarations: [Declaration]
        var frames: [Frame]

        func namespace(of prefix: [UInt8]) -> String? {
            if prefix == xml { return XMLName.xmlNamespace }
            if let own = declarations.first(where: { $0.prefix == prefix }) { return own.namespace }
            for frame in frames.reversed() {
                if let found = frame.declarations.first(where: { $0.prefix == prefix }) { return found.namespace }
            }
            return prefix.isEmpty ? "" : nil
        }
    }
}

private let xml = Array("xml".utf8)
private let xmlns = Array("xmlns".utf8)
