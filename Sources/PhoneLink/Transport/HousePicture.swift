package import AlarmModel

/// The house as a whole, for ways that show it: never anything about duress (DESIGN 1.6).
package struct HousePicture: Codable, Hashable, Sendable {
    package var state: PanelState
    package var names: SiteNames
    /// Ascending; as configured.
    package var partitions: [Int]
    package init(state: PanelState, names: SiteNames, partitions: [Int]) {
        self.state = state
        self.names = names
        self.partitions = partitions
    }
}
