import AlarmModel
import CommandKit

extension ConfigurationReading {
    /// The values of a list; one that stands alone is a list of one.
    func values(_ field: ConfigurationSection.Field) -> [ConfigurationSection.Field] {
        guard case .sequence(let nodes) = field.value.content else { return [field] }
        return nodes.map { node in
            let place = ConfigurationPlace(file: field.place.file, mark: node.mark)
            return ConfigurationSection.Field(key: field.key, path: field.path, place: place, value: node)
        }
    }

    /// One of several words. The value is not shown when it is none of them: it may be a secret in the wrong line.
    mutating func choice<Value>(_ field: ConfigurationSection.Field, _ known: [(word: String, value: Value)]) -> Value?
    {
        let words = known.map(\.word)
        let list = words.joined(separator: ", ")
        let expected = words.count == 1 ? list : "one of \(list)"
        guard let text = text(field, expected: expected) else { return nil }
        if let found = known.first(where: { $0.word == text }) { return found.value }
        let nearest = NearestKey.of(text, among: words)
        report(
            at: place(ofValue: field), field.path, "'\(field.path)' holds a word that is not known there",
            expected: nearest == nil ? expected : nil, nearest: nearest)
        return nil
    }

    /// Several of these words, each once, in the order of `known`.
    mutating func choices<Value>(
        _ field: ConfigurationSection.Field, _ known: [(word: String, value: Value)]
    ) -> [Value] {
        let numbered = known.enumerated().map { (word: $0.element.word, value: $0.offset) }
        var chosen: Set<Int> = []
        for value in values(field) {
            if let index = choice(value, numbered) { chosen.insert(index) }
        }
        return chosen.sorted().map { known[$0].value }
    }

    /// The types of events that somebody is told of. An empty list is taken as it is, and warned about.
    mutating func triggers(_ field: ConfigurationSection.Field?, otherwise usual: [EventType]) -> [EventType] {
        guard let field else { return usual }
        if case .sequence(let nodes) = field.value.content, nodes.isEmpty {
            report(
                .warning, at: place(ofValue: field), field.path, "'\(field.path)' is an empty list, so nothing is told",
                expected: "types of events, such as alarm")
            return []
        }
        return choices(field, EventType.allCases.map { ($0.rawValue, $0) })
    }

    /// Commands without a person's name: what may be asked for.
    mutating func verbs(_ field: ConfigurationSection.Field, of known: [LegacyPhone.Verb]) -> [LegacyPhone.Verb] {
        choices(field, known.map { ($0.rawValue, $0) })
    }
}

extension EventType {
    /// What people and programs elsewhere are told of without being asked: not who is away.
    static let usualTriggers: [EventType] = [.alarm, .recovery, .fault]
}
