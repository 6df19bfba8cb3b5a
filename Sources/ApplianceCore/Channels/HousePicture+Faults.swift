import AlarmModel
import PanelLink
import PhoneLink

extension HousePicture {
    /// What is wrong with the box itself. The words stay the same as long as the fault lasts: each change is published.
    ///
    /// - Parameter problem: of the storage
    static func faults(storage problem: String?, isClockTrusted: Bool, _ channels: [String]) -> [String] {
        (problem.map { ["storage: \($0)"] } ?? []) + (isClockTrusted ? [] : ["the clock of the box is not trusted"])
            + channels
    }
}

extension Channels {
    /// Whether there is a channel that shows the house as a whole.
    func showsHouse(_ step: Step) -> Bool {
        step.life == .running && (step.channels.contains(.mqtt) || step.channels.contains(.xmpp))
    }

    /// It is told each change.
    ///
    /// - Parameter problem: of the storage
    mutating func showHouse(
        _ uplinks: [HousePicture.Uplink], storage problem: String?, pressedKeys: [Trouble], _ step: inout Step
    ) {
        let settings = step.configuration.panel
        let faults = HousePicture.faults(storage: problem, isClockTrusted: step.now.isWallTrusted, faults)
        show(
            HousePicture(
                state: step.panel, names: settings.names, partitions: settings.partitions, uplinks: uplinks,
                pressedKeys: pressedKeys, isMaintenance: step.isMaintenance, faults: faults,
                cameras: step.configuration.cameras?.shownInHomeAssistant ?? []), &step)
    }

    /// The channels that were told to be broken.
    var faults: [String] {
        var faults: [String] = []
        for index in channels.indices {
            if channels[index].offlineTold != nil || channels[index].refused.contains(where: { $0.service != nil }) {
                faults.append("nobody is reached by \(channels[index].kind.words)")
            } else if channels[index].inboundFailure?.told != nil {
                faults.append("what phones send by \(channels[index].kind.words) does not come in")
            }
        }
        return faults
    }
}
