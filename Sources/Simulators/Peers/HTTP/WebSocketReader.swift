/// What comes on a WebSocket.
package enum WebSocketMessage: Equatable, Sendable {
    /// Of a text, not looked at.
    case text([UInt8])
    case ping([UInt8])
    case pong
    case close
}

/// Reads what a client sends on a WebSocket from bytes in pieces of any size (RFC 6455 5). Extensions are not known.
package struct WebSocketReader: Sendable {
    package enum Problem: Error, Equatable, Sendable {
        /// Against RFC 6455.
        case malformed
        case binary
        case tooLong

        /// RFC 6455 7.4.1.
        package var code: UInt16 {
            switch self {
            case .malformed: 1002
            case .binary: 1003
            case .tooLong: 1009
            }
        }
    }

    private struct Head {
        var isLast: Bool
        var kind: WebSocketFrame.Kind
        var mask: [UInt8]
        var count: Int
        /// Where the payload begins.
        var start: Int
    }

    /// Bytes of a message at most, in however many frames it comes.
    package static let limit = 65_536
    private var pending: [UInt8] = []
    /// What has come of a text whose end has not; nil: none has begun.
    private var text: [UInt8]?

    package init() {}

    package mutating func append(_ bytes: [UInt8]) { pending += bytes }

    /// The next whole message; nil until more bytes come.
    package mutating func next() throws(Problem) -> WebSocketMessage? {
        while let head = try head() {
            guard pending.count >= head.start + head.count else { return nil }
            let masked = pending[head.start..<head.start + head.count]
            let payload = masked.enumerated().map { $0.element ^ head.mask[$0.offset % 4] }
            pending.removeFirst(head.start + head.count)
            if let message = try message(head, payload) { return message }
        }
        return nil
    }

    /// nil: it has not come whole.
    private func head() throws(Problem) -> Head? {
        guard let first = pending.first else { return nil }
        guard first & 0x70 == 0, let kind = WebSocketFrame.Kind(rawValue: first & 0x0F) else { throw .malformed }
        let isLast = first & 0x80 != 0
        guard pending.count >= 2 else { return nil }
        let short = Int(pending[1] & 0x7F)
        guard pending[1] & 0x80 != 0, !kind.isControl || isLast && short < 126 else { throw .malformed }
        let more = short == 126 ? 2 : short == 127 ? 8 : 0
        let start = 2 + more + 4
        guard pending.count >= start else { return nil }
        let long = pending[2..<2 + more].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard long <= UInt64(Self.limit) else { throw .tooLong }
        return Head(
            isLast: isLast, kind: kind, mask: Array(pending[2 + more..<start]), count: more == 0 ? short : Int(long),
            start: start)
    }

    /// nil: the text goes on.
    private mutating func message(_ head: Head, _ payload: [UInt8]) throws(Problem) -> WebSocketMessage? {
        switch head.kind {
        case .ping: return .ping(payload)
        case .pong: return .pong
        case .close: return .close
        case .binary: throw .binary
        case .text, .more:
            guard (head.kind == .more) == (text != nil) else { throw .malformed }
            let whole = (text ?? []) + payload
            guard whole.count <= Self.limit else { throw .tooLong }
            text = head.isLast ? nil : whole
            return head.isLast ? .text(whole) : nil
        }
    }
}

/// One frame as a server sends it: whole, and in the clear (RFC 6455 5.1).
package struct WebSocketFrame: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case more = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    package var kind: Kind
    package var payload: [UInt8]

    package init(_ kind: Kind, _ payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    package static func text(_ text: String) -> Self { Self(.text, Array(text.utf8)) }
    package static func close(_ code: UInt16) -> Self { Self(.close, [UInt8(code >> 8), UInt8(code & 0xFF)]) }

    package var bytes: [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            if count < 126 {
                [UInt8(count)]
            } else if count <= 0xFFFF {
                [126, UInt8(count >> 8), UInt8(count & 0xFF)]
            } else {
                [127] + (0..<8).map { UInt8(truncatingIfNeeded: UInt64(count) >> UInt64(56 - 8 * $0)) }
            }
        return [0x80 | kind.rawValue] + length + payload
    }
}
