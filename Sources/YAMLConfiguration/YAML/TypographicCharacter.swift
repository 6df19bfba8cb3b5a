/// A character that editors and web pages write instead of one of the keyboard, and that looks like it or like nothing.
struct TypographicCharacter: Equatable {
    var mark: YAMLMark
    /// `a no-break space (U+00A0)`
    var words: String
    /// Character that belongs there.
    var expected: String

    private enum Kind {
        case space, nothing, quote

        init?(_ scalar: Unicode.Scalar) {
            switch scalar.value {
            case 0xA0, 0x2007, 0x202F: self = .space
            case 0xAD, 0x200B...0x200F, 0x2060, 0xFEFF: self = .nothing
            case 0x2018...0x201F: self = .quote
            default: return nil
            }
        }
    }

    private init(_ scalar: Unicode.Scalar, _ kind: Kind, at mark: YAMLMark) {
        self.mark = mark
        let number = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number
        switch kind {
        case .space: (words, expected) = ("a no-break space (\(code))", "an ordinary space, or nothing")
        case .nothing: (words, expected) = ("an invisible character (\(code))", "nothing there")
        case .quote: (words, expected) = ("a typographic quote (\(code))", "a straight quote: ' or \"")
        }
    }

    /// First one in these lines of a file outside of its comments; nil: there is none. Lines count from 1.
    static func first(in bytes: [UInt8], lines: ClosedRange<Int>) -> TypographicCharacter? {
        let text = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for number in lines where text.indices.contains(number - 1) {
            let line = String(decoding: text[number - 1], as: UTF8.self)
            var before: Unicode.Scalar = " "
            for (column, scalar) in line.unicodeScalars.enumerated() {
                if scalar == "#", before == " " { break }
                before = scalar
                // The file's own mark.
                if number == 1, column == 0, scalar.value == 0xFEFF { continue }
                guard let kind = Kind(scalar) else { continue }
                return TypographicCharacter(scalar, kind, at: YAMLMark(line: number, column: column + 1))
            }
        }
        return nil
    }

    /// First one in a value or key that cannot be meant: a quote around it, a space that is none, or what nobody sees. A quote
    /// within a name is a letter of it.
    static func first(in text: String, at mark: YAMLMark) -> TypographicCharacter? {
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard let kind = Kind(scalar) else { continue }
            if kind == .quote, index != 0 { continue }
            return TypographicCharacter(scalar, kind, at: YAMLMark(line: mark.line, column: mark.column + index))
        }
        return nil
    }
}

extension YAMLNode {
    /// Typographic characters of all values and keys without quotes, in the order of the file.
    var typographicCharacters: [TypographicCharacter] {
        var found: [TypographicCharacter] = []
        var left = [self]
        while let node = left.popLast() {
            switch node.content {
            case .scalar(let text, .plain):
                found += [TypographicCharacter.first(in: text, at: node.mark)].compactMap { $0 }
            case .scalar(_, .quoted): break
            case .sequence(let items): left += items.reversed()
            case .mapping(let entries):
                found += entries.compactMap { TypographicCharacter.first(in: $0.key, at: $0.keyMark) }
                left += entries.reversed().map(\.value)
            }
        }
        return found.sorted { $0.mark < $1.mark }
    }
}
