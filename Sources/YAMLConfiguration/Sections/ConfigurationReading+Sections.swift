import AlarmModel
import ApplianceCore

extension ConfigurationReading {
    /// Everything in the main file but the contents of its secrets file.
    mutating func readTop(_ top: ConfigurationSection) {
        for field in top.fields {
            switch field.key {
            case "site": readSite(field)
            case "panel": readSection(field, ConfigurationKeys.panel) { $0.readPanel($1) }
            case "envisalinkd": readSection(field, ConfigurationKeys.envisalinkd) { $0.readPanel($1) }
            case "partitions": readPartitions(field)
            case "zones": readZones(field)
            case "users": readUsers(field)
            case "phones": readSection(field, ConfigurationKeys.phones) { $0.readPhones($1) }
            case "alert_gcm":
                _ = claim(field.path, called: "'\(field.path)'", by: field)
                readSection(field, ConfigurationKeys.account) { $0.readAccount($1) }
            case "journal": readSection(field, ConfigurationKeys.journal) { $0.readJournal($1) }
            case "links": readSection(field, ConfigurationKeys.links) { $0.readLinks($1) }
            case "network": readSection(field, ConfigurationKeys.network) { $0.readNetwork($1) }
            case "sms": readSection(field, ConfigurationKeys.texts) { $0.readTexts($1) }
            case "update": readSection(field, ConfigurationKeys.update) { $0.readUpdate($1) }
            case "pace": readSection(field, ConfigurationKeys.pace) { $0.readPace($1) }
            default:
                if let keys = ConfigurationKeys.way(field.key) {
                    keepWay(field, keys)
                } else {
                    readNotSupported(field)
                }
            }
        }
        if place(of: "site.time_zone") == nil {
            let site = top["site"]
            report(
                .warning, at: site?.place ?? top.place, "site.time_zone",
                "no time zone is set, so UTC is used for the panel's clock and for what people read",
                expected: "'time_zone' in 'site', such as Europe/Vienna")
        }
        checkZonePartitions()
    }

    /// What must be there, once all files are read.
    mutating func checkComplete(_ top: ConfigurationSection) {
        let section = top["panel"] ?? top["envisalinkd"]
        let place = section?.place ?? top.place
        if self.place(of: "panel.host") == nil {
            report(
                at: place, "panel.host", "the panel's address is missing",
                expected: "'host' in 'panel', such as 192.168.1.50")
        }
        if self.place(of: "panel.password") == nil {
            report(
                at: place, "panel.password", "the module's password is missing",
                expected: "'password' in 'panel' or in the secrets file; modules come with 'user'")
        }
        checkTexts(top["sms"])
        readWays()
        checkPhones()
        checkNetwork(top)
    }

    mutating func readSection(
        _ field: ConfigurationSection.Field, _ known: [String],
        _ read: (inout Self, ConfigurationSection) -> Void
    ) {
        guard let section = section(field.value, path: field.path, place: field.place, known: known) else { return }
        read(&self, section)
    }

    private mutating func readSite(_ field: ConfigurationSection.Field) {
        guard
            let section = section(field.value, path: field.path, place: field.place, known: ConfigurationKeys.site)
        else { return }
        if let field = section["name"], let name = name(field) { draft.siteName = name }
        if let field = section["time_zone"], claim(field.path, called: "'site.time_zone'", by: field) {
            readTimeZone(field)
        }
    }

    private mutating func readJournal(_ section: ConfigurationSection) {
        if let field = section["keep_days"], let days = integer(field, in: 0...36500) {
            draft.retention.maximumAge = days == 0 ? nil : .hours(24 * days)
        }
        if let field = section["keep_events"], let count = integer(field, in: 0...100_000_000) {
            draft.retention.maximumCount = count == 0 ? nil : count
        }
    }

    private mutating func readPace(_ section: ConfigurationSection) {
        if let field = section["command_deadline"],
            let span = duration(field, in: .milliseconds(100) ... .minutes(10))
        {
            draft.pace.commandDeadline = span
        }
        if let field = section["store_stall"], let span = duration(field, in: .milliseconds(50) ... .minutes(1)) {
            draft.pace.storeStall = span
        }
        if let field = section["retention_interval"], let span = duration(field, in: .seconds(1) ... .hours(24)) {
            draft.pace.retentionInterval = span
        }
        if let field = section["stall_restart"], let span = duration(field, in: .seconds(1) ... .hours(24)) {
            draft.pace.stallRestart = span
        }
    }

    private mutating func readUpdate(_ section: ConfigurationSection) {
        if let field = section["healthy_after"], let span = duration(field, in: .seconds(1) ... .hours(1)) {
            draft.update.healthyAfter = span
        }
        if let field = section["give_up_after"], let span = duration(field, in: .seconds(1) ... .hours(24)) {
            draft.update.giveUpAfter = span
        }
        guard draft.update.giveUpAfter > draft.update.healthyAfter else {
            return report(
                at: section.place, section.path, "a new version would be given up before it can prove itself",
                expected: "'give_up_after' longer than 'healthy_after'")
        }
    }

    /// Sections of a HowAlarming file that are understood and not served yet: said once each, never dropped silently.
    private mutating func readNotSupported(_ field: ConfigurationSection.Field) {
        guard let entry = ConfigurationKeys.notSupported.first(where: { $0.section == field.key }) else { return }
        report(
            .warning, at: field.place, field.path, "'\(field.key)' is not supported yet: \(entry.consequence)")
        guard let section = section(field.value, path: field.path, place: field.place, known: entry.keys) else {
            return
        }
        if section.fields.contains(where: { ConfigurationKeys.notSupportedSecrets.contains($0.key) }) {
            holdsSecret = true
        }
    }
}
