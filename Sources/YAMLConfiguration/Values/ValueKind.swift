/// What may stand behind a key: how it is read, and what is said when it is something else.
struct ValueKind<Value: Sendable>: Sendable {
    /// nil: something else stands there, which is reported.
    let read: @Sendable (inout SettingsReading, Field) -> Value?

    init(_ read: @escaping @Sendable (inout SettingsReading, Field) -> Value?) { self.read = read }

    /// A text that can be understood. Any other is not shown: it may be a secret in the wrong line.
    ///
    /// - Parameters:
    ///   - expected: what the owner is told to write
    ///   - otherwise: what is said of the key; nil: how long the text is
    init(_ expected: String, otherwise: String? = nil, _ parse: @escaping @Sendable (String) -> Value?) {
        self.init { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if let value = parse(text) { return value }
            let words = otherwise ?? "holds \(field.value.kind)"
            return reading.refuse(field, "'\(field.path)' \(words)", expected: expected)
        }
    }

    /// A further look at what was read, which may report and refuse it.
    func checked(_ check: @escaping @Sendable (inout SettingsReading, Field, Value) -> Value?) -> Self {
        Self { reading, field in read(&reading, field).flatMap { check(&reading, field, $0) } }
    }

    /// This value goes on where something else stands there: nothing more is said of its being missing.
    func or(_ value: Value) -> Self { Self { reading, field in read(&reading, field) ?? value } }

    func map<Other>(_ change: @escaping @Sendable (Value) -> Other) -> ValueKind<Other> {
        ValueKind<Other> { reading, field in read(&reading, field).map(change) }
    }

    /// A list of such values, or one of them alone; those that are right.
    static func list<Item>(of kind: ValueKind<Item>) -> Self where Value == [Item] {
        Self { reading, field in field.items.compactMap { kind.read(&reading, $0) } }
    }

    /// The same; an empty list is an error.
    static func someList<Item>(of kind: ValueKind<Item>, _ expected: String, empty words: String = "") -> Self
    where Value == [Item] {
        Self.list(of: kind).checked { reading, field, items in
            if field.items.isEmpty {
                reading.valueError(field, "'\(field.path)' is an empty list\(words)", expected: expected)
            }
            return items
        }
    }
}

extension ValueKind where Value == String {
    /// A text of which the test holds.
    static func text(
        _ expected: String, otherwise: String? = nil, _ isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> Self { Self(expected, otherwise: otherwise) { isValid($0) ? $0 : nil } }
}

extension SettingsReading {
    /// The text of a field as it was written; a problem if there is none.
    mutating func text(_ field: Field, expected: String) -> String? {
        guard case .scalar(let text, _) = field.value.content else {
            return refuse(field, "'\(field.path)' holds \(field.value.kind)", expected: expected)
        }
        guard !field.value.isNull, !text.isEmpty else {
            return refuse(field, "'\(field.path)' is empty (a '#' after a space begins a comment)", expected: expected)
        }
        return text
    }

    /// The text of a field that was reported already, if it was not one.
    func written(_ field: Field?) -> String? {
        guard case .scalar(let text, _)? = field?.value.content else { return nil }
        return text
    }
}
