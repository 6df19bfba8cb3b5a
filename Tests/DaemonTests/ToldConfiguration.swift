import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing
import YAMLConfiguration

/// One configuration of `Configurations/told.txt` and what reading it says and sets.
///
///     # panel.timing                          a heading, if any
///     | journal: {keep_days: x}               lines added to a file without a problem; they begin in its line 3
///     > journal: {keep_days: x}               or else the whole file
///     & panel: {password: user}               the secrets file
///     c.yaml:3:22: error: 'journal.keep…      the problems, as they are printed
///     + retention.maximumAge: [2592000,0]     what is not so in the plainest file of all; `- `: nor in the sample
struct ToldConfiguration {
    var headings: [String] = []
    var added: [String] = []
    var whole: [String] = []
    var secrets: [String] = []
    var said: [String] = []

    init(_ block: some Collection<Substring>) {
        for line in block {
            let rest = String(line.dropFirst(2))
            switch line.prefix(2) {
            case "# ": headings.append(rest)
            case "| ": added.append(rest)
            case "> ": whole.append(rest)
            case "& ": secrets.append(rest)
            default: said.append(String(line))
            }
        }
    }

    /// As it stands in the file.
    var block: String {
        let lines =
            headings.map { "# \($0)" } + added.map { "| \($0)" } + whole.map { "> \($0)" } + secrets.map { "& \($0)" }
            + said
        return lines.map { "\($0)\n" }.joined()
    }

    var result: ConfigurationResult {
        var files = FakeFiles(Self.files)
        if !secrets.isEmpty {
            files.files["s.yaml"] = ConfigurationFile(bytes: Self.bytes(secrets), mode: 0o600)
        }
        let text = whole.isEmpty ? Array(ConfigurationSample.valid.utf8) + Self.bytes(added) : Self.bytes(whole)
        return ConfigurationReader.read(
            bytes: text, name: "c.yaml", files: files, secrets: secrets.isEmpty ? nil : "s.yaml")
    }

    /// Everything that reading it comes to, line by line.
    func told() throws -> [String] {
        let result = result
        let problems = result.problems.map(\.description)
        guard let configuration = result.configuration, let network = result.network else { return problems }
        let (old, plain, new) = (try Self.sample(""), try Self.sample(Self.plain), try Self.lines(configuration))
        let written = network == NetworkSettings() ? [] : ["+ network: \(network)"]
        return problems + old.subtracting(new).sorted().map { "- \($0)" }
            + new.subtracting(plain).sorted().map { "+ \($0)" } + written
    }

    /// Every section with no more than it needs: what holds then is not told again and again.
    private static let plain = """
        links: {ethernet: {}, wifi: {}, modem: {apn: a}}
        sms: {numbers: ['+431234567']}
        ntfy: {}
        fcm_v1: {service_account: key.json}
        xmpp: {jid: h@example.org, password: pw}
        mqtt: {host: broker}
        alert_email: {smtp_host: localhost, addr_from: a@b.example, addr_to: c@d.example}
        alert_url: {urls: [https://a.example/]}
        hooks: {programs: [a]}
        heartbeat: {url: https://hc.example.org/}
        beanstalkd: {enabled: true, tubes: {events: [cli]}}
        receiver: {host: localhost, port: 9999, account: '1234'}
        ups: {host: nas, name: a}
        alert_gcm: {sender_id: 1, api_key: k}
        """

    private static func sample(_ added: String) throws -> Set<String> {
        let text = Array((ConfigurationSample.valid + added).utf8)
        let result = ConfigurationReader.read(bytes: text, name: "c.yaml", files: FakeFiles(files))
        return try lines(try #require(result.configuration, "\(result.problems)"))
    }

    private static func bytes(_ lines: [String]) -> [UInt8] { Array(lines.map { "\($0)\n" }.joined().utf8) }

    /// What keys name beside the configuration.
    private static let files = [
        "ca.pem": ChannelSample.certificate, "/etc/ha/ca.pem": ChannelSample.certificate, "empty.pem": "nothing",
        "long.pem": ChannelSample.certificate + String(repeating: "x", count: 65536),
        "key.json": ConfigurationFCMTests.account, "/usr/share/zoneinfo/Europe/Broken": "TZif",
    ]

    /// Each value with the keys that lead to it, under the names by which it is stored; secrets are shown. Which item
    /// of a list it is in is left out.
    private static func lines(_ configuration: Configuration) throws -> Set<String> {
        var found: Set<String> = []
        func collect(_ value: JSON, _ path: String) {
            if case .object(let members) = value, !members.isEmpty {
                for member in members { collect(member.value, path.isEmpty ? member.key : "\(path).\(member.key)") }
            } else if case .array(let items) = value, items.contains(where: \.holdsMore) {
                for item in items { collect(item, path) }
            } else {
                found.insert("\(path): \(value.text)")
            }
        }
        collect(try JSON.encoding(configuration, placeholder: SecretPlaceholder { $0 }), "")
        return found
    }
}

extension JSON {
    fileprivate var holdsMore: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}
