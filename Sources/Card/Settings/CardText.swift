import YAMLConfiguration

/// The owner's `howalarming.yaml` as it lies on the card: which secrets stand in it, and the same text without them.
///
/// Guarantees: what is left is the owner's text byte for byte, line ends, comments and byte order mark included, and it
/// says the same but for the secrets; otherwise it is a problem with a place, and nothing is made of it.
struct CardText {
    struct Written {
        var place: SecretPlace
        var node: YAMLNode
        var text: String
    }

    let bytes: [UInt8]
    let root: YAMLNode

    static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// Stands where a secret stood.
    private static let remark = "''  # kept on the box"

    init(_ bytes: [UInt8]) throws(YAMLProblem) {
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw YAMLProblem(
                mark: .start, what: "the file is not stored as UTF-8",
                expected: "UTF-8; in Notepad: 'Save as', and 'Encoding' UTF-8")
        }
        self.bytes = bytes
        root = try YAMLDocument.parse(bytes).root
    }

    /// The secrets that are written out, in the order of `SecretPlace`.
    var written: [Written] {
        SecretPlace.all(in: root).compactMap { place in
            guard let node = root[place.path], !node.isBlank, case .scalar(let text, _) = node.content else {
                return nil
            }
            return Written(place: place, node: node, text: text)
        }
    }

    /// The secrets whose line is there without a value: those that were taken before.
    var blank: [SecretPlace] { SecretPlace.all(in: root).filter { root[$0.path]?.isBlank ?? false } }

    /// The text with nothing in place of each secret.
    func blanked() throws(YAMLProblem) -> [UInt8] {
        let written = written
        var text = bytes
        for secret in written.sorted(by: { $0.node.extent.lowerBound > $1.node.extent.lowerBound }) {
            guard let range = range(of: secret.node.extent) else { throw Self.notTaken(secret) }
            let rest = bytes[range.upperBound...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            let endsLine = rest.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            text.replaceSubrange(range, with: Array((endsLine ? Self.remark : "''").utf8))
        }
        let left = try? YAMLDocument.parse(text).root
        for secret in written where !(left?[secret.place.path]?.isBlank ?? false) { throw Self.notTaken(secret) }
        let places = written.map(\.place.path)
        let without = places.reduce(root) { $0.removing($1) }
        guard let left, places.reduce(left, { $0.removing($1) }).saysTheSame(as: without) else {
            throw written.first.map(Self.notTaken) ?? YAMLProblem(mark: .start, what: "the file cannot be changed")
        }
        return text
    }

    /// The text with the line that names the secrets file: what the daemon reads.
    static func working(_ blanked: [UInt8], secrets: String) throws(YAMLProblem) -> [UInt8] {
        let before = try YAMLDocument.parse(blanked).root
        let working = blanked + ending(secrets)
        guard let after = try? YAMLDocument.parse(working).root,
            case .scalar(secrets, _)? = after[["secrets"]]?.content,
            after.removing(["secrets"]).saysTheSame(as: before)
        else {
            let lines = blanked.reduce(into: 1) { $0 += $1 == UInt8(ascii: "\n") ? 1 : 0 }
            throw YAMLProblem(
                mark: YAMLMark(line: lines, column: 1), what: "nothing can be added at the end of the file",
                expected: "sections that begin in the first column, no '...' and no braces around all of them")
        }
        return working
    }

    /// The owner's text out of what the daemon reads; nil if that was not made by `working`.
    static func owners(_ working: [UInt8], secrets: String) -> [UInt8]? {
        let ending = ending(secrets)
        guard working.count > ending.count, working.suffix(ending.count).elementsEqual(ending) else { return nil }
        return Array(working.dropLast(ending.count))
    }

    private static func ending(_ secrets: String) -> [UInt8] {
        Array("\n# Added by 'howalarming card'; the lines above are those of the card.\nsecrets: \(secrets)\n".utf8)
    }

    private static func notTaken(_ secret: Written) -> YAMLProblem {
        YAMLProblem(
            mark: secret.node.mark, what: "'\(secret.place.name)' cannot be taken from where it stands",
            expected: "the value on the same line as its key, in single quotes")
    }

    /// Bytes of a range of characters, which are counted behind the byte order mark.
    private func range(of extent: Range<Int>) -> Range<Int>? {
        var index = bytes.starts(with: Self.mark) ? Self.mark.count : 0
        var character = 0
        var lower: Int?
        while true {
            if character == extent.lowerBound, lower == nil { lower = index }
            if character == extent.upperBound { return lower.map { $0..<index } }
            guard index < bytes.count else { return nil }
            index += 1
            while index < bytes.count, bytes[index] & 0xC0 == 0x80 { index += 1 }
            character += 1
        }
    }
}
