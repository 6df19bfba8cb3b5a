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
    package static let all: [SecretPlace] = {
        var places: [SecretPlace] = []
        for key in ConfigurationKeys.secrets { places.append(SecretPlace(["panel", key])) }
        for key in ConfigurationKeys.secrets {
            places.append(SecretPlace(["envisalinkd", key], kept: ["panel", key]))
        }
        for key in ConfigurationKeys.modemSecrets { places.append(SecretPlace(["links", "modem", key])) }
        for key in ConfigurationKeys.wifiSecrets { places.append(SecretPlace(["network", "wifi", key])) }
        for way in ConfigurationKeys.ways {
            for key in way.secrets where key != "user" { places.append(SecretPlace([way.section, key])) }
        }
        places.append(SecretPlace(["alert_gcm", "api_key"]))
        for key in ConfigurationKeys.notSupportedSecrets { places.append(SecretPlace(["alert_plivo", key])) }
        return places
    }()
}
