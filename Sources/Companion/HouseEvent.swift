/// One event as the box tells it (docs/messages.md B.6).
public struct HouseEvent: Codable, Equatable, Sendable {
    /// nil where the box could not store it yet, and for notices that have no number.
    public var position: LogPosition?
    /// `u`: names an event that went out before it was stored; its row repeats it later.
    public var mark: String?
    /// `alarm`, `recovery`, `fault`, `armed`, `disarmed`, `info` …; kept as it came.
    public var type: String
    public var code: String
    public var raw: String
    /// One sentence for people.
    public var message: String
    /// Seconds since 1970, by the clock of the box.
    public var timestamp: Int64
    public var partition: Int?
    public var zone: Int?
    public var zoneName: String?
    /// `kind`: what sort of alarm it is, in the words of docs/messages.md B.6; nil: a burglary, or no alarm.
    public var kind: String?
    /// `st`: the state of the house after this event, compact; `HouseState` reads it.
    public var state: String?
    /// The row that this event ends (a recovery of an alarm).
    public var recovers: Int64?
    /// Which command of which phone caused it: 16 hexadecimal digits, ".", its counter.
    public var command: String?
    /// It was sent again on request: no sound.
    public var isRepeat: Bool

    public init(
        position: LogPosition?, mark: String? = nil, type: String, code: String, raw: String, message: String,
        timestamp: Int64, partition: Int? = nil, zone: Int? = nil, zoneName: String? = nil, kind: String? = nil,
        state: String? = nil, recovers: Int64? = nil, command: String? = nil, isRepeat: Bool = false
    ) {
        self.position = position
        self.mark = mark
        self.type = type
        self.code = code
        self.raw = raw
        self.message = message
        self.timestamp = timestamp
        self.partition = partition
        self.zone = zone
        self.zoneName = zoneName
        self.kind = kind
        self.state = state
        self.recovers = recovers
        self.command = command
        self.isRepeat = isRepeat
    }

    public var isAlarm: Bool { type == "alarm" }

    /// Whether both can be the same row. What may be missing in a repeat (state, names, words) is not compared.
    func isSame(as other: HouseEvent) -> Bool {
        code == other.code && raw == other.raw && timestamp == other.timestamp && partition == other.partition
            && zone == other.zone
    }
}
