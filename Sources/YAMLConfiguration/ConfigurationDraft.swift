import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink

/// The sections as far as they are read; a configuration once nothing is wrong.
struct ConfigurationDraft {
    var site = SiteSection()
    var panel = PanelSection()
    var partitions: [SiteNames.Named] = []
    var zones: [SiteNames.Zone] = []
    var users: [SiteNames.Named] = []
    var account = AlertGCMSection()
    /// With what the sections of channels add.
    var phones = PhonesSection()
    /// Where the owner hosts the web app.
    var app: AppSection?
    var journal = JournalSection()
    var pace = PaceSection()
    var update = UpdateSection()
    var updates: UpdatesSection?
    var cameras: [Camera] = []
    var pictures = PicturesSection()
    var reminders: RemindersSection?
    var links: LinksSection?
    var sms: SMSSection?
    /// `heartbeat`
    var deadManPing: DeadManPingSettings?
    var calls: CallerSettings?
    /// `ups`
    var ups: UPSSettings?
    /// What the card of the appliance has to bring for `hooks`: no part of the daemon's configuration either.
    var hooks: [HookFile] = []
    /// The machine's, not the daemon's: no part of its configuration.
    var network = NetworkSection()

    /// nil while the host or the password is missing.
    var configuration: Configuration? {
        guard let host = panel.host, let password = panel.password else { return nil }
        var settings = panel.settings
        settings.password = password
        settings.timeZone = site.timeZone
        settings.names = SiteNames(partitions: partitions, zones: zones, users: users)
        if !partitions.isEmpty { settings.partitions = partitions.map(\.number).sorted() }
        var phones = phones.settings
        if let senderID = account.senderID, let apiKey = account.apiKey {
            phones.account = .init(senderID: senderID, apiKey: apiKey)
        }
        var configuration = Configuration(
            siteName: site.name, panelHost: host, panelPort: panel.port, panel: settings, retention: journal.retention,
            pace: pace.pace, phones: phones)
        configuration.language = site.language
        configuration.uplinks = links?.uplinks
        configuration.modem = links?.modem?.settings
        configuration.texts = sms?.texts
        configuration.calls = calls
        configuration.deadManPing = deadManPing
        configuration.ups = ups
        configuration.update = update.trial
        configuration.app = app?.app
        configuration.updates = updates?.source
        configuration.cameras = pictures.settings(cameras, phones)
        configuration.reminders = reminders?.settings
        return configuration
    }
}
