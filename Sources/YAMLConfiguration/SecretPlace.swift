/// Where a secret may stand in the configuration, and where in the secrets file.
package struct SecretPlace: Equatable, Sendable {
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

    /// Every secret that can stand in the secrets file, in the order of the documentation; at the end those of the people
    /// and cameras that this file names. Names of users, which may stand there too, are none.
    package static func all(in root: YAMLNode) -> [SecretPlace] {
        fixed + (root[["people"]].map { people(in: $0) } ?? []).map { SecretPlace(["people"] + $0) }
            + (root[["cameras"]].map { cameras(in: $0) } ?? []).map { SecretPlace(["cameras"] + $0) }
    }

    /// Duress marks and topics: the keys within `people` that lead to them.
    static func people(in section: YAMLNode) -> [[String]] {
        section.keys.flatMap { person in
            let apps = [person, PersonSection.storeAppsKey]
            let topics = (section[apps]?.keys ?? []).map { device in
                let path = apps + [device]
                if case .mapping? = section[path]?.content { return path + ["topic"] }
                return path
            }
            return [[person, "duress"]] + topics
        }
    }

    /// Addresses, in which many cameras want the password, and passwords.
    static func cameras(in section: YAMLNode) -> [[String]] {
        section.keys.flatMap { camera in CameraEntry.table.secrets.keys.map { [camera, $0] } }
    }

    /// Those that do not hang on a name.
    static let fixed: [SecretPlace] = {
        var places: [SecretPlace] = []
        func add(_ keys: [String], in path: String..., kept: [String]? = nil) {
            places += keys.map { key in SecretPlace(path + [key], kept: kept.map { $0 + [key] }) }
        }
        add(PanelSection.table.secrets.keys, in: "panel")
        add(PanelSection.table.secrets.keys, in: "envisalinkd", kept: ["panel"])
        add(ModemSection.table.secrets.keys, in: "links", "modem")
        add(WiFiSection.table.secrets.keys, in: "network", "wifi")
        for channel in ChannelSection.all { add(channel.secrets, in: channel.name) }
        add(AlertGCMSection.table.secrets.keys, in: "alert_gcm")
        add(AlertPlivoSection.secrets, in: "alert_plivo")
        return places
    }()
}
