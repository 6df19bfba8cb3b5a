import AlarmModel
import Simulators
import Testing

/// What a client puts on the wire.
enum ClientFrame {
    static func bytes(
        _ kind: UInt8, _ payload: [UInt8], isLast: Bool = true, mask: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    ) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            if count < 126 {
                [0x80 | UInt8(count)]
            } else if count <= 0xFFFF {
                [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
            } else {
                [0xFF, 0, 0, 0, 0, 0, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            }
        return [(isLast ? 0x80 : 0) | kind] + length + mask
            + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }

    static func text(_ text: String) -> [UInt8] { bytes(1, Array(text.utf8)) }
}

@Suite("What comes on a WebSocket, and what goes out")
struct WebSocketReaderTests {
    /// All that is read, and why it ended.
    private func read(_ pieces: [[UInt8]]) -> (messages: [WebSocketMessage], problem: WebSocketReader.Problem?) {
        var reader = WebSocketReader()
        var messages: [WebSocketMessage] = []
        for piece in pieces {
            reader.append(piece)
            do throws(WebSocketReader.Problem) {
                while let message = try reader.next() { messages.append(message) }
            } catch {
                return (messages, error)
            }
        }
        return (messages, nil)
    }

    private static let long = [UInt8](repeating: 0x61, count: 300)

    @Test(
        "messages are the same wherever their bytes are split: short, long, in frames with a ping between, and the end")
    func messagesAreTheSameWhereverTheyAreSplit() {
        let bytes =
            ClientFrame.text("Hello") + ClientFrame.bytes(1, Self.long) + ClientFrame.bytes(1, [1, 2], isLast: false)
            + ClientFrame.bytes(9, [7]) + ClientFrame.bytes(0, [3], isLast: false) + ClientFrame.bytes(0, [4])
            + ClientFrame.bytes(1, []) + ClientFrame.bytes(10, []) + ClientFrame.bytes(8, [3, 232])
        let expected: [WebSocketMessage] = [
            .text(Array("Hello".utf8)), .text(Self.long), .ping([7]), .text([1, 2, 3, 4]), .text([]), .pong, .close,
        ]
        #expect(read([bytes]).messages == expected)
        #expect(read(bytes.map { [$0] }).messages == expected)
        for place in bytes.indices {
            let found = read([Array(bytes[..<place]), Array(bytes[place...])])
            #expect(found.messages == expected && found.problem == nil, "split at \(place)")
        }
    }

    @Test("the frame that RFC 6455 5.7 shows is read as it says")
    func theFrameOfTheDocumentIsRead() {
        let bytes: [UInt8] = [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]
        #expect(read([bytes]).messages == [.text(Array("Hello".utf8))])
    }

    static let refused: [(String, [UInt8], WebSocketReader.Problem)] = [
        ("not masked", [0x81, 0x01, 0x61], .malformed), ("a bit of an extension", [0xC1], .malformed),
        ("a kind that is none", [0x83], .malformed), ("a ping in pieces", [0x09, 0x80], .malformed),
        ("a ping that is long", [0x89, 0xFE], .malformed),
        ("the rest of nothing", ClientFrame.bytes(0, [1]), .malformed),
        ("a text within one", ClientFrame.bytes(1, [1], isLast: false) + ClientFrame.bytes(1, [2]), .malformed),
        ("binary", ClientFrame.bytes(2, [1]), .binary),
        ("a length beyond all bounds", [0x81, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + [0, 0, 0, 0], .tooLong),
        ("a byte too many", Array(ClientFrame.bytes(1, [UInt8](repeating: 0, count: 65_537)).prefix(14)), .tooLong),
        (
            "a byte too many in two frames",
            ClientFrame.bytes(1, [UInt8](repeating: 0, count: 65_536), isLast: false) + ClientFrame.bytes(0, [1]),
            .tooLong
        ),
    ]

    @Test("what is against the rules or too long is refused, as soon as that shows")
    func whatIsAgainstTheRulesIsRefused() {
        for (what, bytes, problem) in Self.refused {
            let found = read([bytes])
            #expect(found.problem == problem && found.messages.isEmpty, "\(what)")
        }
        #expect(read([ClientFrame.bytes(1, [UInt8](repeating: 0, count: 65_536))]).messages.count == 1)
    }

    @Test("a frame that goes out is whole, in the clear, and has the shortest form of its length")
    func aFrameThatGoesOutIsWhole() {
        func head(_ count: Int) -> [UInt8] {
            Array(WebSocketFrame(.text, [UInt8](repeating: 0, count: count)).bytes.dropLast(count))
        }
        #expect(head(0) == [0x81, 0] && head(125) == [0x81, 125])
        #expect(head(126) == [0x81, 126, 0, 126] && head(65_535) == [0x81, 126, 255, 255])
        #expect(head(65_536) == [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(WebSocketFrame.close(1002).bytes == [0x88, 2, 3, 234])
    }
}
