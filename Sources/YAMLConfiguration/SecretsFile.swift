/// The second file, with the same sections and nothing but secrets in them.
enum SecretsFile {
    static var sections: [String] {
        ["panel", "people", "cameras", "alert_gcm", "links", "network", "alert_plivo"]
            + ChannelSection.all.filter { !$0.movable.isEmpty }.map(\.name)
    }
}

extension SettingsReading {
    /// A secret that is blank in the main file and stands in the second one is no problem: it was moved there.
    func leaveOutBlankSecrets(of top: inout Mapping) {
        guard let path = written(top["secrets"]), !path.isEmpty,
            let found = try? files.read(full(path), limit: ConfigurationReader.sizeLimit),
            let second = try? YAMLDocument.parse(found.bytes).root
        else { return }
        for secret in SecretPlace.fixed {
            guard let index = top.fields.firstIndex(where: { $0.key == secret.path[0] }),
                top.fields[index].value[secret.path.dropFirst()]?.isBlank ?? false, let kept = second[secret.kept],
                !kept.isBlank
            else { continue }
            top.fields[index].value = top.fields[index].value.removing(secret.path.dropFirst())
        }
    }

    mutating func readSecrets(_ field: Field) {
        let expected = "the path of a second YAML file"
        guard let path = text(field, expected: expected) else { return }
        guard !ConfigurationText.hasControl(path) else {
            return valueError(field, "the path of the secrets file holds a control character", expected: expected)
        }
        let full = full(path)
        secretsFile = full
        let found: ConfigurationFile
        do throws(ConfigurationFileFailure) {
            found = try files.read(full, limit: ConfigurationReader.sizeLimit)
        } catch {
            return valueError(
                field, "the secrets file '\(ConfigurationText.printable(full))' cannot be read: \(error)",
                expected:
                    "a YAML file with 'panel' and in it 'password', 'code_master', 'code_installer', or with 'alert_gcm'"
            )
        }
        let main = file
        file = full
        holdsSecret = false
        defer { file = main }
        guard let top = document(found.bytes, known: SecretsFile.sections) else { return }
        for field in top.fields { readSecrets(within: field) }
        checkMode(found.mode)
    }

    private mutating func readSecrets(within field: Field) {
        switch field.key {
        case "panel": read(field, PanelSection.table.movable, into: \.panel)
        case "people": addPeopleSecrets(field)
        case "cameras": addCameraSecrets(field)
        case "alert_gcm": read(field, AlertGCMSection.table.movable, into: \.account)
        case "links": readModemSecrets(field)
        case "network": readWiFiSecrets(field)
        case "alert_plivo": _ = section(field, known: AlertPlivoSection.secrets)
        default:
            if let channel = ChannelSection.all.first(where: { $0.name == field.key }) { addSecrets(field, channel) }
        }
    }

    /// `links` of the secrets file: what the modem asks for.
    private mutating func readModemSecrets(_ field: Field) {
        let table = ModemSection.table.secrets
        guard let section = inner("modem", of: field, known: table.keys) else { return }
        guard var modem = draft.links?.modem else {
            for field in section.fields { reportUnused(field, home: "links.modem") }
            return
        }
        read(section, table, into: &modem)
        draft.links?.modem = modem
    }

    /// `network` of the secrets file: the password of the wireless network.
    private mutating func readWiFiSecrets(_ field: Field) {
        let table = WiFiSection.table.secrets
        guard let section = inner("wifi", of: field, known: table.keys) else { return }
        var wifi = WiFiSection()
        wifi.password = draft.network.settings.wifi?.password
        let isUsed = place(of: "network.wifi") != nil
        read(section, table, into: &wifi)
        draft.network.settings.wifi?.password = wifi.password
        // A section that is wrong is already reported.
        if !isUsed { for field in section.fields { reportUnused(field, home: "network.wifi") } }
    }

    /// A section within a section of the secrets file.
    private mutating func inner(_ key: String, of field: Field, known: [String]) -> Mapping? {
        section(field, known: [key])?[key].flatMap { section($0, known: known) }
    }

    private mutating func reportUnused(_ field: Field, home: String) {
        report(
            at: field.place, field.path, "'\(field.path)' stands in the secrets file only, so nothing uses it",
            expected: "'\(home)' in the main file, too")
    }

    /// Keeps a section of the main file until the secrets file has had its say. Written and left empty, it is a section
    /// like others: a channel may need no key at all.
    mutating func keep(_ channel: ChannelSection, _ field: Field) {
        guard let section = section(field, known: channel.table.map(\.key)) else { return }
        if section.fields.contains(where: { channel.movable.contains($0.key) }) { holdsSecret = true }
        channels.append((channel, section))
    }

    /// The same section of the secrets file: only secrets, and only for a channel that the main file names.
    private mutating func addSecrets(_ field: Field, _ channel: ChannelSection) {
        guard let section = section(field, known: channel.movable) else { return }
        if !section.fields.isEmpty { holdsSecret = true }
        guard place(of: field.path) != nil else { return reportUnused(field, home: field.path) }
        guard let index = channels.firstIndex(where: { $0.channel.name == field.key }) else { return }
        channels[index].section.fields += section.fields
    }

    /// Warns if others can read the file being read and it holds a secret.
    mutating func checkMode(_ mode: UInt32) { if holdsSecret { warnOfMode(mode, of: file) } }

    /// Warns if others can read a file with secrets.
    mutating func warnOfMode(_ mode: UInt32, of file: String) {
        guard mode & 0o044 != 0 else { return }
        let who = mode & 0o004 != 0 ? "everybody on this machine" : "its whole group"
        problems.append(
            ConfigurationProblem(
                file: file, severity: .warning, path: "", what: "the file holds secrets and \(who) can read it",
                expected: "permission for its owner alone; type: chmod 600 \(Self.quoted(file))"))
    }

    /// As a shell takes it for one word.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy {
            ConfigurationText.isDigit($0) || ConfigurationText.isLetter($0) || "/._-+,@".utf8.contains($0)
        }
        if isPlain, !path.isEmpty, !path.hasPrefix("-") { return path }
        let body = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        return (path.hasPrefix("-") ? "./" : "") + "'\(body)'"
    }
}
