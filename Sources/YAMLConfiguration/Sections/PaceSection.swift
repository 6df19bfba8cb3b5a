import AlarmModel
import ApplianceCore

/// `pace`: patience of the box itself.
struct PaceSection: SettingsSection {
    var pace = Configuration.Pace()

    static let table: [Setting<Self>] = [
        .init("command_deadline", .span(.milliseconds(100) ... .minutes(10)), \.pace.commandDeadline),
        .init("store_stall", .span(.milliseconds(50) ... .minutes(1)), \.pace.storeStall),
        .init("retention_interval", .span(.seconds(1) ... .hours(24)), \.pace.retentionInterval),
        .init("stall_restart", .span(.seconds(1) ... .hours(24)), \.pace.stallRestart),
    ]
}
