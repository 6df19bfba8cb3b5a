package import AlarmModel
package import PanelLink

extension PanelSimulator {
    /// What the world does to the house, the panel and the module.
    package enum Stimulus: Codable, Equatable, Sendable {
        case open(zone: Int)
        case close(zone: Int)
        /// A motion detector: open, and closed again after the span.
        case trip(zone: Int, span: Duration)
        case zoneTamper(zone: Int, Bool)
        /// Supervision lost; the panel opens the zone too.
        case zoneFault(zone: Int, Bool)
        case zoneBattery(zone: Int, low: Bool)

        /// Somebody arms at a keypad; nil: quick arm, key switch, wireless key.
        case arm(partition: Int, ArmIntent, user: Int?)
        /// Somebody disarms at a keypad; nil: key switch or wireless key (751).
        case disarm(partition: Int, user: Int?)
        /// Keys at a keypad; code digits arm or disarm, wrong ones count.
        case keys(partition: Int, Secret)
        /// Disarmed under threat: 620, nothing that a keypad shows.
        case duress(partition: Int)
        /// The [F], [A] or [P] key.
        case key(DSCMessage.KeyAlarm)
        /// 631/632: the two-wire smoke loop.
        case smoke(Bool)
        /// Somebody works in a menu of the keypad (673).
        case busy(partition: Int, Bool)
        case chime(partition: Int, Bool)
        case output(partition: Int, output: Int)
        /// 674: auto-arming will arm soon.
        case autoArming(partition: Int)
        /// 680: the installer programs the panel.
        case installer(Bool)

        /// `ac`, `battery`, `bell`, `failureToCommunicate`, `tamper`, `fireTrouble`, `phoneLine`, `clock`, `service`;
        /// others do nothing.
        case trouble(Trouble, Bool)
        /// The bus between panel and module.
        case keybus(alive: Bool)
        /// 816
        case eventBufferNearlyFull
        case phoneRing
        case temperature(Temperature)
        /// Sets the panel's clock; broadcast (550) if 056 asked for that.
        case clock(PanelClock)
        /// 550 now, whatever 056 said.
        case clockBroadcast

        /// nil: as long as the house says.
        case rebootModule(down: Duration?)
        /// Panel and module lose power; the clock is lost.
        case powerCycle(down: Duration?)
        /// The client is gone without FIN: the module holds its session for minutes.
        case clientVanished
        case dropClient(reset: Bool)

        case fault(PanelFault)
        /// A line to the client, whatever the state: code and data, checksum and CR LF are added.
        case rawLine(String)
        case rawBytes([UInt8])
    }

    /// How a partition is asked to arm.
    package enum ArmIntent: String, Codable, Equatable, Sendable, CaseIterable {
        case away, stay
        /// *9: without entry delay.
        case zeroEntry = "zero-entry"
        /// With a code: away if an exit door opens within the delay, else stay.
        case byDoor = "by-door"
    }
}
