import AlarmModel
import PanelLink

/// A zone as the panel has it now.
struct ZoneRuntime: Codable, Equatable, Sendable {
    let number: Int
    var isOpen = false
    var isBypassed = false
    /// Left out by stay arming.
    var isAutoBypassed = false
    /// Open when armed by force; joins again when it closes.
    var isForced = false
    var inAlarm = false
    /// Alarms since somebody armed or disarmed last.
    var alarms = 0
    var isTampered = false
    var isFaulted = false
    var isBatteryLow = false

    var isIgnored: Bool { isBypassed || isAutoBypassed || isForced }

    init(number: Int) { self.number = number }
}

/// A partition as the panel has it now.
struct PartitionRuntime: Codable, Equatable, Sendable {
    enum Phase: String, Codable, Hashable, Sendable {
        case disarmed
        /// 655 was told, readiness not yet.
        case settling
        case exitDelay, armed, entryDelay, alarm
    }

    let number: Int
    var phase = Phase.disarmed
    /// Not nil from the exit delay until disarmed.
    var mode: ArmMode?
    /// Armed with a code or *9: an exit door that opens within the delay makes it away.
    var followsDoor = false
    var armedBy = Attribution.special
    var lastChangedBy: Attribution?
    /// Zones that alarm when the entry delay runs out.
    var entryZones: [Int] = []
    var isSilentAlarm = false
    var isFireAlarm = false
    var hasMemory = false
    var chime = false
    var isBusy = false
    var menu = Menu.none
    /// Digits typed so far, in the menu or of a code.
    var digits = ""

    init(number: Int) { self.number = number }

    enum Menu: String, Codable, Hashable, Sendable {
        case none
        /// After `*`.
        case star
        /// *1
        case bypass
        /// *7
        case output
        /// *8
        case installer
    }
}

/// The EnvisaLink itself.
struct ModuleRuntime: Codable, Equatable, Sendable {
    /// A zone as it believes it to be: closed by default after its start.
    struct Zone: Codable, Equatable, Sendable {
        var isOpen = false
        /// When it saw it close; nil: never since its start.
        var closedAt: BootTime?
    }

    var zones = [Zone](repeating: Zone(), count: 64)
    /// The primary line of each partition that it saw last.
    var announced = [String](repeating: "", count: 8)
    var isUp = true
    var isKeybusAlive = true
    var isBlanked = false
    var leds: UInt8?
    var flashingLEDs: UInt8?
    /// 055, 056, 057
    var stampsLines = false
    var broadcastsTime = false
    var broadcastsTemperature = false
    var keysBusyUntil = BootTime.zero
    var codeRequest: CodeRequest?
    /// Where nothing told the mount otherwise it accepts.
    var listening = PanelSimulator.Listening.accept
    /// The client is gone and the module does not know yet.
    var staleUntil = BootTime.zero
    /// Next zone of the flood, and which it left open.
    var floodPosition = 0
    var floodedZones: [Int] = []
}

/// 900, 921, 922: what waits for 200.
struct CodeRequest: Codable, Equatable, Sendable {
    enum Purpose: Codable, Equatable, Sendable {
        case arm(PanelSimulator.ArmIntent)
        case output(Int)
        case bypass
        case installer
        /// *5, *6, or keys on an armed panel: a right code changes nothing.
        case nothing
    }
    var kind: DSCMessage.CodeKind
    var partition: Int
    var purpose: Purpose
    var expires: BootTime
}

/// The one client.
struct PanelSession: Codable, Equatable, Sendable {
    let client: ConnectionID
    var isLoggedIn = false
    var reader = ClientLineReader()
    /// A command was read and not answered yet; the next one gets 502 001.
    var isProcessing = false
    var lastSend: BootTime?
    var stalledUntil = BootTime.zero
    var stalledInput: [UInt8] = []
    var stalledOutput: [[UInt8]] = []
    var isReadingStopped = false

    init(client: ConnectionID) { self.client = client }
}

/// What is to happen later.
enum PanelJob: Codable, Equatable, Sendable {
    case loginDeadline(ConnectionID)
    case answer(ConnectionID, ClientCommand)
    case lateAck(ConnectionID, String)
    case effect(PanelEffect)
    case exitDelayEnds(Int)
    case entryDelayEnds(Int)
    case bellEnds(Int)
    case attributeOpening(Int, Attribution)
    case settle(Int)
    case closeZone(Int)
    case menuEnds(Int)
    case repeatTroubles
    case broadcastTime
    case broadcastTemperature
    case watchdog
    case moduleStarts
    case blank
    case stallEnds(ConnectionID)
    case flood
    case strayAck

    /// The connection that it belongs to.
    var client: ConnectionID? {
        switch self {
        case .loginDeadline(let client), .answer(let client, _), .lateAck(let client, _), .stallEnds(let client):
            client
        case .effect, .exitDelayEnds, .entryDelayEnds, .bellEnds, .attributeOpening, .settle, .closeZone, .menuEnds,
            .repeatTroubles, .broadcastTime, .broadcastTemperature, .watchdog, .moduleStarts, .blank, .flood,
            .strayAck:
            nil
        }
    }
}

/// What the panel does after the module acknowledged.
enum PanelEffect: Codable, Equatable, Sendable {
    case arm(Int, PanelSimulator.ArmIntent, Attribution)
    case code(Int, String, thenArm: Bool)
    case keys(Int, String)
    case panic(PanelCommand.Panic)
    case output(Int, Int)
    case ask(DSCMessage.CodeKind, Int, CodeRequest.Purpose)
    case answerCode(CodeRequest, String)
    case report
    case timers
    case temperature
}

struct ScheduledJob: Codable, Equatable, Sendable {
    var due: BootTime
    var order: UInt64
    var job: PanelJob
}
