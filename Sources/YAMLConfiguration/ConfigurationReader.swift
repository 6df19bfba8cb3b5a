package import ApplianceCore
import PhoneLink
import Uplinks

/// What reading the configuration came to: the configuration, only without errors, and all problems by place.
package struct ConfigurationResult: Sendable {
    package var configuration: Configuration?
    /// The machine's network; nil with errors, as the configuration.
    package var network: NetworkSettings?
    /// The programs of `hooks`, which the card of the appliance brings along; none with errors.
    package var hooks: [HookFile] = []
    /// The main file's first, then those of the secrets file; each from top to bottom.
    package var problems: [ConfigurationProblem]
    /// The second file, where the first names one.
    package var secretsFile: String?

    package var errorCount: Int { problems.count { $0.severity == .error } }
    package var warningCount: Int { problems.count { $0.severity == .warning } }

    /// Problems of the main file that were found beside the reading take their place among the others.
    package mutating func add(_ more: [ConfigurationProblem]) {
        guard let file = more.first?.file else { return }
        problems = Self.sorted(problems + more, main: file)
    }

    fileprivate static func sorted(_ problems: [ConfigurationProblem], main file: String) -> [ConfigurationProblem] {
        problems.enumerated().sorted { a, b in
            let (first, second) = (a.element, b.element)
            if first.file != second.file { return first.file == file }
            let (left, right) = (first.mark ?? .start, second.mark ?? .start)
            if left != right { return left < right }
            return a.offset < b.offset
        }.map(\.element)
    }

    /// For whoever asks what to think of the file. The daemon does without: a house may hear of it by its own journal only.
    package mutating func warnIfNobodyIsTold(by file: String) {
        guard let configuration, configuration.phones.channels.isEmpty, configuration.phones.account == nil,
            configuration.texts == nil
        else { return }
        problems.append(
            ConfigurationProblem(
                file: file, severity: .warning, path: "",
                what: "nobody is told of an alarm: no channel to people is switched on",
                expected: "'ntfy', 'mqtt', 'alert_email' or another one of the example"))
    }

    /// Warns of ntfy.sh without an account as the only way to people: it counts by address (docs/MANUAL.md, "How much a public
    /// server takes").
    package mutating func warnOfSharedTopicServer(by file: String) {
        guard let configuration, configuration.texts == nil, configuration.calls == nil,
            configuration.phones.account == nil, configuration.phones.channels.count == 1,
            case .ntfy(let ntfy)? = configuration.phones.channels.first,
            NtfySettings.isPublic(ntfy.host), case .open = ntfy.access
        else { return }
        problems.append(
            ConfigurationProblem(
                file: file, severity: .warning, path: "ntfy.server",
                what:
                    "\(ntfy.host) counts messages by your public address, and it is the only channel: whoever shares the "
                    + "address can use up the day, and an alarm is refused then",
                expected: "an account's 'token' in 'ntfy', your own 'server', or a second channel such as 'alert_email'"
            ))
    }

    /// Warns of numbers without a name, which no phone's word and no person's button spares a text.
    package mutating func warnOfNamelessNumbers(by file: String) {
        guard let texts = configuration?.texts, texts.people == nil else { return }
        problems.append(
            ConfigurationProblem(
                file: file, severity: .warning, path: "sms.numbers",
                what: "what a phone confirms does not end texts to a number without a name: it gets them until "
                    + "somebody answers OK there, or says 'seen' at the box",
                expected: "whose each number is, such as 'numbers: {Anna: '+431234567'}' in 'sms'"))
    }
}

/// A program of `hooks`.
package struct HookFile: Equatable, Sendable {
    package var name: String
    /// 64 hexadecimal digits, small; nil: not said.
    package var sha256: String?

    /// Beside the place of a program that was refused lies a file whose name ends so; it holds the reason.
    package static let refusalSuffix = ".refused"
}

/// Reads the configuration: one YAML file, and a second one for the secrets if the first names it.
///
/// Our keys, and those of a HowAlarming `config.yaml` as they are. All problems are found in one go.
package enum ConfigurationReader {
    /// A configuration larger than this is a mistake.
    package static let sizeLimit = 1 << 20

    /// Reads the named file and what it refers to.
    package static func read(
        file: String, files: some ConfigurationFiles = SystemConfigurationFiles()
    ) -> ConfigurationResult {
        do throws(ConfigurationFileFailure) {
            let found = try files.read(file, limit: sizeLimit)
            return read(found, name: file, files: files)
        } catch {
            let problem = ConfigurationProblem(
                file: file, severity: .error, path: "", what: "the configuration cannot be read: \(error)",
                expected: "a YAML file of at most \(sizeLimit) bytes that this user may read")
            return ConfigurationResult(problems: [problem])
        }
    }

    /// Reads bytes that are at hand. `files` serves the secrets file and the time zone.
    package static func read(
        bytes: [UInt8], name: String, files: some ConfigurationFiles = NoConfigurationFiles(), secrets: String? = nil
    ) -> ConfigurationResult {
        read(ConfigurationFile(bytes: bytes, mode: 0o600), name: name, files: files, secrets: secrets)
    }

    /// - Parameter secrets: the secrets file of a file that names none
    private static func read(
        _ file: ConfigurationFile, name: String, files: some ConfigurationFiles, secrets: String? = nil
    ) -> ConfigurationResult {
        var reading = SettingsReading(file: name, files: files)
        if var top = reading.document(file.bytes, known: ConfigurationKeys.top) {
            if top["secrets"] == nil, let secrets {
                let start = ConfigurationPlace(file: name, mark: .start)
                let value = YAMLNode(mark: .start, content: .scalar(secrets, .quoted))
                top.fields.append(.init(key: "secrets", path: "secrets", place: start, value: value))
            }
            reading.leaveOutBlankSecrets(of: &top)
            reading.readTop(top)
            reading.checkMode(file.mode)
            if let field = top["secrets"] { reading.readSecrets(field) }
            reading.checkComplete(top)
        }
        let problems = ConfigurationResult.sorted(reading.problems, main: name)
        let isValid = problems.allSatisfy { $0.severity != .error }
        return ConfigurationResult(
            configuration: isValid ? reading.draft.configuration : nil,
            network: isValid ? reading.draft.network.settings : nil, hooks: isValid ? reading.draft.hooks : [],
            problems: problems, secretsFile: reading.secretsFile)
    }
}
