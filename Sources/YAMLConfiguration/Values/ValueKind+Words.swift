import AlarmModel
import CommandKit

extension ValueKind {
    /// One of several words. The text is not shown when it is none of them: it may be a secret in the wrong line.
    static func word(_ known: [(word: String, value: Value)]) -> Self {
        let words = known.map(\.word)
        let list = words.joined(separator: ", ")
        let expected = words.count == 1 ? list : "one of \(list)"
        return Self { reading, field in
            guard let text = reading.text(field, expected: expected) else { return nil }
            if let found = known.first(where: { $0.word == text }) { return found.value }
            let nearest = NearestKey.of(text, among: words)
            return reading.refuse(
                field, "'\(field.path)' holds a word that is not known there",
                expected: nearest == nil ? expected : nil, nearest: nearest)
        }
    }

    /// Several of these words, each once, in the order of `known`.
    static func words<Item>(_ known: [(word: String, value: Item)]) -> Self where Value == [Item] {
        let numbered = known.enumerated().map { (word: $0.element.word, value: $0.offset) }
        return ValueKind<[Int]>.list(of: .word(numbered)).map { chosen in Set(chosen).sorted().map { known[$0].value } }
    }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of its cases, by name.
    static var caseName: Self { .word(Value.allCases.map { ($0.rawValue, $0) }) }
}

extension ValueKind where Value == [EventType] {
    /// The types of events that somebody is told of. An empty list is taken as it is, and warned about.
    static var triggers: Self {
        Self { reading, field in
            if case .sequence(let nodes) = field.value.content, nodes.isEmpty {
                reading.valueWarning(
                    field, "'\(field.path)' is an empty list, so nothing is told",
                    expected: "types of events, such as alarm")
            }
            return Self.words(EventType.allCases.map { ($0.rawValue, $0) }).read(&reading, field)
        }
    }
}

extension [EventType] {
    /// What people and programs elsewhere are told of without being asked: not who is away.
    static var usual: Self { [.alarm, .recovery, .fault] }
    /// What the house itself is told of.
    static var usualInTheHouse: Self { [.armed, .disarmed, .alarm, .recovery, .fault] }
}
