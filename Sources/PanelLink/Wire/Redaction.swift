/// Takes passwords, user codes and keys out of a line before it is formatted (docs/envisalink.md 5.15).
///
/// The rules look at the line alone. Values known from the configuration are masked by `Redactor` besides.
package enum Redaction {
    /// Stands for a secret of any length.
    package static let mask = "****"
    /// The longest text made of a line, in characters.
    package static let limit = 80

    /// Code and data of a line that is known to be well-formed, of either direction, in full length.
    package static func payload(code: String, data: String) -> String {
        if data.isEmpty { return code }
        switch code {
        case "005", "200": return code + mask
        case "033", "040", "071":
            guard let partition = data.utf8.first, (0x30...0x39).contains(partition) else { return code + mask }
            return data.utf8.count == 1 ? code + data : "\(code)\(data.prefix(1))\(mask)"
        default: return code + data
        }
    }

    /// Any line of either direction, with or without line end; by `payload` if it is well-formed, else by `rejected`.
    package static func line(_ bytes: [UInt8]) -> String {
        switch LineReader.read(bytes[...]) {
        case .line(let line): line.redacted
        case .rejected(let rejection): rejection.text
        case nil: ""
        }
    }

    /// Input that is not a line: what follows anything that looks like the code of a secret is masked, and so are runs
    /// of four or more digits, but for a code at the beginning.
    package static func rejected(_ bytes: some Collection<UInt8>) -> String {
        // More is never shown, however long the line is.
        let isCut = bytes.count > limit * 2
        let bytes = Array(bytes.prefix(limit * 2))
        let start = LineReader.hasStamp(bytes[...]) ? 9 : 0
        let end = secretStart(bytes, from: start)
        var text = printable(bytes[..<start])
        var index = start
        while index < end {
            let runEnd = bytes[index..<end].firstIndex { !isDigit($0) } ?? end
            if runEnd - index >= 4 {
                if index == start { text += printable(bytes[index..<index + 3]) }
                text += mask
                index = runEnd
            } else {
                let next = max(runEnd, index + 1)
                text += printable(bytes[index..<next])
                index = next
            }
        }
        if end < bytes.count, !text.hasSuffix(mask) { text += mask }
        return bounded(isCut ? text + cutMark : text)
    }

    /// Bytes as text: printable ASCII as it is, everything else and the backslash as `\xNN`.
    package static func printable(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte >= 0x20, byte <= 0x7E, byte != 0x5C {
                text.append(byte)
            } else {
                text += [0x5C, 0x78, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Cuts to `limit` characters; a cut text ends in three points.
    package static func bounded(_ text: String) -> String {
        text.utf8.count <= limit ? text : String(text.prefix(limit - 3)) + cutMark
    }

    static let cutMark = "..."

    private static let digits = Array("0123456789ABCDEF".utf8)
    private static let secretCodes = ["005", "033", "040", "071", "200"].map { Array($0.utf8) }

    /// Where the first secret begins: behind a code at the beginning (and its partition), or behind the first place
    /// that reads like one.
    private static func secretStart(_ bytes: [UInt8], from start: Int) -> Int {
        guard bytes.count >= start + 3 else { return bytes.count }
        for index in start...(bytes.count - 3) {
            let candidate = bytes[index..<index + 3]
            guard secretCodes.contains(where: { candidate.elementsEqual($0) }) else { continue }
            return index + 3
        }
        return bytes.count
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

extension DSCLine {
    /// Code and data in full length, without checksum and stamp: what an event keeps as `raw`.
    package var raw: String { Redaction.payload(code: code, data: data) }

    /// `raw` with the stamp, cut to 80 characters, for the trace.
    package var redacted: String { Redaction.bounded((stamp.map { $0 + " " } ?? "") + raw) }
}
