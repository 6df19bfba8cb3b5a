extension ConfigurationReading {
    /// The bytes of the file being read as its outermost section.
    mutating func document(_ bytes: [UInt8], known: [String]) -> ConfigurationSection? {
        do throws(YAMLProblem) {
            let root = try YAMLDocument.parse(bytes).root
            let start = ConfigurationPlace(file: file, mark: .start)
            return section(root, path: "", place: start, known: known)
        } catch {
            report(
                at: ConfigurationPlace(file: file, mark: error.mark), "", error.what, expected: error.expected)
            return nil
        }
    }

    /// A secret that is blank in the main file and stands in the second one is no problem: it was moved there.
    func leaveOutBlankSecrets(of top: inout ConfigurationSection, in main: String) {
        guard case .scalar(let path, _)? = top["secrets"]?.value.content, !path.isEmpty,
            let found = try? files.read(
                path.hasPrefix("/") ? path : Self.directory(of: main) + path, limit: ConfigurationReader.sizeLimit),
            let second = try? YAMLDocument.parse(found.bytes).root
        else { return }
        for secret in SecretPlace.all {
            guard let index = top.fields.firstIndex(where: { $0.key == secret.path[0] }),
                top.fields[index].value[secret.path.dropFirst()]?.isBlank ?? false,
                let kept = second[secret.kept], !kept.isBlank
            else { continue }
            top.fields[index].value = top.fields[index].value.removing(secret.path.dropFirst())
        }
    }

    /// The second file, with the same sections and nothing but secrets in them.
    mutating func readSecrets(_ field: ConfigurationSection.Field, besides main: String) {
        guard let path = text(field, expected: "the path of a second YAML file") else { return }
        guard !path.unicodeScalars.contains(where: Self.isControl) else {
            report(
                at: place(ofValue: field), field.path, "the path of the secrets file holds a control character",
                expected: "the path of a second YAML file")
            return
        }
        let full = path.hasPrefix("/") ? path : Self.directory(of: main) + path
        secretsFile = full
        let found: ConfigurationFile
        do throws(ConfigurationFileFailure) {
            found = try files.read(full, limit: ConfigurationReader.sizeLimit)
        } catch {
            report(
                at: place(ofValue: field), field.path,
                "the secrets file '\(Self.printable(full))' cannot be read: \(error)",
                expected:
                    "a YAML file with 'panel' and in it 'password', 'code_master', 'code_installer', or with 'alert_gcm'"
            )
            return
        }
        file = full
        holdsSecret = false
        defer { file = main }
        guard let top = document(found.bytes, known: ConfigurationKeys.secretsFile) else { return }
        if let panel = top["panel"],
            let section = section(panel.value, path: "panel", place: panel.place, known: ConfigurationKeys.secrets)
        {
            readPanel(section)
        }
        if let account = top["alert_gcm"],
            let section = section(
                account.value, path: account.path, place: account.place, known: ConfigurationKeys.account)
        {
            readAccount(section)
        }
        if let field = top["links"] { readLinkSecrets(field) }
        if let field = top["network"] { readNetworkSecrets(field) }
        if let field = top["alert_plivo"] {
            _ = section(field.value, path: field.path, place: field.place, known: ConfigurationKeys.notSupportedSecrets)
        }
        for keys in ConfigurationKeys.ways {
            if let field = top[keys.section] { addSecrets(field, keys) }
        }
        checkMode(found.mode)
    }

    /// A section within a section of the secrets file.
    mutating func inner(
        _ key: String, of field: ConfigurationSection.Field, known: [String]
    ) -> ConfigurationSection? {
        guard let outer = section(field.value, path: field.path, place: field.place, known: [key]),
            let field = outer[key]
        else { return nil }
        return section(field.value, path: field.path, place: field.place, known: known)
    }

    mutating func reportUnused(_ field: ConfigurationSection.Field, home: String) {
        report(
            at: field.place, field.path, "'\(field.path)' stands in the secrets file only, so nothing uses it",
            expected: "'\(home)' in the main file, too")
    }

    /// Warns if others can read the file being read and it holds a secret.
    mutating func checkMode(_ mode: UInt32) {
        if holdsSecret { warnOfMode(mode, of: file) }
    }

    /// Warns if others can read a file with secrets.
    mutating func warnOfMode(_ mode: UInt32, of file: String) {
        guard mode & 0o044 != 0 else { return }
        let who = mode & 0o004 != 0 ? "everybody on this machine" : "its whole group"
        problems.append(
            ConfigurationProblem(
                file: file, severity: .warning, path: "", what: "the file holds secrets and \(who) can read it",
                expected: "permission for its owner alone; type: chmod 600 \(Self.quoted(file))"))
    }

    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// As a shell takes it for one word.
    private static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy {
            isDigit($0) || (97...122).contains($0 | 0x20) || "/._-+,@".utf8.contains($0)
        }
        if isPlain, !path.isEmpty, !path.hasPrefix("-") { return path }
        let body = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        return (path.hasPrefix("-") ? "./" : "") + "'\(body)'"
    }
}
