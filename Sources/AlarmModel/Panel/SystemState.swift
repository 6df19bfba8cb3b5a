package enum Health: String, Codable, Hashable, Sendable {
    case ok, trouble
}

/// Troubles of the panel as a whole (docs/envisalink.md 4.3): each unknown, ok or trouble.
package struct SystemState: Codable, Equatable, Sendable {
    package var readings: [SystemReading]
    /// 680: the installer works on the panel; ends at the next ordinary partition line.
    package var isInstallerMode = false
    /// 510/511, partition 1 only: lit and flashing keypad LEDs (docs/envisalink.md 2.3).
    package var leds: Reading<UInt8> = .unknown
    package var flashingLEDs: Reading<UInt8> = .unknown
    /// 561/562: degrees, by thermostat number 1…4, ascending.
    package var temperatures: [Temperature] = []
    /// What was told as an alarm since a partition was armed last, in the order of `PanelLoss`; nil: nothing.
    package var toldLosses: [PanelLoss]?

    package init() {
        readings = Trouble.allCases.map { SystemReading(trouble: $0, health: .unknown) }
    }

    package subscript(_ trouble: Trouble) -> Reading<Health> {
        get { readings.first { $0.trouble == trouble }?.health ?? .unknown }
        set {
            if let index = readings.firstIndex(where: { $0.trouble == trouble }) {
                readings[index].health = newValue
            } else {
                readings.append(SystemReading(trouble: trouble, health: newValue))
            }
        }
    }

    package mutating func age() {
        for index in readings.indices { readings[index].health = readings[index].health.aged }
        leds = leds.aged
        flashingLEDs = flashingLEDs.aged
        isInstallerMode = false
    }
}

package struct SystemReading: Codable, Equatable, Sendable {
    package let trouble: Trouble
    package var health: Reading<Health>
}

/// What can be wrong with the panel as a whole. Fire *trouble* is a fault of a detector, not a fire.
package enum Trouble: String, Codable, Hashable, Sendable, CaseIterable {
    /// 802/803, 849 bit 1
    case ac
    /// 800/801
    case battery
    /// 806/807
    case bell
    /// 849 bit 2
    case phoneLine
    /// 814/815, 849 bit 3
    case failureToCommunicate
    /// 829/830
    case tamper
    /// 842/843
    case fireTrouble
    /// 849 bit 7
    case clock
    /// 849 bit 0
    case service
    /// 849 bit 4
    case zoneFault
    /// 849 bit 5
    case zoneTamper
    /// 849 bit 6
    case zoneBattery
    /// 502 014: the module cannot reach the panel.
    case keybus
    /// 621/622, 623/624, 625/626: keys pressed at a keypad; 631/632: smoke.
    case fireKey, auxiliaryKey, panicKey, smoke
}

package struct Temperature: Codable, Equatable, Sendable {
    package enum Place: String, Codable, Hashable, Sendable { case indoor, outdoor }
    package var thermostat: Int
    package var place: Place
    package var degrees: Int

    package init(thermostat: Int, place: Place, degrees: Int) {
        self.thermostat = thermostat
        self.place = place
        self.degrees = degrees
    }
}
