extension IPAddress {
    /// Reads dotted IPv4 or IPv6 with at most one `::`; nil for anything else.
    package init?(_ text: String) {
        if text.contains(":") {
            guard let bytes = Self.parseIPv6(text) else { return nil }
            self.init(bytes: bytes)
        } else {
            guard let bytes = Self.parseIPv4(Substring(text)) else { return nil }
            self.init(bytes: bytes)
        }
    }

    package var description: String {
        guard isIPv6 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        guard let run = Self.longestZeroRun(groups) else {
            return groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        let head = groups[..<run.lowerBound].map { String($0, radix: 16) }.joined(separator: ":")
        let tail = groups[run.upperBound...].map { String($0, radix: 16) }.joined(separator: ":")
        return head + "::" + tail
    }

    private static func parseIPv4(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard part.count <= 3, part.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }), let byte = UInt8(part) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }

    private static func parseIPv6(_ text: String) -> [UInt8]? {
        let halves = splitAtDoubleColon(text)
        guard halves.count <= 2 else { return nil }
        guard let head = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return head.count == 16 ? head : nil }
        guard let tail = groups(halves[1]), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func splitAtDoubleColon(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var start = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.index(after: index)
            if text[index] == ":", next < text.endIndex, text[next] == ":" {
                parts.append(text[start..<index])
                start = text.index(after: next)
                index = start
            } else {
                index = next
            }
        }
        parts.append(text[start...])
        return parts
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index == parts.count - 1, part.contains(".") {
                guard let four = parseIPv4(part) else { return nil }
                bytes += four
            } else {
                guard (1...4).contains(part.count), let group = UInt16(part, radix: 16),
                    part.utf8.first != UInt8(ascii: "+")
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }

    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var index = 0
        while index < groups.count {
            var end = index
            while end < groups.count, groups[end] == 0 { end += 1 }
            if end - index >= 2, end - index > (best?.count ?? 0) { best = index..<end }
            index = max(end, index + 1)
        }
        return best
    }
}
