import AlarmModel
import PanelLink

/// When a partition was armed or disarmed last.
struct Arming: Codable, Equatable, Sendable {
    var partition: Int
    /// nil: not known yet, or it is being stored.
    var seq: SequenceNumber?
    /// It happened in this run.
    var isFresh = false
}

/// Who changed a partition a moment ago.
struct RecentActor: Codable, Equatable, Sendable {
    var partition: Int
    /// Of the line that is awaited.
    var change: UserChange
    var actor: Actor
    var command: CommandID
    var until: BootTime
}
