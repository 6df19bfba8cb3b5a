import AlarmModel
import ApplianceCore
import PhoneProtocol
import SoftwareUpdate

/// One record of a recording: length and CRC32 (four bytes each, little-endian) of what follows, one byte that says
/// what it is, and the content.
enum RecordFrame: Equatable, Sendable {
    /// Opens a segment: who recorded, and the core as it was before the next step.
    case checkpoint(JSON)
    case input(RecordedInput)
    /// What the core ordered in this step.
    case effects(step: UInt64, [RecordedEffect])
    /// So many steps are not in the recording.
    case gap(steps: UInt64)
    /// From here on nothing is recorded any more; why.
    case over(String)

    /// The longest content that is believed.
    static let limit = 64 << 20
    private static let headCount = 8

    var bytes: [UInt8] {
        // A checkpoint is long: it is not copied once more for its head.
        var bytes = [UInt8](repeating: 0, count: Self.headCount)
        switch self {
        case .checkpoint(let json):
            bytes.append(UInt8(ascii: "C"))
            bytes += json.text.utf8
        case .input(let input): bytes += [UInt8(ascii: "I")] + input.bytes
        case .effects(let step, let effects):
            bytes += [UInt8(ascii: "E")] + Self.number(step)
            bytes += JSON.array(effects.map(\.json)).text.utf8
        case .gap(let steps): bytes += [UInt8(ascii: "G")] + Self.number(steps)
        case .over(let why): bytes += [UInt8(ascii: "O")] + why.utf8
        }
        let count = UInt32(clamping: bytes.count - Self.headCount)
        let sum = CRC32.of(bytes[Self.headCount...])
        bytes.replaceSubrange(..<Self.headCount, with: Self.head(count, sum))
        return bytes
    }

    private static func head(_ count: UInt32, _ sum: UInt32) -> [UInt8] {
        CRC32.littleEndian(count) + CRC32.littleEndian(sum)
    }

    /// What is found at a place of a file.
    enum Finding {
        case frame(RecordFrame, next: Int)
        /// The file ends here, or within a record: what was being written when the process or the machine died.
        case end
        case damaged(String)
    }

    static func read(_ bytes: [UInt8], at start: Int) -> Finding {
        guard bytes.count - start >= headCount else { return .end }
        let count = Int(little(bytes[start..<start + 4]))
        // A file that was made longer before a power cut ends in zeros.
        if count == 0 { return bytes[start...].allSatisfy { $0 == 0 } ? .end : .damaged("a record without content") }
        guard count <= limit else { return .damaged("a record of \(count) bytes") }
        let content = start + headCount
        guard bytes.count - content >= count else { return .end }
        let body = Array(bytes[content..<content + count])
        guard CRC32.littleEndian(CRC32.of(body)) == Array(bytes[start + 4..<content]) else {
            return .damaged("a record whose checksum is wrong")
        }
        do {
            guard let frame = try RecordFrame(body: body) else { return .damaged("a record of an unknown kind") }
            return .frame(frame, next: content + count)
        } catch {
            return .damaged("a record of another version of this program: \(error)")
        }
    }

    private init?(body: [UInt8]) throws {
        let content = Array(body.dropFirst())
        switch body.first {
        case UInt8(ascii: "C"): self = .checkpoint(try Self.json(content))
        case UInt8(ascii: "I"):
            guard let input = try RecordedInput(bytes: content) else { return nil }
            self = .input(input)
        case UInt8(ascii: "E"):
            guard content.count >= 8, let items = try Self.json(Array(content[8...])).arrayValue else { return nil }
            self = .effects(step: Self.little(content[..<8]), items.compactMap(RecordedEffect.init))
        case UInt8(ascii: "G"):
            guard content.count == 8 else { return nil }
            self = .gap(steps: Self.little(content[...]))
        case UInt8(ascii: "O"): self = .over(String(decoding: content, as: UTF8.self))
        default: return nil
        }
    }

    static func json(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        try JSON(parsing: bytes, limits: JSON.Limits(depth: 256, bytes: limit))
    }

    static func number(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    static func little(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
}

/// A fact with its number and the moment that the core was told.
struct RecordedInput: Equatable, Sendable {
    var step: UInt64
    var at: Moment
    var input: Input

    init(step: UInt64, at: Moment, input: Input) {
        self.step = step
        self.at = at
        self.input = input
    }

    /// Step, boot time, wall time (8 bytes each), whether that is trusted; then `R`, connection and bytes as they came,
    /// or `J` and the JSON form.
    var bytes: [UInt8] {
        var bytes = RecordFrame.number(step)
        bytes += RecordFrame.number(UInt64(bitPattern: at.boot.nanoseconds))
        bytes += RecordFrame.number(UInt64(bitPattern: at.wall.milliseconds))
        bytes.append(at.isWallTrusted ? 1 : 0)
        if case .received(let connection, let content) = input {
            return bytes + [UInt8(ascii: "R")] + RecordFrame.number(connection.number) + content
        }
        let json = try? JSON.encoding(input, placeholder: SecretPlaceholder { $0 })
        return bytes + [UInt8(ascii: "J")] + (json ?? .null).text.utf8
    }

    /// nil: too short, or of no known form.
    init?(bytes: [UInt8]) throws(JSONError) {
        guard bytes.count >= 26 else { return nil }
        step = RecordFrame.little(bytes[..<8])
        at = Moment(
            boot: BootTime(nanoseconds: Int64(bitPattern: RecordFrame.little(bytes[8..<16]))),
            wall: WallTime(milliseconds: Int64(bitPattern: RecordFrame.little(bytes[16..<24]))),
            isWallTrusted: bytes[24] == 1)
        let content = Array(bytes[26...])
        switch bytes[25] {
        case UInt8(ascii: "R"):
            guard content.count >= 8 else { return nil }
            input = .received(ConnectionID(RecordFrame.little(content[..<8])), Array(content[8...]))
        case UInt8(ascii: "J"): input = try RecordFrame.json(content).decoding(Input.self)
        default: return nil
        }
    }
}
