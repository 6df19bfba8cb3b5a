package import AlarmModel

/// What is installed in a simulated house: zones, partitions, codes, the panel's programming and the module's.
package struct SimulatedHouse: Codable, Equatable, Sendable {
    /// Ascending by number, 1…64; other numbers have no detector.
    package var zones: [SimulatedZone]
    /// The enabled partitions, ascending, 1…8; the others answer 673.
    package var partitions: [Int] = [1]
    package var users: [SimulatedUser]
    package var password: Secret = Secret("user")
    package var installerCode: Secret = Secret("5555")
    /// Digits of a user code at the keypad: 4 or 6.
    package var codeLength = 4

    package var exitDelay: Duration = .seconds(60)
    package var entryDelay: Duration = .seconds(30)
    package var bellTime: Duration = .minutes(4)
    /// An entry door starts the entry delay (657) while an alarm of the partition is on.
    package var delaysInAlarm = false
    /// Alarms of one zone after which the panel passes over the zone (swinger shutdown, with a siren that follows it). An
    /// arming or disarming counts anew; smoke detectors have no limit. nil: no zone has one.
    package var swingerLimit: Int?
    /// 030 and 031 work without a code.
    package var allowsQuickArm = true
    /// Which functions ask for a code (900); 032 always does.
    package var codeDemands: [CodeDemand] = []
    package var codeWindow: Duration = .seconds(30)
    /// So many wrong codes lock the keypads (658, then 502 016).
    package var lockoutAfter = 5
    package var lockoutTime: Duration = .minutes(5)
    /// Panic keys (and 060) that the panel has enabled.
    package var panicKeys: [PanelCommand.Panic] = PanelCommand.Panic.allCases
    /// Thermostats of an EMS-100.
    package var temperatures: [Temperature] = []
    package var clock = PanelClockTime(year: 26, month: 10, day: 12, hour: 14, minute: 30, second: 0)

    /// From a command to its 500, 501 or 502.
    package var ackLatency: Duration = .milliseconds(20)
    /// From the answer until the panel acts.
    package var panelLatency: Duration = .milliseconds(200)
    /// From the answer until a keystring has been typed on the keybus; another one before that is refused (502 010).
    package var keyLatency: Duration = .milliseconds(1200)
    package var rebootTime: Duration = .seconds(40)
    /// The vendor's servers are in reach, so that the module does not reboot for want of a poll.
    package var reachesVendor = false

    package init(zones: [SimulatedZone], users: [SimulatedUser] = [SimulatedUser(number: 40, code: Secret("1234"))]) {
        self.zones = zones
        self.users = users
    }

    package enum CodeDemand: String, Codable, Hashable, Sendable, CaseIterable { case arm, output, bypass }

    /// One partition, eight zones, master 40 with code 1234, user 1 with code 4321, duress user 33 with code 9876.
    package static var sample: SimulatedHouse {
        SimulatedHouse(
            zones: [
                SimulatedZone(1, .entryExit), SimulatedZone(2, .entryExit), SimulatedZone(3, .perimeter),
                SimulatedZone(4, .perimeter), SimulatedZone(5, .interior), SimulatedZone(6, .interior),
                SimulatedZone(7, .fire24h), SimulatedZone(8, .burglary24h, isSilent: true),
            ],
            users: [
                SimulatedUser(number: 1, code: Secret("4321")),
                SimulatedUser(number: 33, code: Secret("9876"), isDuress: true),
                SimulatedUser(number: 40, code: Secret("1234")),
            ])
    }

    func zone(_ number: Int) -> SimulatedZone? { zones.first { $0.number == number } }

    func user(code: String, partition: Int) -> SimulatedUser? {
        users.first { $0.code.revealed == code && ($0.partitions?.contains(partition) ?? true) }
    }
}

package struct SimulatedZone: Codable, Equatable, Sendable {
    /// How the panel treats a zone.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Starts the entry delay; may be open during the exit delay.
        case entryExit
        /// Alarms at once while armed.
        case perimeter
        /// Follows the entry delay; bypassed by the panel itself when armed stay.
        case interior
        /// Alarm at any time, Fire LED; cannot be bypassed.
        case fire24h
        /// Alarm at any time.
        case burglary24h
    }

    package var number: Int
    package var partition: Int
    package var kind: Kind
    /// The alarm changes nothing that a keypad shows: 601 without 654.
    package var isSilent: Bool
    /// Arming is possible while it is open (653).
    package var isForceArmable: Bool

    package init(
        _ number: Int, _ kind: Kind, partition: Int = 1, isSilent: Bool = false, isForceArmable: Bool = false
    ) {
        self.number = number
        self.kind = kind
        self.partition = partition
        self.isSilent = isSilent
        self.isForceArmable = isForceArmable
    }
}

package struct SimulatedUser: Codable, Equatable, Sendable {
    /// 40 is the master.
    package var number: Int
    package var code: Secret
    /// nil: all.
    package var partitions: [Int]?
    package var isDuress: Bool

    package init(number: Int, code: Secret, partitions: [Int]? = nil, isDuress: Bool = false) {
        self.number = number
        self.code = code
        self.partitions = partitions
        self.isDuress = isDuress
    }
}
