import AlarmModel

/// Reads the requests of one connection from bytes in pieces of any size (RFC 9112).
struct HTTPRequestReader: Sendable {
    enum Problem: Error, Equatable, Sendable { case malformed, headTooLong, bodyTooLong }

    static let headLimit = 65_536
    static let bodyLimit = 4_194_304
    let connection: ConnectionID
    private var pending: [UInt8] = []
    private var request: HTTPServerRequest?
    private var body = Body.length(0)

    private enum Body: Equatable, Sendable {
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
    }

    init(_ connection: ConnectionID) { self.connection = connection }

    mutating func append(_ bytes: [UInt8]) { pending += bytes }

    /// What has come and belongs to no request that was given.
    mutating func takePending() -> [UInt8] {
        defer { pending = [] }
        return pending
    }

    /// The next whole request; nil until more bytes come.
    mutating func next() throws(Problem) -> HTTPServerRequest? {
        if request == nil {
            guard let head = try takeHead() else { return nil }
            request = head
        }
        guard try takeBody(), let whole = request else { return nil }
        request = nil
        return whole
    }

    private mutating func takeHead() throws(Problem) -> HTTPServerRequest? {
        // Empty lines before a request are skipped (RFC 9112 2.2).
        while pending.first == 13 || pending.first == 10 { pending.removeFirst() }
        var lines: [String] = []
        var start = 0
        while let end = pending[start...].firstIndex(of: 10) {
            let line = pending[start..<end]
            start = end + 1
            guard start <= Self.headLimit else { throw .headTooLong }
            let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            if text.isEmpty {
                pending.removeFirst(start)
                return try head(lines)
            }
            lines.append(text)
        }
        guard pending.count <= Self.headLimit else { throw .headTooLong }
        return nil
    }

    private mutating func head(_ lines: [String]) throws(Problem) -> HTTPServerRequest {
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false).map(
            String.init)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."),
            words[1].hasPrefix("/") || words[1] == "*"
        else {
            throw .malformed
        }
        var fields: [HTTPServerRequest.Field] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { throw .malformed }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(HTTPServerRequest.Field(String(line[..<colon]), String(value)))
        }
        var request = HTTPServerRequest(
            connection: connection, method: words[0], target: words[1], fields: fields)
        let option = request.field("Connection")?.lowercased() ?? ""
        request.keepsAlive = words[2] == "HTTP/1.0" ? option == "keep-alive" : option != "close"
        if request.field("Transfer-Encoding")?.lowercased() == "chunked" {
            body = .chunkSize
        } else if let text = request.field("Content-Length") {
            guard let count = Int(text), count >= 0 else { throw .malformed }
            guard count <= Self.bodyLimit else { throw .bodyTooLong }
            body = .length(count)
        } else {
            body = .length(0)
        }
        return request
    }

    /// Whether the body is complete.
    private mutating func takeBody() throws(Problem) -> Bool {
        while true {
            switch body {
            case .length(let count):
                guard pending.count >= count else { return false }
                take(count)
                return true
            case .chunkSize:
                guard let line = takeLine() else { return false }
                guard let size = Int(line.split(separator: ";").first ?? "", radix: 16), size >= 0 else {
                    throw .malformed
                }
                guard size + (request?.body.count ?? 0) <= Self.bodyLimit else { throw .bodyTooLong }
                body = size == 0 ? .trailers : .chunk(size)
            case .chunk(let count):
                guard pending.count >= count else { return false }
                take(count)
                body = .chunkEnd
            case .chunkEnd:
                guard let line = takeLine() else { return false }
                guard line.isEmpty else { throw .malformed }
                body = .chunkSize
            case .trailers:
                guard let line = takeLine() else { return false }
                if line.isEmpty { return true }
            }
        }
    }

    private mutating func take(_ count: Int) {
        request?.body += pending.prefix(count)
        pending.removeFirst(count)
    }

    private mutating func takeLine() -> String? {
        guard let end = pending.firstIndex(of: 10) else { return nil }
        let line = pending[..<end]
        let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
        pending.removeFirst(end + 1)
        return text
    }
}
