package import AlarmModel
package import PanelLink

/// What is really so in the simulated house, to compare with what anybody believes.
package struct PanelTruth: Codable, Equatable, Sendable {
    /// Ascending, 1…8.
    package var partitions: [Partition]
    /// Ascending, 1…64.
    package var zones: [Zone]
    /// As 849 would tell.
    package var troubles: TroubleBits
    /// System troubles that are present, in the order of `Trouble.allCases`.
    package var systemTroubles: [Trouble]
    package var isInstallerMode: Bool
    package var isLockedOut: Bool
    package var isModuleUp: Bool
    package var isKeybusAlive: Bool
    package var isBlanked: Bool
    /// A client is logged in.
    package var hasSession: Bool
    /// Partition 1, as 510.
    package var leds: UInt8
    package var clock: PanelClockTime

    package struct Partition: Codable, Equatable, Sendable {
        package var number: Int
        package var status: PartitionStatus
        /// In alarm, and neither bell nor keypad tells.
        package var isSilentAlarm: Bool
        package var hasMemory: Bool
        package var chime: Bool
        package var isBusy: Bool
        package var lastChangedBy: Attribution?
    }

    package struct Zone: Codable, Equatable, Sendable {
        package var number: Int
        package var partition: Int?
        package var isOpen: Bool
        /// What the module believes: closed by default after its start.
        package var isOpenAtModule: Bool
        /// Bypassed by somebody; not the interior zones that stay arming leaves out.
        package var isBypassed: Bool
        package var inAlarm: Bool
        package var isTampered: Bool
        package var isFaulted: Bool
        package var isBatteryLow: Bool
    }
}

/// What is compared after each step of the simulated world is asked for by itself: all of it is too much for that.
extension PanelSimulator {
    /// A client is logged in at a module that tells what the panel does.
    package var isTelling: Bool { session?.isLoggedIn ?? false && module.isKeybusAlive && !module.isBlanked }
    /// - Parameter partition: 1…8
    package func status(of partition: Int) -> PartitionStatus { panel.status(of: partition) }
    /// - Parameter partition: 1…8
    package func isSilentAlarm(_ partition: Int) -> Bool {
        panel.partitions[partition - 1].phase == .alarm && panel.partitions[partition - 1].isSilentAlarm
    }
    /// What the module believes of a zone (1…64): closed by default after its start.
    package func isOpenAtModule(_ zone: Int) -> Bool { module.zones[zone - 1].isOpen }

    package var truth: PanelTruth {
        PanelTruth(
            partitions: panel.partitions.map {
                PanelTruth.Partition(
                    number: $0.number, status: status(of: $0.number),
                    isSilentAlarm: isSilentAlarm($0.number), hasMemory: $0.hasMemory, chime: $0.chime,
                    isBusy: $0.isBusy, lastChangedBy: $0.lastChangedBy)
            },
            zones: panel.zones.map {
                PanelTruth.Zone(
                    number: $0.number, partition: house.zone($0.number)?.partition, isOpen: $0.isOpen,
                    isOpenAtModule: isOpenAtModule($0.number), isBypassed: $0.isBypassed, inAlarm: $0.inAlarm,
                    isTampered: $0.isTampered, isFaulted: $0.isFaulted, isBatteryLow: $0.isBatteryLow)
            },
            troubles: panel.troubleBits,
            systemTroubles: Trouble.allCases.filter { panel.troubles.contains($0) },
            isInstallerMode: panel.isInstallerMode, isLockedOut: panel.isLockedOut(at: now), isModuleUp: module.isUp,
            isKeybusAlive: module.isKeybusAlive, isBlanked: module.isBlanked, hasSession: session?.isLoggedIn ?? false,
            leds: leds, clock: panel.clockTime(at: now))
    }
}
