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
    /// True from its alarm to its 602, which comes also behind the end of the alarm. False behind that, so that a second 602
    /// tells nothing new, until the zone opens or the panel is not heard. Else nil.
    package var awaitsRestore: Bool?
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

    private enum CodingKeys: String, CodingKey {
        case number = "number", name = "name", partition = "partition", open = "open", isClosedByReport =
            "closedByReport", alarm = "alarm",
            awaitsRestore = "awaitsRestore", tamper = "tamper", fault = "fault", lowBattery = "lowBattery", bypassed =
            "bypassed",
            lastOpened = "lastOpened", lastClosed = "lastClosed", knownAt = "knownAt"
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
        if awaitsRestore == false { awaitsRestore = nil }
    }
}
