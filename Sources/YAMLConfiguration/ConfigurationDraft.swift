import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Uplinks

/// What the files have said so far; a configuration once nothing is wrong.
struct ConfigurationDraft {
    var siteName = "Home"
    var host: String?
    var port: UInt16 = 4025
    var password: Secret?
    /// Everything of the panel but its password and names.
    var panel = PanelSettings(password: Secret(""))
    var partitions: [SiteNames.Named] = []
    var zones: [SiteNames.Zone] = []
    var users: [SiteNames.Named] = []
    var senderID: String?
    var apiKey: Secret?
    /// Everything about phones but the account.
    var phones = PhoneSettings()
    var retention = Configuration.Retention()
    var pace = Configuration.Pace()
    var update = TrialSettings()
    var uplinks: UplinkSettings?
    var modem: ModemSettings?
    var texts: TextAlarmSettings?
    var beacon: BeaconSettings?
    /// The machine's, not the daemon's: no part of its configuration.
    var network = NetworkSettings()

    /// nil while the host or the password is missing.
    var configuration: Configuration? {
        guard let host, let password else { return nil }
        var settings = panel
        settings.password = password
        settings.names = SiteNames(partitions: partitions, zones: zones, users: users)
        if !partitions.isEmpty { settings.partitions = partitions.map(\.number).sorted() }
        var phones = phones
        if let senderID, let apiKey { phones.account = .init(senderID: senderID, apiKey: apiKey) }
        var configuration = Configuration(
            siteName: siteName, panelHost: host, panelPort: port, panel: settings, retention: retention, pace: pace,
            phones: phones)
        configuration.uplinks = uplinks
        configuration.modem = modem
        configuration.texts = texts
        configuration.beacon = beacon
        configuration.update = update
        return configuration
    }
}
