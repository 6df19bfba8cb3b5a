/// Reads an XMPP stream (RFC 6120 4 and 11) from bytes in pieces of any size: the header, the stanzas, the end.
///
/// Refuses document types, processing instructions, comments and entities beyond the five. After the first error it
/// gives nothing more. What it keeps is bounded by its limits.
package struct XMLReader: Codable, Equatable, Sendable {
    package enum Event: Codable, Equatable, Sendable {
        /// The stream's own start tag: name, namespace and attributes; its content follows as further events.
        case opened(XMLElement)
        /// A complete child of the stream.
        case element(XMLElement)
        /// The stream's end tag.
        case closed
        /// Given once; nothing follows.
        case failed(XMLError)
    }

    package struct Limits: Codable, Equatable, Sendable {
        /// Levels below the stream's own element.
        package var depth = 32
        /// Bytes of a stanza, or of the stream's header.
        package var stanzaBytes = 65_536
        /// Elements in a stanza, itself included.
        package var elements = 2048
        /// Attributes of an element, declarations of namespaces included.
        package var attributes = 64
        /// Bytes of a name with its prefix.
        package var nameBytes = 256
        /// A stanza whose content is too deep, too wide or named too long is given without its content, instead of ending
        /// the stream.
        package var passesOver = false
        package init() {}
    }

    enum Mode: String, Codable {
        case text
        /// Behind `<`.
        case markup
        case startTag
        case endTag
        /// Behind `<!`, until it is clear that it is a section.
        case bang
        case section
        case declaration
        case failed
    }

    struct Frame: Codable, Equatable, Sendable {
        var name: XMLQName
        var element: XMLElement
        var text: [UInt8] = []
        var declarations: [Declaration]
    }

    struct Declaration: Codable, Equatable, Sendable {
        var prefix: [UInt8]
        var namespace: String
    }

    package let limits: Limits
    private var pending: [UInt8] = []
    private var position = 0
    private var queued: Event?
    private var mode = Mode.text
    /// The text or markup that is being read.
    var token: [UInt8] = []
    private var tokenOffset = 0
    private var quote: UInt8 = 0
    private var lastInTag: UInt8 = 0
    private var offset = 0
    /// Bytes and elements of the stanza that is being read.
    private var size = 0
    var elements = 0
    private var isDeclared = false
    var isOver = false
    /// The open elements, the stream's own first.
    var frames: [Frame] = []
    /// Open elements below `frames` that are counted and not kept; nil: nothing of this stanza is passed over.
    var passed: Int?

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Whether an error was found.
    package var hasFailed: Bool { mode == .failed }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if !hasFailed { pending.append(contentsOf: bytes) }
    }

    /// A new stream begins with the next byte, as after a successful login; bytes not yet read belong to it.
    package mutating func restart() {
        guard !hasFailed else { return }
        var fresh = XMLReader(limits: limits)
        fresh.pending = Array(pending[position...])
        self = fresh
    }

    /// The next event, or nil when more bytes are needed.
    package mutating func next() -> Event? {
        if let event = queued {
            queued = nil
            return event
        }
        while position < pending.count {
            position += 1
            do throws(XMLError) {
                if let event = try consume(pending[position - 1]) { return event }
            } catch {
                self = XMLReader(limits: limits)
                mode = .failed
                return .failed(error)
            }
        }
        pending = []
        position = 0
        return nil
    }

    private mutating func consume(_ byte: UInt8) throws(XMLError) -> Event? {
        offset += 1
        if mode != .text || frames.count > 1 {
            size += 1
            guard size <= limits.stanzaBytes else { throw fault(.tooLong) }
        }
        switch mode {
        case .text: return try consumeText(byte)
        case .markup: return try consumeMarkup(byte)
        case .startTag: return try consumeStartTag(byte)
        case .endTag: return try consumeEndTag(byte)
        case .bang: try consumeBang(byte)
        case .section: try consumeSection(byte)
        case .declaration: try consumeDeclaration(byte)
        case .failed: break
        }
        return nil
    }

    private mutating func consumeText(_ byte: UInt8) throws(XMLError) -> Event? {
        if byte == 0x3C {
            if frames.count > 1 {
                try endText(as: .text)
            } else {
                size = 1
                elements = 0
            }
            mode = .markup
            return nil
        }
        guard frames.count > 1 else {
            // Spaces between stanzas keep a connection alive; nothing is kept of them.
            guard XMLName.isSpace(byte) else { throw fault(isOver ? .afterEnd : .textOutside) }
            return nil
        }
        if token.isEmpty { tokenOffset = offset - 1 }
        token.append(byte)
        return nil
    }

    private mutating func consumeMarkup(_ byte: UInt8) throws(XMLError) -> Event? {
        guard !isOver else { throw fault(.afterEnd) }
        begin(.startTag)
        switch byte {
        case 0x2F: mode = .endTag
        case 0x21: mode = .bang
        case 0x3F:
            guard frames.isEmpty, !isDeclared else { throw fault(.instruction) }
            mode = .declaration
        default:
            tokenOffset -= 1
            return try consumeStartTag(byte)
        }
        return nil
    }

    private mutating func consumeStartTag(_ byte: UInt8) throws(XMLError) -> Event? {
        if quote != 0 {
            guard byte != 0x3C else { throw fault(.badTag) }
            if byte == quote { quote = 0 }
        } else if byte == 0x3E {
            mode = .text
            let event: Event?
            do throws(XMLFault) { event = try startElement() } catch { throw fault(error) }
            token = []
            return event
        } else if byte == 0x22 || byte == 0x27 {
            guard lastInTag == 0x3D else { throw fault(.badTag) }
            quote = byte
        } else if byte == 0x3C {
            throw fault(.badTag)
        }
        if !XMLName.isSpace(byte) { lastInTag = byte }
        token.append(byte)
        return nil
    }

    private mutating func consumeEndTag(_ byte: UInt8) throws(XMLError) -> Event? {
        guard byte != 0x3C else { throw fault(.badTag) }
        guard byte == 0x3E else {
            token.append(byte)
            return nil
        }
        mode = .text
        let event: Event?
        do throws(XMLFault) { event = try endElement() } catch { throw fault(error) }
        token = []
        return event
    }

    private mutating func consumeBang(_ byte: UInt8) throws(XMLError) {
        let opening = Array("[CDATA[".utf8)
        token.append(byte)
        guard opening.starts(with: token) else {
            throw fault(token[0] == 0x2D ? .comment : token[0] == 0x44 ? .documentType : .badMarkup)
        }
        guard token.count == opening.count else { return }
        guard frames.count > 1 else { throw fault(.textOutside) }
        begin(.section)
    }

    private mutating func consumeSection(_ byte: UInt8) throws(XMLError) {
        token.append(byte)
        guard byte == 0x3E, token.count >= 3, token.suffix(3).elementsEqual([0x5D, 0x5D, 0x3E]) else { return }
        token.removeLast(3)
        try endText(as: .section)
        mode = .text
    }

    private mutating func consumeDeclaration(_ byte: UInt8) throws(XMLError) {
        guard byte == 0x3E, token.last == 0x3F else {
            token.append(byte)
            // Any other instruction is refused as soon as it can be told.
            let opening = Array("xml".utf8)
            let isOne = token.count <= 3 ? opening.starts(with: token) : XMLName.isSpace(token[3])
            guard isOne else { throw fault(.instruction) }
            return
        }
        token.removeLast()
        var isValid = false
        do throws(XMLFault) { isValid = try XMLTag(token, limits: limits).isDeclarationOfUTF8 } catch {
            throw fault(error)
        }
        guard isValid else { throw fault(.badDeclaration) }
        isDeclared = true
        token = []
        mode = .text
    }

    private mutating func begin(_ mode: Mode) {
        self.mode = mode
        token = []
        tokenOffset = offset
        quote = 0
        lastInTag = 0
    }

    private mutating func endText(as kind: XMLText.Kind) throws(XMLError) {
        guard !token.isEmpty else { return }
        guard passed == nil else { return token = [] }
        do throws(XMLFault) {
            frames[frames.count - 1].text += try XMLText.decode(token, as: kind)
        } catch {
            throw fault(error)
        }
        token = []
    }

    /// The stream's own element began and ended in one tag.
    mutating func alsoClosed() { queued = .closed }

    private func fault(_ reason: XMLError.Reason) -> XMLError { XMLError(offset: max(0, offset - 1), reason: reason) }

    private func fault(_ fault: XMLFault) -> XMLError {
        XMLError(offset: tokenOffset + fault.index, reason: fault.reason)
    }
}
