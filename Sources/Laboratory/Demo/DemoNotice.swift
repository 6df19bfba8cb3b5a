/// A notice as a phone shows it.
struct DemoNotice: Equatable, Sendable {
    var title: String
    var text: String

    private static let mark = " | "

    init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// `notice Mill Lane 4: ALARM, Kitchen window | Ground floor, armed away.`; nil for other lines.
    init?(_ line: String) {
        guard line.hasPrefix("notice "), let mark = line.firstRange(of: Self.mark) else { return nil }
        title = String(line[..<mark.lowerBound].dropFirst("notice ".count))
        text = String(line[mark.upperBound...])
    }

    var line: String { "notice \(title)\(Self.mark)\(text)" }

    /// Zone or partition of an alarm; nil for other notices.
    var alarmPlace: String? {
        title.firstRange(of: "ALARM, ").map { String(title[$0.upperBound...]) }
    }

    func contains(_ words: String) -> Bool { title.contains(words) || text.contains(words) }
}
