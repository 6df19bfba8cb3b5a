/// Guess of what a zone watches, by the words of its name, where its alarm would be no burglary.
///
/// English words are compared as a whole, German ones by their beginning, because they are compounds. The guess may be
/// wrong ("Fire exit"): who uses it asks or warns, and decides nothing by it.
package struct ZoneNameGuess: Equatable, Sendable {
    /// Words for people: `fire`, `water`.
    package let watched: String
    /// Setting that the zone's entry in the configuration needs then.
    package let setting: String

    /// Setting of a zone whose name leads astray.
    package static let other = "device_class: opening"

    package init?(name: String) {
        let words = name.lowercased().split { !$0.isLetter }
        let kind = Self.kinds.first { kind in
            words.contains { word in
                kind.words.contains(String(word)) || kind.beginnings.contains { word.hasPrefix($0) }
            }
        }
        guard let kind else { return nil }
        (watched, setting) = (kind.watched, kind.setting)
    }

    private struct Kind {
        var watched: String
        var setting: String
        var words: Set<String>
        var beginnings: [String]
    }

    private static let kinds = [
        Kind(
            watched: "fire", setting: "fire: true", words: ["smoke", "fire", "heat"],
            beginnings: ["rauchm", "rauchw", "feuerm", "brandm", "hitzem"]),
        Kind(
            watched: "carbon monoxide", setting: "device_class: carbon_monoxide", words: ["co", "monoxide"],
            beginnings: ["kohlenmonoxid"]),
        Kind(
            watched: "gas", setting: "device_class: gas", words: ["gas", "propane", "methane"],
            beginnings: ["gasm", "gasw"]),
        Kind(
            watched: "water", setting: "device_class: moisture", words: ["water", "flood", "leak", "moisture"],
            beginnings: ["wasserm", "wasserw", "leckm", "leckw"]),
    ]
}
