import AlarmModel
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
    /// The ways to people that were told to be broken.
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
