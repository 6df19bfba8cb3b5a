import AlarmModel
import PanelLink
import Uplinks

/// Why nothing is asked or installed now.
enum UpdateHindrance: Equatable, Sendable {
    case clock, metered, noLink
    case storage, panelAway, alarm, delay, armed, battery, onTrial

    var words: String {
        switch self {
        case .clock: "the clock is not trusted, so that nobody knows what has expired"
        case .metered: "the way out is a metered link"
        case .noLink: "no link works"
        case .storage: "the storage does not work"
        case .panelAway: "the panel is not connected, so that nobody knows whether the house is armed"
        case .alarm: "there is an alarm, or was one a short time ago"
        case .delay: "an entry or exit delay runs"
        case .armed: "the house is armed"
        case .battery: "the mains power is off"
        case .onTrial: "the version that runs has not proved itself yet"
        }
    }
}

/// What of others decides whether something is asked or installed.
struct UpdateSurroundings {
    /// nil: the operating system chooses the link.
    var link: Link?
    var isMetered: Bool
    var isOnTrial: Bool
    /// An alarm or an entry delay is so near that nothing is restarted.
    var isHot: Bool
    /// The UPS of the box has no mains.
    var isOnBattery: Bool

    init(_ box: borrowing Appliance, _ step: borrowing Step) {
        let failover = box.links.failover
        link = failover.map { $0.active == nil ? .any : $0.link }
        isMetered = failover?.report.contains { $0.isActive && $0.isMetered } ?? false
        isOnTrial = box.health.trial?.isUnproved ?? false
        isHot = box.health.isHot(step)
        isOnBattery = box.power.isOnBattery
    }

    /// Nothing is asked of the host now.
    func hindersAsking(_ step: Step) -> UpdateHindrance? {
        guard step.now.isWallTrusted else { return .clock }
        guard link != .any else { return .noLink }
        return isMetered ? .metered : nil
    }

    /// Nothing is written into a slot and nothing restarted now.
    func hindersInstalling(_ step: Step) -> UpdateHindrance? {
        guard step.isStoreGood else { return .storage }
        guard step.panel.link == .up else { return .panelAway }
        var found: UpdateHindrance?
        for partition in step.panel.partitions {
            switch partition.shownStatus.last {
            case .alarm: return .alarm
            case .entryDelay, .exitDelay: found = .delay
            case .armed: found = found ?? .armed
            case .disarmed, .ready, .readyForce, .notReady, .notEnabled, nil: break
            }
        }
        if let found = found ?? (isHot ? .alarm : nil) { return found }
        guard step.panel.system[.ac].last != .trouble, !isOnBattery else { return .battery }
        return isOnTrial ? .onTrial : nil
    }
}
