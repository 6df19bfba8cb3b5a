/// What an uninterruptible power supply says of itself. It is a word of a server in the house: information, and nothing
/// that the box obeys.
package struct UPSReading: Codable, Equatable, Sendable {
    /// What feeds the sockets of the UPS.
    package enum Supply: String, Codable, Hashable, Sendable, CaseIterable {
        case mains, battery
        /// Its battery, which is nearly empty; or it is about to be switched off.
        case low
    }
    package var supply: Supply
    /// Its server has ordered that it is switched off.
    package var isEnding: Bool
    /// Of the battery, in percent; nil: it does not say.
    package var charge: Int?
    /// How long its battery lasts; nil: it does not say.
    package var runtime: Duration?

    package init(_ supply: Supply, isEnding: Bool = false, charge: Int? = nil, runtime: Duration? = nil) {
        self.supply = supply
        self.isEnding = isEnding
        self.charge = charge
        self.runtime = runtime
    }

    /// Whole ones.
    package var minutes: Int? { runtime.map { Int(clamping: $0.milliseconds / 60_000) } }
}

/// What people were told of a UPS, kept over a restart: the return of the mains is told after a night without power, too.
package struct UPSRecord: Codable, Equatable, Sendable {
    /// Of which one: its name and its server.
    package var place: String
    /// Between two times with mains it only gets worse.
    package var supply: UPSReading.Supply
    /// Nobody says any more how it is.
    package var isLost: Bool

    package init(place: String, supply: UPSReading.Supply = .mains, isLost: Bool = false) {
        self.place = place
        self.supply = supply
        self.isLost = isLost
    }
}
