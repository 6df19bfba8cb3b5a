import AlarmModel

extension HTTPResponseReader {
    /// What a line means where we are.
    mutating func read(_ line: ArraySlice<UInt8>) -> Event? {
        switch mode {
        case .statusLine: return readStatus(line)
        case .fields:
            if !line.isEmpty { return readField(line) }
            return endOfHead()
        case .chunkSize: return readChunkSize(line)
        case .chunkEnd:
            guard line.isEmpty else { return fail(.malformedChunk) }
            mode = .chunkSize
            return nil
        case .trailers:
            if line.isEmpty {
                mode = .complete
                return nil
            }
            trailerFields += 1
            guard trailerFields <= limits.fields else { return fail(.tooManyFields(limits.fields)) }
            return nil
        case .length, .chunk, .untilClose, .complete, .done, .failed: return nil
        }
    }

    /// `HTTP/1.1 200 OK`; the reason may be missing.
    private mutating func readStatus(_ line: ArraySlice<UInt8>) -> Event? {
        let bytes = Array(line)
        guard bytes.count >= 12, bytes.starts(with: "HTTP/1.".utf8), HTTPText.isDigit(bytes[7]), bytes[8] == 0x20,
            let status = HTTPText.number(bytes[9..<12]), (100...599).contains(status),
            bytes.count == 12 || bytes[12] == 0x20, HTTPText.isFieldValue(bytes)
        else { return fail(.notHTTP) }
        head = HTTPResponseHead(
            status: status, reason: String(decoding: bytes.dropFirst(13), as: UTF8.self),
            minorVersion: Int(bytes[7] - 0x30))
        mode = .fields
        return nil
    }

    private mutating func readField(_ line: ArraySlice<UInt8>) -> Event? {
        guard HTTPText.isFieldValue(line) else { return fail(.malformedField) }
        if line.first == 0x20 || line.first == 0x09 {
            // A value on several lines (RFC 9112 5.2).
            guard let last = head.fields.last else { return fail(.malformedField) }
            let more = String(decoding: HTTPText.trimmed(line), as: UTF8.self)
            head.fields[head.fields.count - 1] = HTTPField(last.name, last.value + " " + more)
            return nil
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HTTPText.isToken(line[..<colon]) else {
            return fail(.malformedField)
        }
        guard head.fields.count < limits.fields else { return fail(.tooManyFields(limits.fields)) }
        let value = HTTPText.trimmed(line[(colon + 1)...])
        head.fields.append(
            HTTPField(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        return nil
    }

    /// How the body is delimited (RFC 9112 6.3).
    private mutating func endOfHead() -> Event? {
        if head.status == 101 { return fail(.switched) }
        if head.status < 200 {
            mode = .statusLine
            return nil
        }
        headBytes = 0
        if isHead || head.status == 204 || head.status == 304 {
            mode = .complete
            return .head(head)
        }
        let encodings = head.list("Content-Encoding").filter { $0.lowercased() != "identity" }
        if let encoding = encodings.first { return fail(.encoded(PeerText.printable(encoding, limit: 40))) }
        let transfers = head.list("Transfer-Encoding").map { $0.lowercased() }
        let lengths = head.fields.contains { $0.isNamed("Content-Length") } ? head.list("Content-Length") : nil
        if !transfers.isEmpty {
            guard lengths == nil, head.minorVersion >= 1 else { return fail(.contradictoryLength) }
            guard transfers == ["chunked"] else {
                return fail(.encoded(PeerText.printable(transfers.joined(separator: ", "), limit: 40)))
            }
            mode = .chunkSize
        } else if let lengths {
            guard let first = lengths.first, let count = HTTPText.number(Array(first.utf8)) else {
                return fail(.malformedLength)
            }
            guard lengths.allSatisfy({ $0 == first }) else { return fail(.contradictoryLength) }
            if let limit = limits.bodyBytes, count > limit { return fail(.bodyTooLong(limit)) }
            mode = count == 0 ? .complete : .length(count)
        } else {
            mode = .untilClose
        }
        return .head(head)
    }

    /// A size in hexadecimal digits; extensions behind it mean nothing to us.
    private mutating func readChunkSize(_ line: ArraySlice<UInt8>) -> Event? {
        let digits = HTTPText.trimmed(line.prefix { $0 != UInt8(ascii: ";") })
        guard (1...15).contains(digits.count), HTTPText.isFieldValue(line), digits.allSatisfy({ $0.isHexDigit }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return fail(.malformedChunk) }
        if size == 0 {
            mode = .trailers
            return nil
        }
        if let limit = limits.bodyBytes {
            guard size <= limit - bodyBytes else { return fail(.bodyTooLong(limit)) }
            bodyBytes += size
        }
        mode = .chunk(size)
        return nil
    }
}

extension UInt8 {
    fileprivate var isHexDigit: Bool {
        switch self {
        case 0x30...0x39, UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
        default: false
        }
    }
}
