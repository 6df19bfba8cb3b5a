package import AlarmModel

/// One thing in each of the languages in which people are told.
package struct InLanguages<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    private var english: Value
    private var german: Value

    private enum CodingKeys: String, CodingKey { case english = "en", german = "de" }

    /// - Parameter make: says it in a language
    package init(_ make: (NoticeLanguage) -> Value) {
        english = make(.english)
        german = make(.german)
    }

    package subscript(language: NoticeLanguage) -> Value {
        switch language {
        case .english: english
        case .german: german
        }
    }
}
