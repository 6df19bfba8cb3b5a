/// What the module makes of one line of its client. Written apart from the driver's reader, so that a mistake there shows.
enum ClientLine: Equatable, Sendable {
    case command(ClientCommand)
    /// Wrong or lower-case checksum, too short, too long, or not printable: 501.
    case rejected
}

struct ClientCommand: Codable, Equatable, Sendable {
    /// Three digits.
    var code: String
    /// Printable ASCII.
    var data: String
}

/// Cuts the client's bytes into lines: CCC DDD KK, ended by LF, a CR before it does not matter.
struct ClientLineReader: Codable, Equatable, Sendable {
    private static let longestLine = 512
    private var line: [UInt8] = []
    private var isOverlong = false

    mutating func read(_ bytes: [UInt8]) -> [ClientLine] {
        var found: [ClientLine] = []
        for byte in bytes {
            switch byte {
            case 10:
                if isOverlong {
                    found.append(.rejected)
                } else {
                    if line.last == 13 { line.removeLast() }
                    if !line.isEmpty { found.append(Self.parse(line)) }
                }
                line = []
                isOverlong = false
            case _ where line.count >= Self.longestLine:
                isOverlong = true
            default:
                line.append(byte)
            }
        }
        return found
    }

    private static func parse(_ line: [UInt8]) -> ClientLine {
        guard line.count >= 5, line.allSatisfy({ $0 >= 32 && $0 < 127 }) else { return .rejected }
        let payload = line.dropLast(2)
        var sum = 0
        for byte in payload { sum += Int(byte) }
        let hexadecimal = Array("0123456789ABCDEF".utf8)
        guard Array(line.suffix(2)) == [hexadecimal[sum / 16 % 16], hexadecimal[sum % 16]],
            payload.prefix(3).allSatisfy({ $0 >= 48 && $0 <= 57 })
        else { return .rejected }
        return .command(
            ClientCommand(
                code: String(decoding: payload.prefix(3), as: UTF8.self),
                data: String(decoding: payload.dropFirst(3), as: UTF8.self)))
    }
}
