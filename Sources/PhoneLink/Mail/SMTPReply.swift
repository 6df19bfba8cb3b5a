import AlarmModel

/// What a mail server answers: a code and lines of text (RFC 5321 4.2).
package struct SMTPReply: Codable, Equatable, Sendable {
    /// 200…599
    package var code: Int
    /// Printable ASCII, one for each line; of EHLO's answer, the first greets and each other names an extension.
    package var lines: [String]

    package init(code: Int, lines: [String]) {
        self.code = code
        self.lines = lines
    }

    package var isPositive: Bool { (200...299).contains(code) }
    package var isTransient: Bool { (400...499).contains(code) }

    /// The second and third number of an enhanced code (RFC 3463): `5.1.1` gives (1, 1).
    package var enhanced: (subject: Int, detail: Int)? {
        guard let word = lines.first?.split(separator: " ").first else { return nil }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, ["2", "4", "5"].contains(parts[0]), let subject = Int(parts[1]),
            let detail = Int(parts[2])
        else { return nil }
        return (subject, detail)
    }
}

/// Cuts what a mail server sends into replies.
package struct SMTPReplyReader: Codable, Equatable, Sendable {
    package enum Failure: String, Error, Codable, Equatable, Sendable, CaseIterable, CustomStringConvertible {
        case lineTooLong = "a line without end"
        case tooManyLines = "an answer without end"
        case notAReply = "a line that is no answer of a mail server"
        case mixedCodes = "an answer with several codes"
        package var description: String { rawValue }
    }

    /// Bytes of a line; the standard allows 512.
    package static let lineLimit = 2048
    package static let linesLimit = 100
    private var input: [UInt8] = []
    private var open: SMTPReply?
    private var failure: Failure?

    package init() {}

    /// Something came that is not part of a whole reply.
    package var hasRest: Bool { !input.isEmpty || open != nil }

    package mutating func append(_ bytes: some Sequence<UInt8>) {
        if failure == nil { input += bytes }
    }

    /// The next whole reply; nil: more bytes are needed. After a failure nothing is read any more.
    package mutating func next() throws(Failure) -> SMTPReply? {
        if let failure { throw failure }
        while let end = input.firstIndex(of: 0x0A) {
            var line = Array(input[..<end])
            input.removeFirst(end + 1)
            if line.last == 0x0D { line.removeLast() }
            guard line.count <= Self.lineLimit else { throw fail(.lineTooLong) }
            if let reply = try take(line) { return reply }
        }
        guard input.count <= Self.lineLimit else { throw fail(.lineTooLong) }
        return nil
    }

    private mutating func take(_ line: [UInt8]) throws(Failure) -> SMTPReply? {
        guard line.count >= 3, line.prefix(3).allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw fail(.notAReply)
        }
        let code = line.prefix(3).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        let isMore = line.count > 3 && line[3] == UInt8(ascii: "-")
        guard (200...599).contains(code), line.count == 3 || isMore || line[3] == 0x20 else {
            throw fail(.notAReply)
        }
        var reply = open ?? SMTPReply(code: code, lines: [])
        guard reply.code == code else { throw fail(.mixedCodes) }
        guard reply.lines.count < Self.linesLimit else { throw fail(.tooManyLines) }
        let text = String(decoding: line.dropFirst(4), as: UTF8.self)
        reply.lines.append(PeerText.printable(text, limit: 512))
        open = isMore ? reply : nil
        return isMore ? nil : reply
    }

    private mutating func fail(_ failure: Failure) -> Failure {
        self.failure = failure
        input = []
        open = nil
        return failure
    }
}
