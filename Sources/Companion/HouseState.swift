import PhoneProtocol

/// The state of the house as a message tells it (`st`, docs/messages.md B.6). What is not told is nil: unknown.
///
/// Several partitions follow each other with `|` between them; `p` names the partition where it is not the first.
public struct HouseState: Codable, Equatable, Sendable {
    public enum Arming: String, Codable, Hashable, Sendable {
        case disarmed = "d"
        case stay = "s"
        case away = "a"
        /// Armed without entry delay.
        case noEntryDelay = "n"
        case exitDelay = "x"
        case entryDelay = "e"
    }

    public struct Partition: Codable, Equatable, Sendable {
        public var number: Int
        public var arming: Arming?
        public var isReady: Bool?
        public var isInAlarm: Bool?
        /// The trouble bits of the panel; 0 is none.
        public var trouble: UInt64?
        /// Ascending; nil when the box does not know.
        public var openZones: [Int]?
        /// Ascending; nil when the box does not know.
        public var bypassedZones: [Int]?
    }

    /// Ascending by number.
    public var partitions: [Partition]

    public func partition(_ number: Int) -> Partition? { partitions.first { $0.number == number } }

    /// Reads what it understands; keys that are not known are passed over. nil where nothing was understood.
    /// `first`: the partition that is meant where the text names none (`part` of the message).
    public init?(_ text: String, partition first: Int = 1) {
        var partitions: [Partition] = []
        for part in text.split(separator: "|") {
            var partition = Partition(number: first + partitions.count)
            var understood = false
            for pair in part.split(separator: ";") {
                guard let mark = pair.firstIndex(of: "=") else { continue }
                let value = String(pair[pair.index(after: mark)...])
                switch pair[..<mark] {
                case "p": if let number = Int(value), (1...99).contains(number) { partition.number = number }
                case "a":
                    partition.arming = Arming(rawValue: value)
                    understood = true
                case "r": partition.isReady = Self.flag(value)
                case "al": partition.isInAlarm = Self.flag(value)
                case "t": partition.trouble = Hex.number(value)
                case "z": partition.openZones = Self.numbers(value)
                case "x": partition.bypassedZones = Self.numbers(value)
                case _: continue
                }
            }
            if understood { partitions.append(partition) }
        }
        guard !partitions.isEmpty else { return nil }
        self.partitions = partitions.sorted { $0.number < $1.number }
    }

    /// What the newer message does not speak of stays.
    mutating func update(with newer: HouseState) {
        let kept = partitions.filter { newer.partition($0.number) == nil }
        partitions = (kept + newer.partitions).sorted { $0.number < $1.number }
    }

    private static func flag(_ text: String) -> Bool? { text == "1" ? true : text == "0" ? false : nil }

    private static func numbers(_ text: String) -> [Int]? {
        text == "?" ? nil : text.split(separator: ",").compactMap { Int($0) }.sorted()
    }
}
