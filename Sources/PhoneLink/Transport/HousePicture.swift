package import AlarmModel

/// The house as a whole, for channels that show it: never anything about duress (docs/ARCHITECTURE.md 1.6).
package struct HousePicture: Codable, Equatable, Sendable {
    package var state: PanelState
    package var names: SiteNames
    /// Ascending; as configured.
    package var partitions: [Int]
    /// The links, in the order of preference; empty where none is configured.
    package var uplinks: [Uplink]
    /// Keys for help that were pressed since the last picture. The panel calls them off in the same moment, so that the
    /// state does not show them.
    package var pressedKeys: [Trouble]
    /// Nobody is told of alarms now.
    package var isMaintenance: Bool
    /// What is wrong with the box itself, in words without a place or a person; empty: nothing.
    package var faults: [String]
    /// The names of cameras whose pictures may be shown, in the order of the configuration: letters, digits, blanks, `-`
    /// and `_`; no two differ by capitals alone.
    package var cameras: [String]

    package struct Uplink: Codable, Equatable, Sendable {
        /// A word of letters.
        package var name: String
        /// nil: not known yet, or asleep.
        package var isUp: Bool?
        package init(name: String, isUp: Bool?) {
            self.name = name
            self.isUp = isUp
        }
    }

    package init(
        state: PanelState, names: SiteNames, partitions: [Int], uplinks: [Uplink] = [], pressedKeys: [Trouble] = [],
        isMaintenance: Bool = false, faults: [String] = [], cameras: [String] = []
    ) {
        self.state = state
        self.names = names
        self.partitions = partitions
        self.uplinks = uplinks
        self.pressedKeys = pressedKeys
        self.isMaintenance = isMaintenance
        self.faults = faults
        self.cameras = cameras
    }

    /// A partition is in alarm.
    package var isInAlarm: Bool { state.partitions.contains(where: \.isInAlarm) }
}
