import Foundation
import PhoneProtocol

/// An event as `events --json` prints it.
struct Record {
    /// The line itself.
    let text: String
    /// nil: shown before it was stored.
    let seq: Int64?
    let type: String
    let code: String
    let raw: String
    let message: String
    let zone: Int64?
    let partition: Int64?
    let json: JSON

    init?(_ line: String) {
        guard let json = try? JSON(parsing: line), let type = json["type"]?.stringValue,
            let code = json["code"]?.stringValue, let raw = json["raw"]?.stringValue,
            let message = json["message"]?.stringValue
        else { return nil }
        text = line
        seq = json["seq"]?.integerValue
        self.type = type
        self.code = code
        self.raw = raw
        self.message = message
        zone = json["zone"]?.integerValue
        partition = json["partition"]?.integerValue
        self.json = json
    }

    static func all(in output: String) throws -> [Record] {
        try output.split(separator: "\n").map { line in
            guard let record = Record(String(line)) else { throw HarnessError("not an event: \(line)") }
            return record
        }
    }
}

/// Whole lines only: the last one may still be on its way.
func wholeLines(of text: String) -> String {
    guard let end = text.lastIndex(of: "\n") else { return "" }
    return String(text[...end])
}
