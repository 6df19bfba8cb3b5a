package import AlarmModel

/// A code of the TPI: its name and how it is classed. The one table of codes in the program.
package struct TPICode: Equatable, Sendable {
    /// 0…999
    package let number: Int
    /// Plain words, as used in messages.
    package let name: String
    /// Our own class (docs/envisalink.md 4.5).
    package let eventType: EventType
    /// The class that the original programs publish (docs/messages.md B.2), which differs for some restores and
    /// troubles and is kept for programs that read it.
    package let legacyType: EventType

    init(_ number: Int, _ name: String, _ eventType: EventType, legacy: EventType) {
        self.number = number
        self.name = name
        self.eventType = eventType
        self.legacyType = legacy
    }

    /// nil for a code that is not in the table.
    package static func entry(_ number: Int) -> TPICode? {
        var low = 0
        var high = table.count
        while low < high {
            let middle = (low + high) / 2
            if table[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < table.count && table[low].number == number ? table[low] : nil
    }

    /// nil for text that is not three digits or not in the table.
    package static func entry(_ code: String) -> TPICode? {
        code.utf8.count == 3 ? decimal(Array(code.utf8)[...]).flatMap { entry($0) } : nil
    }

    /// The class of an event made of this line. Data that does not fit its code makes it unknown, but for an alarm:
    /// that there is one is known, whatever the line says of its place.
    package static func eventType(for line: DSCLine) -> EventType {
        let type = entry(line.code)?.eventType ?? .unknown
        if case .unknown = line.message { return type == .alarm ? .alarm : .unknown }
        if case .troubles(let bits) = line.message { return bits.isEmpty ? .recovery : .fault }
        return type
    }

    /// The class that the original programs publish for this code; codes that they do not handle are faults there.
    ///
    /// - Parameters:
    ///   - code: three digits, or an `EventCode` of ours, for which there is none
    ///   - raw: the line without checksum; tells an accepted login (info) from the other login lines (response)
    package static func legacyType(code: String, raw: String = "") -> EventType? {
        guard code.utf8.count == 3, decimal(Array(code.utf8)[...]) != nil else { return nil }
        if raw == "5051" { return .info }
        return entry(code)?.legacyType ?? .fault
    }
}
