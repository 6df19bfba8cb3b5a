/// A start tag, or an XML declaration, taken apart; prefixes not yet resolved.
struct XMLTag {
    struct Attribute {
        var name: XMLQName
        var value: [UInt8]
        /// Index of the name in the tag.
        var index: Int
    }

    var name: XMLQName
    var attributes: [Attribute] = []
    /// `<a/>`
    var isEmpty = false

    /// - Parameter raw: what stands between `<` and `>`
    init(_ raw: [UInt8], limits: XMLReader.Limits) throws(XMLFault) {
        var index: Int
        (name, index) = try XMLName.qualified(raw, from: 0, limit: limits.nameBytes)
        while true {
            let start = index
            Self.skipSpace(raw, &index)
            guard index < raw.count else { return }
            if raw[index] == 0x2F {
                guard index == raw.count - 1 else { throw XMLFault(index: index, reason: .badTag) }
                isEmpty = true
                return
            }
            guard index > start else { throw XMLFault(index: index, reason: .badTag) }
            guard attributes.count < limits.attributes else {
                throw XMLFault(index: index, reason: .tooManyAttributes)
            }
            attributes.append(try Self.attribute(raw, &index, limits))
        }
    }

    private static func attribute(
        _ raw: [UInt8], _ index: inout Int, _ limits: XMLReader.Limits
    ) throws(XMLFault) -> Attribute {
        let start = index
        let name: XMLQName
        (name, index) = try XMLName.qualified(raw, from: index, limit: limits.nameBytes)
        skipSpace(raw, &index)
        guard index < raw.count, raw[index] == 0x3D else { throw XMLFault(index: index, reason: .badTag) }
        index += 1
        skipSpace(raw, &index)
        guard index < raw.count, raw[index] == 0x22 || raw[index] == 0x27,
            let end = raw[(index + 1)...].firstIndex(of: raw[index])
        else { throw XMLFault(index: index, reason: .badTag) }
        let content = index + 1
        index = end + 1
        do throws(XMLFault) {
            return Attribute(
                name: name, value: try XMLText.decode(Array(raw[content..<end]), as: .attribute), index: start)
        } catch {
            throw XMLFault(index: content + error.index, reason: error.reason)
        }
    }

    private static func skipSpace(_ raw: [UInt8], _ index: inout Int) {
        while index < raw.count, XMLName.isSpace(raw[index]) { index += 1 }
    }

    /// Whether this is `xml version="1.…" encoding="UTF-8" standalone="…"` with the last two optional.
    var isDeclarationOfUTF8: Bool {
        guard name == XMLQName(prefix: [], local: Array("xml".utf8)), !isEmpty else { return false }
        var expected = ["version", "encoding", "standalone"][...]
        for attribute in attributes {
            guard attribute.name.prefix.isEmpty, let place = expected.firstIndex(of: attribute.name.localText)
            else { return false }
            let value = String(decoding: attribute.value, as: UTF8.self)
            switch attribute.name.localText {
            case "version": guard value.hasPrefix("1.") && value.utf8.count > 2 else { return false }
            case "encoding": guard value.uppercased() == "UTF-8" else { return false }
            case "standalone": guard value == "yes" || value == "no" else { return false }
            default: return false
            }
            expected = expected[(place + 1)...]
        }
        return attributes.first?.name.localText == "version"
    }
}
