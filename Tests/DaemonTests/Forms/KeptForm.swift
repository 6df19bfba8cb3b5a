import AlarmModel
import Glibc
import PhoneProtocol
import Platform
import Testing

/// A file of forms, a line for each, as a version wrote them. Every later version reads them, and writes them the same.
///
/// Lines are only added: HOWALARMING_KEEP_FORMS=1 adds those that the tests of today's program write and the file
/// lacks.
struct KeptForm {
    let name: String
    private(set) var lines: [String]

    private static let folder = "\(#filePath)".split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Kept"
    static var isKeeping: Bool { getenv("HOWALARMING_KEEP_FORMS").map { String(cString: $0) } == "1" }

    private var path: String { "\(Self.folder)/\(name)" }

    init(_ name: String) throws {
        self.name = name
        lines = []
        guard let bytes = try? FileReader.read(path, limit: 64 << 20) else {
            guard Self.isKeeping else {
                Issue.record("\(name) is not kept; HOWALARMING_KEEP_FORMS=1 writes it")
                return
            }
            return
        }
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Each kept line is read as a value and written again: nothing was renamed, left out or added.
    func check<Value: Codable>(as type: Value.Type) {
        #expect(!lines.isEmpty, "\(name) holds nothing")
        for (number, line) in lines.enumerated() {
            do {
                let value = try JSON(parsing: line, limits: Self.limits).decoding(Value.self)
                var again = try Self.text(value)
                if !line.contains("\"incident\"") {
                    again = try Self.withoutIncidents(JSON(parsing: again, limits: Self.limits)).text
                }
                #expect(again == line, "\(name):\(number + 1)")
            } catch {
                Issue.record("\(name):\(number + 1): \(error)")
            }
        }
    }

    /// A version before the incident record wrote an alarm without it; it is read into one, and written besides.
    private static func withoutIncidents(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            .object(
                members.filter { $0.key != "incident" }
                    .map { JSON.Member(key: $0.key, value: withoutIncidents($0.value)) })
        case .array(let values): .array(values.map(withoutIncidents))
        default: json
        }
    }

    /// As values, for what is made of them.
    func values<Value: Codable>(_ type: Value.Type) throws -> [Value] {
        try lines.map { try JSON(parsing: $0, limits: Self.limits).decoding(Value.self) }
    }

    /// What is written today stands there, in this order.
    mutating func expect(_ written: [String]) throws {
        if Self.isKeeping {
            lines = written
            try write()
        }
        #expect(written.count == lines.count, "\(name)")
        for (number, pair) in zip(written, lines).enumerated() {
            #expect(pair.0 == pair.1, "\(name):\(number + 1)")
        }
    }

    mutating func keep(_ more: [String]) throws {
        guard Self.isKeeping else { return }
        lines += more.filter { !lines.contains($0) }
        try write()
    }

    private func write() throws {
        let text = lines.map { $0 + "\n" }.joined()
        let file = try #require(fopen(path, "w"), "\(path) cannot be written")
        defer { fclose(file) }
        try #require(fputs(text, file) >= 0)
    }

    static let limits = JSON.Limits(depth: 256, bytes: 8 << 20)

    static func text(_ value: some Encodable) throws -> String {
        try JSON.encoding(value, placeholder: SecretPlaceholder { $0 }).text
    }
}
