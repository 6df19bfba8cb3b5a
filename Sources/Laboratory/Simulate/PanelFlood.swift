import AlarmModel
import Simulators

/// Changes of zones at a steady rate: which are due.
///
/// Zones without a detector in the example house, so that each change is exactly one line.
struct PanelFlood {
    static let tick = Duration.milliseconds(5)
    static let zones = 17...64
    private let rate: Int
    private let start: BootTime
    private var count = 0

    /// `rate`: changes a second, at least 1.
    init(rate: Int, start: BootTime) {
        precondition(rate > 0, "a flood has a rate")
        self.rate = rate
        self.start = start
    }

    mutating func due(at now: BootTime) -> [PanelSimulator.Stimulus] {
        let wanted = Int(clamping: (now - start).milliseconds) * rate / 1000
        var result: [PanelSimulator.Stimulus] = []
        // After a stop of this process the rest is made up a second's worth at a time.
        while count < wanted, result.count < rate {
            let zone = Self.zones.lowerBound + count % Self.zones.count
            result.append((count / Self.zones.count).isMultiple(of: 2) ? .open(zone: zone) : .close(zone: zone))
            count += 1
        }
        return result
    }
}
