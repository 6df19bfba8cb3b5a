/// Why the bytes of a time zone file cannot be used.
package enum TimeZoneError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// The file does not begin with `TZif`.
    case notTimeZoneData
    /// The file ends before what its header promises.
    case truncated
    /// Larger than any real file.
    case tooLarge
    /// A count, index, offset or order that RFC 9636 does not allow; the word says which.
    case malformed(Part)
    /// Files of the `right/` kind count leap seconds; the box's clock does not.
    case leapSeconds
    /// The rule for the time after the table does not parse.
    case badFooter(String)

    package enum Part: String, Codable, Hashable, Sendable {
        case counts, offset, typeIndex, order, footer
    }

    package var description: String {
        let why =
            switch self {
            case .notTimeZoneData: "it is not a time zone file"
            case .truncated: "the file is cut short"
            case .tooLarge: "the file is too large"
            case .malformed(let part):
                switch part {
                case .counts: "its counts contradict each other"
                case .offset: "it has an offset of more than a day"
                case .typeIndex: "a transition names a type that is not there"
                case .order: "its transitions are not in order"
                case .footer: "its footer is not one line of text"
                }
            case .leapSeconds: "it counts leap seconds; use the zone without 'right/'"
            case .badFooter(let text): "its rule '\(text)' cannot be read"
            }
        return "time zone data cannot be used: \(why); reinstall the package tzdata or choose another zone"
    }
}
