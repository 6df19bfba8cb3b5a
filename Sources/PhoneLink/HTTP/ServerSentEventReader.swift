/// An event of a server's event stream.
package struct ServerSentEvent: Codable, Equatable, Sendable {
    /// `message` where the server names none.
    package var type: String
    /// Lines are joined by line feeds.
    package var data: String
    /// The last one that the stream has named, with this event or before it; empty: none.
    package var id: String
    package init(type: String = "message", data: String, id: String = "") {
        self.type = type
        self.data = data
        self.id = id
    }
}

/// Reads an event stream (WHATWG HTML 9.2) from bytes in pieces of any size. An event that is too long is left out and
/// told.
package struct ServerSentEventReader: Codable, Equatable, Sendable {
    package enum Item: Codable, Equatable, Sendable {
        case event(ServerSentEvent)
        /// How long to wait before connecting again, at most an hour.
        case retry(Duration)
        case skipped(StreamSkip)
    }

    package struct Limits: Codable, Equatable, Sendable {
        /// Bytes of a line without its end.
        package var lineBytes = 65_536
        /// Bytes of an event's data.
        package var eventBytes = 262_144
        /// Bytes of an id and of a type.
        package var nameBytes = 1024
        package init() {}
    }

    /// To be sent as `Last-Event-ID` when the stream is asked for again; empty: none.
    package private(set) var lastEventID: String
    let limits: Limits
    private var pending: [UInt8] = []
    private var position = 0
    private var line: [UInt8] = []
    /// The line, or the event, is longer than is taken.
    private var isLineTooLong = false
    private var isEventTooLong = false
    /// Of the data of an event that is too long.
    private var beginning: [UInt8] = []
    private static let beginningBytes = 4096
    private var wasReturn = false
    private var isFirstLine = true
    private var data: [UInt8] = []
    private var hasData = false
    private var type = ""
    private var id: String

    package init(lastEventID: String = "", limits: Limits = Limits()) {
        self.lastEventID = lastEventID
        id = lastEventID
        self.limits = limits
    }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        if position > 0 {
            pending.removeFirst(position)
            position = 0
        }
        pending.append(contentsOf: bytes)
    }

    /// The next item; nil until more bytes come. An event without the empty line behind it is none.
    package mutating func next() -> Item? {
        while position < pending.count {
            let byte = pending[position]
            position += 1
            let endedBefore = wasReturn
            wasReturn = byte == 0x0D
            if byte == 0x0A, endedBefore { continue }
            guard byte == 0x0A || byte == 0x0D else {
                // Three more for a byte order mark.
                if line.count < limits.lineBytes + 3 { line.append(byte) } else { isLineTooLong = true }
                continue
            }
            if let item = endLine() { return item }
        }
        return nil
    }

    private mutating func endLine() -> Item? {
        defer {
            line.removeAll(keepingCapacity: true)
            isLineTooLong = false
            isFirstLine = false
        }
        var text = line[...]
        if isFirstLine, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
        if isLineTooLong || text.count > limits.lineBytes {
            let (name, value) = Self.parts(text)
            if !name.isEmpty { tooLong(name == "data" ? value : []) }
            return nil
        }
        if text.isEmpty { return dispatch() }
        let (name, value) = Self.parts(text)
        return field(name, value)
    }

    /// A comment has no name.
    private static func parts(_ line: ArraySlice<UInt8>) -> (name: String, value: ArraySlice<UInt8>) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == 0x20 { value = value.dropFirst() }
        return (String(decoding: line[..<colon], as: UTF8.self), value)
    }

    private mutating func tooLong(_ value: ArraySlice<UInt8>) {
        if !isEventTooLong { beginning = Array((data.prefix(Self.beginningBytes) + value.prefix(Self.beginningBytes))) }
        isEventTooLong = true
    }

    private mutating func field(_ name: String, _ value: ArraySlice<UInt8>) -> Item? {
        switch name {
        case "data":
            guard data.count + value.count < limits.eventBytes else {
                tooLong(value)
                return nil
            }
            data += value
            data.append(0x0A)
            hasData = true
        case "event":
            if value.count > limits.nameBytes {
                tooLong([])
            } else {
                type = String(decoding: value, as: UTF8.self)
            }
        case "id":
            if value.count <= limits.nameBytes, !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
        case "retry":
            guard !value.isEmpty, value.allSatisfy(HTTPText.isDigit) else { return nil }
            let limit = 3_600_000
            return .retry(.milliseconds(min(HTTPText.number(value) ?? limit, limit)))
        default: break
        }
        return nil
    }

    private mutating func dispatch() -> Item? {
        defer {
            data.removeAll(keepingCapacity: true)
            hasData = false
            type = ""
            isEventTooLong = false
            beginning = []
        }
        lastEventID = id
        if isEventTooLong {
            return .skipped(.tooLong(limits.eventBytes, beginning: String(decoding: beginning, as: UTF8.self)))
        }
        guard hasData else { return nil }
        return .event(
            ServerSentEvent(
                type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self), id: id))
    }
}
