import AlarmModel
import PhoneProtocol
import Testing

/// Our parser against Python's `json`, on documents that are right, wrong and nearly right.
@Suite(.enabled(if: Python.isAvailable))
struct JSONDifferentialTests {
    /// Prints for each document in hexadecimal what it means, with types, or `invalid`.
    private static let judge = """
        import json, struct, sys
        def meaning(v):
            if v is None: return 'n'
            if v is True: return 't'
            if v is False: return 'f'
            if isinstance(v, int) and -2**63 <= v < 2**63: return 'i' + str(v)
            if isinstance(v, (int, float)):
                f = float(v)
                if f in (float('inf'), float('-inf')): raise ValueError('range')
                return 'd' + struct.pack('>d', f).hex()
            if isinstance(v, str): return 's' + v.encode('utf-8').hex()
            if isinstance(v, list): return '[' + ','.join(meaning(e) for e in v) + ']'
            return '{' + ','.join(meaning(k) + ':' + meaning(e) for k, e in v.pairs) + '}'
        class Object:
            def __init__(self, pairs): self.pairs = pairs
        def refuse(text): raise ValueError(text)
        for line in sys.stdin.read().split('\\n')[:-1]:
            try:
                text = bytes.fromhex(line).decode('utf-8')
                print(meaning(json.loads(text, object_pairs_hook=Object, parse_constant=refuse)))
            except (ValueError, OverflowError):
                print('invalid')
        """

    private static func meaning(_ json: JSON) -> String {
        switch json {
        case .null: return "n"
        case .bool(let value): return value ? "t" : "f"
        case .integer(let value): return "i\(value)"
        case .number(let value):
            let digits = String(value.bitPattern, radix: 16)
            return "d" + String(repeating: "0", count: 16 - digits.count) + digits
        case .string(let value): return "s" + hex(Array(value.utf8))
        case .array(let elements): return "[" + elements.map(meaning).joined(separator: ",") + "]"
        case .object(let members):
            return "{" + members.map { "s\(hex(Array($0.key.utf8))):\(meaning($0.value))" }.joined(separator: ",") + "}"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("600 generated documents and 3000 damaged ones mean the same to Python")
    func with600GeneratedDocumentsAnd3000DamagedOnesMeanTheSameToPython() throws {
        var generator = DocumentGenerator(seed: 8259)
        var documents: [[UInt8]] = []
        for _ in 0..<600 {
            let document = generator.document()
            documents.append(document)
            for _ in 0..<5 { documents.append(generator.damaged(document)) }
        }
        let answers = try Python.run(Self.judge, input: documents.map { Self.hex($0) + "\n" }.joined())
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        try #require(answers.count == documents.count)
        var valid = 0
        for (document, answer) in zip(documents, answers) {
            let value = try? JSON(parsing: document)
            if value != nil { valid += 1 }
            #expect(value.map(Self.meaning) ?? "invalid" == answer, "\(String(decoding: document, as: UTF8.self))")
        }
        #expect(valid > 600 && valid < documents.count, "the damage must be felt, and not kill everything")
    }

    @Test("what we write means the same to Python")
    func whatWeWriteMeansTheSameToPython() throws {
        var generator = DocumentGenerator(seed: 7)
        let values = try (0..<400).map { _ in try JSON(parsing: generator.document()) }
        let answers = try Python.run(Self.judge, input: values.map { Self.hex($0.utf8) + "\n" }.joined())
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(answers.map(String.init) == values.map(Self.meaning))
    }
}

/// Random JSON texts with odd spacing, escapes and numbers, from a seed.
struct DocumentGenerator {
    private var random: Jitter

    init(seed: UInt64) { random = Jitter(seed: seed) }

    mutating func document() -> [UInt8] { Array(value(depth: 0).utf8) }

    mutating func damaged(_ document: [UInt8]) -> [UInt8] {
        var bytes = document
        let index = Int.random(in: 0..<bytes.count, using: &random)
        let telling = Array("\"\\{}[],:0123456789-+.eEu \n\u{1}tfn\u{80}\u{7FF}".utf8)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes[index] = pick(telling)
        default: bytes.insert(pick(telling), at: index)
        }
        return bytes
    }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &random)] }

    private mutating func space() -> String { pick(["", "", "", " ", "\n", "\t \r"]) }

    private mutating func value(depth: Int) -> String {
        let body: String
        switch Int.random(in: 0..<(depth < 4 ? 9 : 6), using: &random) {
        case 0: body = pick(["null", "true", "false"])
        case 1: body = String(Int64.random(in: .min ... .max, using: &random))
        case 2:
            body = pick(["0", "-0", "-0.0", "1E+2", "1e-400", "123456789012345678901234567890", "0.1e0", "4.9e-324"])
        case 3: body = String(Double(bitPattern: random.next() & 0xFFEF_FFFF_FFFF_FFFF))
        case 4, 5: body = string()
        case 6: body = String(Int.random(in: -1000...1000, using: &random))
        case 7:
            body =
                "["
                + (0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1) }
                .joined(separator: ",") + "]"
        default:
            body =
                "{"
                + (0..<Int.random(in: 0...4, using: &random))
                .map { _ in space() + string() + space() + ":" + value(depth: depth + 1) }
                .joined(separator: ",") + "}"
        }
        return space() + body + space()
    }

    private mutating func string() -> String {
        let pieces = [
            "a", "Z", "0", " ", "ü", "€", "🔔", "\u{7F}", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t",
            "\\u00e9",
            "\\u0000", "\\uD83D\\uDD14", "\\uFFFF", "e\u{301}", "\\u005C",
        ]
        return "\"" + (0..<Int.random(in: 0...6, using: &random)).map { _ in pick(pieces) }.joined() + "\""
    }
}
