extension XMLElement {
    /// The element as text, in a place where `namespace` is the default.
    ///
    /// Characters that XML cannot carry become U+FFFD.
    package func text(inside namespace: String) -> String {
        var text = ""
        write(into: &text, inside: namespace)
        return text
    }

    private func write(into out: inout String, inside outer: String) {
        out += "<" + name
        if namespace != outer { out += " xmlns=\"\(Self.escapedAttribute(namespace))\"" }
        for (index, attribute) in attributes.enumerated() {
            if attribute.namespace == XMLName.xmlNamespace {
                out += " xml:"
            } else if attribute.namespace.isEmpty {
                out += " "
            } else {
                out += " xmlns:n\(index)=\"\(Self.escapedAttribute(attribute.namespace))\" n\(index):"
            }
            out += "\(attribute.name)=\"\(Self.escapedAttribute(attribute.value))\""
        }
        if text.isEmpty && children.isEmpty {
            out += "/>"
            return
        }
        out += ">" + Self.escaped(text)
        for child in children { child.write(into: &out, inside: namespace) }
        out += "</\(name)>"
    }

    /// Text between tags.
    package static func escaped(_ text: String) -> String { escape(text, isAttribute: false) }

    /// The value of an attribute, to stand between double quotes.
    package static func escapedAttribute(_ text: String) -> String { escape(text, isAttribute: true) }

    private static func escape(_ text: String, isAttribute: Bool) -> String {
        // Almost all that is sent is such.
        if text.utf8.allSatisfy({ isPlain($0, isAttribute: isAttribute) }) { return text }
        var out = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out.append(contentsOf: "&amp;".unicodeScalars)
            case "<": out.append(contentsOf: "&lt;".unicodeScalars)
            case ">": out.append(contentsOf: "&gt;".unicodeScalars)
            case "\"" where isAttribute: out.append(contentsOf: "&quot;".unicodeScalars)
            // Written as they are, a reader would take them for line ends or spaces.
            case "\r": out.append(contentsOf: "&#13;".unicodeScalars)
            case "\n" where isAttribute: out.append(contentsOf: "&#10;".unicodeScalars)
            case "\t" where isAttribute: out.append(contentsOf: "&#9;".unicodeScalars)
            default: out.append(XMLName.isCharacter(scalar.value) ? scalar : "\u{FFFD}")
            }
        }
        return String(out)
    }

    /// ASCII that stands for itself there.
    private static func isPlain(_ byte: UInt8, isAttribute: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"): false
        case UInt8(ascii: "\""): !isAttribute
        default: (0x20..<0x7F).contains(byte)
        }
    }
}
