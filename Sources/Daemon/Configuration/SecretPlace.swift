/// Where a secret may stand in the configuration, and where in the secrets file.
package struct SecretPlace: Hashable, Sendable {
    /// The keys that lead to it in the main file.
    package var path: [String]
    /// The keys that lead to it in the secrets file.
    package var kept: [String]

    /// `panel.password`
    package var name: String { path.joined(separator: ".") }

    private init(_ path: [String], kept: [String]? = nil) {
        self.path = path
        self.kept = kept ?? path
    }

    /// Every secret that can stand in the secrets file, in the order of the documentation. Names of users, which may
    /// stand there too, are none.
    package static let all: [SecretPlace] =
        ConfigurationKeys.secrets.map { SecretPlace(["panel", $0]) }
        + ConfigurationKeys.secrets.map { SecretPlace(["envisalinkd", $0], kept: ["panel", $0]) }
        + ConfigurationKeys.modemSecrets.map { SecretPlace(["links", "modem", $0]) }
        + ConfigurationKeys.wifiSecrets.map { SecretPlace(["network", "wifi", $0]) }
        + ConfigurationKeys.ways.flatMap { way in
            way.secrets.filter { $0 != "user" }.map { SecretPlace([way.section, $0]) }
        } + [SecretPlace(["alert_gcm", "api_key"])]
        + ConfigurationKeys.notSupportedSecrets.map { SecretPlace(["alert_plivo", $0]) }
}
