// Searching in texts, byte by byte. Swift's own searches for more than one character live in its library of regular
// expressions, which is a megabyte of the program: nothing else here needs that (tools/lib/firmware-alone looks).

extension StringProtocol {
    /// Where this text is found first; nil where it is nowhere. An empty one is at the start.
    package func range(ofText text: some StringProtocol) -> Range<Index>? {
        let bytes = utf8
        var start = bytes.startIndex
        while true {
            var end = start
            var isFound = true
            for byte in text.utf8 {
                guard end < bytes.endIndex, bytes[end] == byte else {
                    isFound = false
                    break
                }
                end = bytes.index(after: end)
            }
            if isFound { return start..<end }
            guard start < bytes.endIndex else { return nil }
            start = bytes.index(after: start)
        }
    }

    /// Whether this text is found anywhere.
    package func includes(_ text: some StringProtocol) -> Bool { range(ofText: text) != nil }

    /// With each place of this text, which is not empty, replaced.
    package func replacing(text: some StringProtocol, with other: some StringProtocol) -> String {
        var rest = self[...]
        var out = ""
        while !text.isEmpty, let found = rest.range(ofText: text) {
            out += rest[..<found.lowerBound]
            out += other
            rest = rest[found.upperBound...]
        }
        return out + rest
    }
}
