package struct ZoneState: Codable, Equatable, Sendable {
    package let number: Int
    package var name: String?
    /// From the configuration, or learnt from 601…604.
    package var partition: Int?
    /// 609/610. After a module's power-up "closed" is its default, not a fact: unknown until a change was seen.
    package var open: Reading<Bool> = .unknown
    /// It is closed because the panel calls its partition ready, not because it was seen to close; nil: it is not so.
    package var isClosedByReport: Bool?
    /// 601/602
    package var alarm: Reading<Bool> = .unknown
    /// 602 of the zone's last alarm; nil if no alarm line of it was heard since the zone opened or the panel was lost.
    package var restore: Restore?
    /// 603/604
    package var tamper: Reading<Bool> = .unknown
    /// 605/606: supervision lost.
    package var fault: Reading<Bool> = .unknown
    /// 832/833
    package var lowBattery: Reading<Bool> = .unknown
    /// 616; cleared when the partition is disarmed.
    package var bypassed: Reading<Bool> = .unknown
    package var lastOpened: WallTime?
    package var lastClosed: WallTime?
    /// When `open` was last heard of from the panel while it was `known`.
    package var knownAt: WallTime?

    package enum Restore: String, Codable, Equatable, Sendable {
        /// 601 came. Its 602 may come behind the end of the alarm.
        case awaited
        /// 602 came.
        case received
    }

    private enum CodingKeys: String, CodingKey {
        case number = "number", name = "name", partition = "partition", open = "open",
            isClosedByReport = "closedByReport", alarm = "alarm", restore = "restore", tamper = "tamper",
            fault = "fault", lowBattery = "lowBattery", bypassed = "bypassed", lastOpened = "lastOpened",
            lastClosed = "lastClosed", knownAt = "knownAt"
    }

    package init(number: Int, name: String? = nil, partition: Int? = nil) {
        self.number = number
        self.name = name
        self.partition = partition
    }

    package mutating func age() {
        open = open.aged
        alarm = alarm.aged
        tamper = tamper.aged
        fault = fault.aged
        lowBattery = lowBattery.aged
        bypassed = bypassed.aged
        if restore == .received { restore = nil }
    }
}
