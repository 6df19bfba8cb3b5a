package import AlarmModel

/// What a program that was written for HowAlarming puts into a command tube (docs/messages.md B.3): a word, or a
/// command of the panel's protocol as JSON. It prints without its secrets.
package struct CommandJob: Equatable, Sendable, CustomStringConvertible {
    package enum Word: String, Codable, Hashable, Sendable, CaseIterable {
        case status, arm, disarm, fire, medical, police
    }
    package enum Content: Equatable, Sendable {
        case word(Word)
        /// Three digits, and what follows them: the data may hold a user code.
        case panel(code: String, data: Secret)
    }
    package var content: Content

    package init(_ content: Content) { self.content = content }

    package var description: String {
        switch content {
        case .word(let word): word.rawValue
        case .panel(let code, let data): "panel command \(code)\(data.revealed.isEmpty ? "" : " with data")"
        }
    }

    /// Bytes of a job that are looked at.
    package static let sizeLimit = 4096
    /// Bytes of a command's data; the panel takes far less.
    package static let dataLimit = 64

    /// Reads a job. The words may be in capitals and have space around them; of an object, members that no command
    /// needs are passed over, whatever they hold: programs write when they made it in forms of their own.
    package init(parsing bytes: [UInt8]) throws(CommandJobError) {
        guard bytes.count <= Self.sizeLimit else { throw .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        let words = text.split { $0.isWhitespace || $0 == "\0" }
        guard let first = words.first else { throw .empty }
        if first.hasPrefix("{") || first.hasPrefix("\"") || first.hasPrefix("[") {
            let json: JSON
            do throws(JSONError) {
                json = try JSON(parsing: bytes, limits: JSON.Limits(depth: 4, bytes: Self.sizeLimit))
            } catch {
                throw .notJSON
            }
            if let word = json.stringValue { self = try Self.word(word) } else { self = try Self.object(json) }
        } else {
            guard words.count == 1 else { throw .unknownWord }
            self = try Self.word(String(first))
        }
    }

    private static func word(_ text: String) throws(CommandJobError) -> CommandJob {
        guard let word = Word(rawValue: text.lowercased()) else { throw .unknownWord }
        return CommandJob(.word(word))
    }

    private static func object(_ json: JSON) throws(CommandJobError) -> CommandJob {
        guard case .object = json else { throw .notJSON }
        if let type = json["type"], type != .string("command"), type != .null { throw .badMember("type") }
        guard let code = text(json["code"], width: 3), code.utf8.count == 3,
            code.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw .badMember("code") }
        guard let data = text(json["data"] ?? .null, width: 0), data.utf8.count <= dataLimit,
            data.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .badMember("data") }
        return CommandJob(.panel(code: code, data: Secret(data)))
    }

    /// A string, a number with zeros in front up to the width, or an array of such, as the original writes them.
    private static func text(_ json: JSON?, width: Int) -> String? {
        switch json {
        case .string(let text): return text
        case .integer(let number) where number >= 0: return number.padded(width)
        case .array(let parts):
            var joined = ""
            for part in parts {
                guard let piece = text(part, width: 0) else { return nil }
                joined += piece
            }
            return joined
        case .null where width == 0: return ""
        case .null, .bool, .integer, .number, .object, nil: return nil
        }
    }
}

/// Why a job is no command. Nothing of the job is in it, for it may hold a code.
package enum CommandJobError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    case empty, tooLong, notText, unknownWord, notJSON
    case badMember(String)

    package var description: String {
        switch self {
        case .empty: "it is empty"
        case .tooLong: "it is longer than \(CommandJob.sizeLimit) bytes"
        case .notText: "it is not text in UTF-8"
        case .unknownWord:
            "it is none of the words " + CommandJob.Word.allCases.map { $0.rawValue }.joined(separator: ", ")
        case .notJSON: "it is neither a word nor a JSON object"
        case .badMember(let key): "its '\(key)' is not as it should be"
        }
    }
}
