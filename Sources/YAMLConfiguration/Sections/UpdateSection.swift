import AlarmModel
import ApplianceCore

/// `update`: when a new version has proved itself.
struct UpdateSection: SettingsSection {
    var trial = TrialSettings()

    static let table: [Setting<Self>] = [
        .init("healthy_after", .span(.seconds(1) ... .hours(1)), \.trial.healthyAfter),
        .init("give_up_after", .span(.seconds(1) ... .hours(24)), \.trial.giveUpAfter),
    ]

    func settle(_ section: Mapping, _ reading: inout SettingsReading) {
        guard trial.giveUpAfter <= trial.healthyAfter else { return }
        reading.error(
            section, "a new version would be given up before it can prove itself",
            expected: "'give_up_after' longer than 'healthy_after'")
    }
}
