package import AlarmModel

/// What a line of the module says (docs/envisalink.md 2.2, 2.3).
package enum DSCMessage: Codable, Equatable, Sendable {
    /// 500: the command was accepted for processing, not carried out.
    case acknowledged(command: Int)
    /// 501
    case commandError
    /// 502: a code of table 1.4.
    case systemError(Int)
    /// 505
    case login(LoginReply)
    /// 510, partition 1 only
    case leds(UInt8)
    /// 511: which LEDs flash; not a new LED state.
    case flashingLEDs(UInt8)
    /// 550 as it came: `hhmmMMDDYY`.
    case time(PanelClock)
    /// 560
    case phoneRing
    /// 561, 562
    case temperature(Temperature)
    /// 601/602
    case zoneAlarm(partition: Int, zone: Int, active: Bool)
    /// 603/604
    case zoneTamper(partition: Int, zone: Int, active: Bool)
    /// 605/606
    case zoneFault(zone: Int, active: Bool)
    /// 609/610
    case zoneOpen(zone: Int, open: Bool)
    /// 615: 64 entries, zone 1 first.
    case zoneTimers([ZoneTimer])
    /// 616: the bypassed zones, ascending.
    case bypassed([Int])
    /// 620: silent; for duress contacts only.
    case duress
    /// 621…626
    case keyAlarm(KeyAlarm, active: Bool)
    /// 631/632
    case smoke(active: Bool)
    /// 650…657: the lines that decide what a partition is doing.
    case partition(Int, PartitionLine)
    /// 658
    case keypadLockout(partition: Int)
    /// 659
    case failedToArm(partition: Int)
    /// 660
    case outputInProgress(partition: Int)
    /// 663/664
    case chime(partition: Int, on: Bool)
    /// 670
    case invalidCode(partition: Int)
    /// 671
    case functionNotAvailable(partition: Int)
    /// 672
    case failureToArm(partition: Int)
    /// 673
    case busy(partition: Int)
    /// 674
    case autoArming(partition: Int)
    /// 680: the whole system.
    case installerMode
    /// 700
    case userClosing(partition: Int, user: Int)
    /// 701
    case specialClosing(partition: Int)
    /// 702
    case partialClosing(partition: Int)
    /// 750
    case userOpening(partition: Int, user: Int)
    /// 751
    case specialOpening(partition: Int)
    /// 800…807, 814, 815, 829, 830, 842, 843
    case trouble(Trouble, active: Bool)
    /// 816: the panel's event buffer is 75 % full.
    case eventBufferNearlyFull
    /// 832/833
    case zoneLowBattery(zone: Int, active: Bool)
    /// 840/841
    case troubleLED(partition: Int, on: Bool)
    /// 849: the full set; replaces what was known.
    case troubles(TroubleBits)
    /// 900, 921, 922
    case codeRequired(CodeKind)
    /// 912
    case outputPressed(partition: Int, output: Int)
    /// Codes of the serial modules (810…813, 821…828, 896, 897), kept as events.
    case serialModule
    /// A code that is not in the table, or one with data that does not fit it.
    case unknown(Misfit)

    package enum LoginReply: Int, Codable, Equatable, Sendable {
        case wrongPassword = 0
        case accepted = 1
        case timedOut = 2
        case passwordWanted = 3
    }
    package enum KeyAlarm: String, Codable, Equatable, Sendable { case fire, auxiliary, panic }
    package enum CodeKind: String, Codable, Equatable, Sendable { case user, master, installer }
    package enum Misfit: String, Codable, Equatable, Sendable { case unknownCode, wrongData }
    package enum PartitionLine: Codable, Equatable, Sendable {
        case ready, notReady, readyForce, alarm, disarmed, exitDelay, entryDelay
        /// nil: old firmware sends no mode.
        case armed(ArmMode?)
    }
}

/// 615, one zone: how long ago it closed.
package enum ZoneTimer: Codable, Equatable, Sendable {
    case openNow
    /// Closed so long ago, in steps of five seconds.
    case closed(ago: Duration)
    /// The counter ran out (three days and 19 hours) or the zone was never seen to change.
    case unknown
}

/// 849 as it came (docs/envisalink.md 2.3).
package struct TroubleBits: OptionSet, Codable, Equatable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let service = TroubleBits(rawValue: 1 << 0)
    package static let ac = TroubleBits(rawValue: 1 << 1)
    package static let phoneLine = TroubleBits(rawValue: 1 << 2)
    package static let failureToCommunicate = TroubleBits(rawValue: 1 << 3)
    package static let zoneFault = TroubleBits(rawValue: 1 << 4)
    package static let zoneTamper = TroubleBits(rawValue: 1 << 5)
    package static let zoneBattery = TroubleBits(rawValue: 1 << 6)
    package static let clock = TroubleBits(rawValue: 1 << 7)
}

/// The panel's own clock, in the site's local time.
package struct PanelClock: Codable, Equatable, Sendable {
    package var hour: Int
    package var minute: Int
    package var month: Int
    package var day: Int
    /// Two digits.
    package var year: Int
    package init(hour: Int, minute: Int, month: Int, day: Int, year: Int) {
        self.hour = hour
        self.minute = minute
        self.month = month
        self.day = day
        self.year = year
    }
}

/// A line that passed framing and checksum.
package struct DSCLine: Codable, Equatable, Sendable {
    /// Three digits.
    package var code: String
    package var data: String
    /// The stamp `hh:mm:ss` when 055 switched stamps on; not part of `raw`.
    package var stamp: String?
    package var message: DSCMessage

    package init(code: String, data: String, stamp: String?, message: DSCMessage) {
        self.code = code
        self.data = data
        self.stamp = stamp
        self.message = message
    }
}

extension DSCLine {
    /// Modules for other panels report zones 65 to 128 as open or closed; a PowerSeries panel has 64. The first such line
    /// is an event, the others are only counted with those that do not fit.
    var isFurtherZone: Bool {
        (code == "609" || code == "610") && Int(data).map { (65...128).contains($0) } ?? false
    }
}
