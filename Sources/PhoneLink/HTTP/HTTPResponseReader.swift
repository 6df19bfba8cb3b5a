/// Reads one answer of HTTP/1.1 (RFC 9112) from bytes in pieces of any size. What it keeps is bounded by its limits; after
/// an error it gives nothing more.
package struct HTTPResponseReader: Codable, Equatable, Sendable {
    package enum Event: Codable, Equatable, Sendable {
        case head(HTTPResponseHead)
        /// Never empty.
        case body([UInt8])
        /// The answer is complete.
        case end
        /// Given once; nothing follows.
        case failed(HTTPError)
    }

    package struct Limits: Codable, Equatable, Sendable {
        /// Bytes of status line and fields together, interim answers included; the same again for trailers.
        package var headBytes = 16_384
        package var fields = 100
        /// nil for streams, whose body has no end.
        package var bodyBytes: Int? = 65_536

        package init() {}
        package static let stream: Limits = {
            var limits = Limits()
            limits.bodyBytes = nil
            return limits
        }()
    }

    enum Mode: Codable, Equatable, Sendable {
        case statusLine, fields
        case length(Int)
        case untilClose
        case chunkSize
        case chunk(Int)
        case chunkEnd
        case trailers
        case complete, done, failed
    }

    let limits: Limits
    /// The answer to HEAD has no body whatever it says.
    let isHead: Bool
    var mode = Mode.statusLine
    var head = HTTPResponseHead(status: 0)
    var headBytes = 0
    var bodyBytes = 0
    var trailerFields = 0
    private var pending: [UInt8] = []
    private var position = 0
    /// Up to here there is no line end.
    private var searched = 0
    /// A byte has come.
    package private(set) var hasBegun = false

    package init(limits: Limits = Limits(), isHead: Bool = false) {
        self.limits = limits
        self.isHead = isHead
    }

    /// There are bytes behind the end of the answer, or a second one that nobody asked for.
    package var hasSurplus: Bool { mode == .done && position < pending.count }
    /// Of the final head, once it has been read.
    package var status: Int? {
        switch mode {
        case .statusLine, .fields: nil
        case .length, .untilClose, .chunkSize, .chunk, .chunkEnd, .trailers, .complete, .done, .failed:
            head.status < 200 ? nil : head.status
        }
    }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        guard mode != .failed, !bytes.isEmpty else { return }
        hasBegun = true
        // Behind the end it only matters that there is something.
        if mode == .done, pending.count > position { return }
        if position > 4096 || position == pending.count {
            pending.removeFirst(position)
            searched -= position
            position = 0
        }
        pending.append(contentsOf: bytes)
    }

    /// The next thing that has been read; nil until more bytes come.
    package mutating func next() -> Event? {
        while true {
            switch mode {
            case .done, .failed: return nil
            case .complete:
                mode = .done
                return .end
            case .length(let rest):
                guard let piece = take(rest) else { return nil }
                mode = piece.count == rest ? .complete : .length(rest - piece.count)
                return .body(piece)
            case .chunk(let rest):
                guard let piece = take(rest) else { return nil }
                mode = piece.count == rest ? .chunkEnd : .chunk(rest - piece.count)
                return .body(piece)
            case .untilClose:
                guard let limit = limits.bodyBytes else { return take(.max).map { .body($0) } }
                if bodyBytes == limit, position < pending.count { return fail(.bodyTooLong(limit)) }
                guard let piece = take(limit - bodyBytes) else { return nil }
                bodyBytes += piece.count
                return .body(piece)
            case .statusLine, .fields, .chunkSize, .chunkEnd, .trailers:
                switch takeLine() {
                case nil: return nil
                case .failure(let error)?: return fail(error)
                case .success(let line)?: if let event = read(line) { return event }
                }
            }
        }
    }

    /// The peer closed the connection: what that means for the answer, after all events have been taken.
    package mutating func finish() -> Event? {
        switch mode {
        case .done, .failed: return nil
        case .complete, .untilClose:
            mode = .done
            return .end
        case .statusLine, .fields, .length, .chunkSize, .chunk, .chunkEnd, .trailers: return fail(.cutOff)
        }
    }

    mutating func fail(_ error: HTTPError) -> Event {
        mode = .failed
        pending = []
        position = 0
        searched = 0
        return .failed(error)
    }

    private mutating func take(_ limit: Int) -> [UInt8]? {
        let count = min(limit, pending.count - position)
        guard count > 0 else { return nil }
        defer { advance(to: position + count) }
        return Array(pending[position..<position + count])
    }

    private mutating func advance(to index: Int) {
        position = index
        searched = index
    }

    /// A line without its end, CR LF or LF alone; chunk lines count as part of a head for themselves.
    private mutating func takeLine() -> Result<ArraySlice<UInt8>, HTTPError>? {
        let used = mode == .chunkSize || mode == .chunkEnd ? 0 : headBytes
        let room = limits.headBytes - used
        guard let end = pending[max(searched, position)...].firstIndex(of: 0x0A) else {
            searched = pending.count
            return pending.count - position > room ? .failure(.headTooLong(limits.headBytes)) : nil
        }
        let count = end + 1 - position
        guard count <= room else { return .failure(.headTooLong(limits.headBytes)) }
        if mode != .chunkSize && mode != .chunkEnd { headBytes += count }
        var line = pending[position..<end]
        if line.last == 0x0D { line.removeLast() }
        advance(to: end + 1)
        return .success(line)
    }
}
