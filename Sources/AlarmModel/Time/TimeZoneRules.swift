/// The rules of the site's time zone as values, read by the shell from a TZif file (RFC 9636).
package struct TimeZoneRules: Codable, Equatable, Sendable {
    package struct Transition: Codable, Equatable, Sendable {
        /// Seconds since 1970, UTC, from which `offset` holds.
        package var at: Int64
        /// Seconds east of UTC.
        package var offset: Int32

        package init(at: Int64, offset: Int32) {
            self.at = at
            self.offset = offset
        }
    }

    /// "Europe/Vienna"
    package var name: String
    /// Seconds east of UTC before the first transition.
    package var firstOffset: Int32
    /// Ascending by time.
    package var transitions: [Transition]
    /// The POSIX rule that holds after the last transition, for instance `CET-1CEST,M3.5.0,M10.5.0/3`.
    package var footer: String

    package init(name: String, firstOffset: Int32, transitions: [Transition], footer: String) {
        self.name = name
        self.firstOffset = firstOffset
        self.transitions = transitions
        self.footer = footer
    }

    package static let utc = TimeZoneRules(name: "UTC", firstOffset: 0, transitions: [], footer: "UTC0")
}
