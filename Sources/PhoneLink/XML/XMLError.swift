/// Why a stream is not XML, or not the part of XML that XMPP allows (RFC 6120 11), or beyond our limits.
package struct XMLError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// Bytes before the place, counted from the start of the stream or from its last restart.
    package var offset: Int
    package var reason: Reason

    package enum Reason: String, Codable, Equatable, Sendable, CaseIterable {
        case notUTF8 = "not UTF-8"
        case badCharacter = "a character that XML does not allow"
        case badEntity = "an entity that is not one of the five, or a wrong character reference"
        case badName = "not a name"
        case badTag = "not a tag"
        case badMarkup = "markup that is none"
        case badDeclaration = "not an XML declaration for UTF-8"
        case wrongEndTag = "an end tag that ends nothing"
        case duplicateAttribute = "an attribute twice"
        case unknownPrefix = "a prefix without namespace"
        case badNamespace = "a namespace that cannot be declared"
        case sectionEnd = "]]> in text"
        case textOutside = "text outside of a stanza"
        case afterEnd = "something follows the end of the stream"
        case comment = "a comment, which XMPP forbids"
        case documentType = "a document type, which XMPP forbids"
        case instruction = "a processing instruction, which XMPP forbids"
        case tooDeep = "elements are nested deeper than allowed"
        case tooLong = "a stanza is longer than allowed"
        case tooManyElements = "a stanza has more elements than allowed"
        case tooManyAttributes = "an element has more attributes than allowed"
        case nameTooLong = "a name is longer than allowed"
    }

    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    package var description: String { "not valid XMPP at byte \(offset): \(reason.rawValue)" }
}

extension XMLError.Reason {
    /// True if the element is well formed and beyond the limits.
    var isOfSize: Bool {
        switch self {
        case .tooDeep, .tooManyElements, .tooManyAttributes, .nameTooLong: true
        case .notUTF8, .badCharacter, .badEntity, .badName, .badTag, .badMarkup, .badDeclaration, .wrongEndTag,
            .duplicateAttribute, .unknownPrefix, .badNamespace, .sectionEnd, .textOutside, .afterEnd, .comment,
            .documentType, .instruction, .tooLong:
            false
        }
    }
}

/// A fault at an index of a token, whose place in the stream only the reader knows.
struct XMLFault: Error {
    var index: Int
    var reason: XMLError.Reason
}
