import PhoneProtocol

/// A provider's answer, of which one value is looked for.
struct CallAnswer {
    private let json: JSON

    /// nil: it is no JSON.
    init?(_ body: [UInt8]) {
        let limits = JSON.Limits(depth: 16, bytes: CallSettings.longestAnswer)
        guard let json = try? JSON(parsing: body, limits: limits) else { return nil }
        self.json = json
    }

    /// What stands at a path of keys with dots between; nil: nothing, or neither text nor whole number.
    ///
    /// - Parameter call: of a list the entry counts that names this call, and no other; nil: the first
    func value(at path: String, of call: String?) -> String? {
        var place = Self.entry(of: json, call)
        for key in path.split(separator: ".") {
            guard let next = place?[String(key)] else { return nil }
            place = Self.entry(of: next, call)
        }
        switch place {
        case .string(let text) where !text.isEmpty: return text
        case .integer(let number): return String(number)
        case .string, .null, .bool, .number, .array, .object, nil: return nil
        }
    }

    private static func entry(of json: JSON, _ call: String?) -> JSON? {
        guard case .array(let entries) = json else { return json }
        guard let call else { return entries.first }
        return entries.first { entry in
            entry.objectValue?.contains { $0.value.stringValue == call } ?? false
        }
    }
}
