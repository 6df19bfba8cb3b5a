import Uplinks

/// One mapping of a configuration file: its path, where it stands, and its keys, each once.
struct ConfigurationSection {
    struct Field {
        var key: String
        /// `panel.host`
        var path: String
        var place: ConfigurationPlace
        var value: YAMLNode
    }

    /// Empty for the whole file.
    var path: String
    /// Where its key stands, or the file begins.
    var place: ConfigurationPlace
    var fields: [Field]

    subscript(key: String) -> Field? { fields.first { $0.key == key } }

    func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

/// A place in one of the files that make up the configuration.
struct ConfigurationPlace: Hashable, CustomStringConvertible {
    var file: String
    var mark: YAMLMark

    var description: String { "\(file):\(mark)" }
}

/// The keys of every section, in the order in which the documentation names them.
enum ConfigurationKeys {
    static let top =
        ["site", "panel", "partitions", "zones", "users", "phones", "links", "network", "sms"] + ways.map(\.section)
        + ["alert_gcm", "journal", "update", "pace", "secrets", "envisalinkd", "alert_plivo"]
    static let site = ["name", "time_zone"]
    static let secrets = ["password", "code_master", "code_installer"]
    static let panel = ["host", "port"] + secrets + ["set_clock", "poll_interval", "timing"]
    static let timing = [
        "answer_deadline", "confirm_deadline", "key_spacing", "status_cap", "reconnect_minimum", "reconnect_maximum",
        "slot_held_wait", "refused_wait", "lockout_pause", "settle_delay", "login_deadline",
    ]
    static let named = ["name"]
    static let zone = ["name", "partition", "fire", "device_class"]
    static let journal = ["keep_days", "keep_events"]
    static let pace = ["command_deadline", "store_stall", "retention_interval", "stall_restart"]
    static let update = ["healthy_after", "give_up_after"]
    static let envisalinkd = ["host", "port"] + secrets + ["zones"]
    static let account = ["sender_id", "api_key"]
    static let phones = ["fcm", "legacy", "command_rate", "heartbeat", "timing"]
    static let fcm = ["host", "port", "ca_file"]
    static let legacy = ["enabled"]
    static let phonesTiming = [
        "ping_after", "ping_patience", "setup_deadline", "ack_patience", "reconnect_minimum", "reconnect_maximum",
        "reconnect_urgent", "refused_wait", "receipt_patience", "pairing_life",
    ]
    static let links = LinkKind.allCases.map(\.rawValue) + ["probe", "loss_is_alarm"]
    static let link = ["interface", "metered", "standby", "budget", "name_servers"]
    static let modem = ["apn", "pin", "user", "password", "roaming", "ip"] + link
    static let probe = ["targets", "name", "timing"]
    static let network = ["hostname", "ethernet", "wifi", "panel_port", "ntp"]
    static let addressing = ["address", "gateway", "dns"]
    static let wifi = ["country", "ssid", "password"] + addressing
    static let panelPort = ["interface", "address", "module"]
    static let texts = ["numbers", "after"]
    static let modemSecrets = ["pin", "password"]
    static let wifiSecrets = ["password"]
    static let secretsFile =
        ["panel", "alert_gcm", "links", "network", "alert_plivo"] + ways.filter { !$0.secrets.isEmpty }.map(\.section)
    static let hookEntry = ["program", "triggers"]
    static let urlEntry = ["url", "method", "secret", "ca_file", "triggers"]

    /// The section of a way to people.
    struct Way {
        var section: String
        var all: [String]
        /// Those of its keys that may stand in the secrets file instead.
        var secrets: [String] = []
    }

    static let ways = [
        Way(
            section: "ntfy",
            all: ["server", "token", "user", "password", "phone_token", "ca_file", "trusted", "click", "timing"],
            secrets: ["token", "user", "password", "phone_token"]),
        Way(section: "fcm_v1", all: ["service_account", "database", "host", "port", "ca_file", "timing"]),
        Way(
            section: "xmpp",
            all: [
                "jid", "password", "host", "port", "security", "ca_file", "certificate_name", "shows_arming", "timing",
            ], secrets: ["password"]),
        Way(
            section: "mqtt",
            all: [
                "host", "port", "security", "ca_file", "user", "password", "site", "base_topic", "discovery",
                "discovery_prefix", "commands", "code", "plain_commands", "triggers", "client_id", "version", "timing",
            ], secrets: ["user", "password", "code"]),
        Way(
            section: "alert_email",
            all: [
                "smtp_host", "smtp_port", "addr_from", "addr_to", "triggers", "security", "user", "password",
                "ca_file", "timing",
            ], secrets: ["user", "password"]),
        Way(section: "alert_url", all: ["urls", "triggers", "secret"], secrets: ["secret"]),
        Way(section: "heartbeat", all: ["url", "every", "ca_file", "plain"], secrets: ["url"]),
        Way(section: "hooks", all: ["programs", "triggers", "time_limit", "socket"]),
        Way(section: "beanstalkd", all: ["enabled", "host", "port", "tubes", "commands", "timing"]),
    ]

    static func way(_ section: String) -> Way? { ways.first { $0.section == section } }

    /// Sections of a HowAlarming file whose part of the work is not built yet.
    static let notSupported: [(section: String, keys: [String], consequence: String)] = [
        (
            "alert_plivo", ["auth_id", "auth_token", "call_from", "call_to", "triggers"],
            "nobody is called by telephone. The original alert_plivo.py can go on doing it: set 'beanstalkd.enabled' and "
                + "name its tube in 'beanstalkd.tubes.events'; or let a program of yours under 'hooks' call your provider"
        )
    ]
    static let tubes = ["commands", "events"]

    /// Keys of those sections that hold a secret.
    static let notSupportedSecrets = ["auth_token"]

    /// Where a key belongs that stands in the wrong section; the sections within that one come first.
    static func home(of key: String, in wrong: String) -> String? {
        let sections =
            [
                ("site", site), ("panel", panel), ("panel.timing", timing), ("phones", phones), ("phones.fcm", fcm),
                ("phones.legacy", legacy), ("phones.timing", phonesTiming), ("alert_gcm", account),
                ("journal", journal),
                ("pace", pace), ("update", update), ("zones", zone), ("links", links), ("links.modem", modem),
                ("links.probe", probe), ("sms", texts), ("network", network),
                ("network.ethernet", addressing), ("network.wifi", wifi), ("network.panel_port", panelPort),
            ] + ways.map { ($0.section, $0.all.filter { $0 != "timing" }) }
        let found = sections.filter { $0.1.contains(key) }.map { "\($0.0).\(key)" }
        if let inner = found.first(where: { !wrong.isEmpty && $0.hasPrefix(wrong + ".") }) { return inner }
        return found.first ?? (top.contains(key) ? key : nil)
    }
}
